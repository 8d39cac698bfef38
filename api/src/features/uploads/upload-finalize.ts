import { Problem, type ProblemBody, type ProblemCode } from '@fellowship/schema/problem'
import { teachingEdit, type Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { FinalizeInput } from '@fellowship/schema/uploads/upload.schema'
import type { Context } from '../../context.ts'
import { parseInput } from '../../http/input.ts'
import { releasableLock } from '../../machine/releasable-lock.ts'
import { isComplete, metadataFields } from './upload-begin.ts'
import { checkFields, mergeFields } from './upload-fields.ts'
import {
  deleteUpload,
  endUpload,
  findUpload,
  lockUpload,
  uploaderOf,
  type UploadRow,
} from './upload-rows.sql.ts'
import type { Once } from '../teachings/teachings.ts'
import { receiveFile } from './receive-file.ts'

/** Whoever works on an upload holds its id here: a request of its sender, finalizing, cleaning. */
export const uploadLock = releasableLock()

/**
 * The upload of this person.
 *
 * @throws Problem `not_found`, also where it is somebody else's
 */
export async function ownUpload({ sql }: Context, userId: number, id: string): Promise<UploadRow> {
  const row = await findUpload(sql, id)
  if (row?.userId !== userId) throw new Problem('not_found', 'There is no such upload.')
  return row
}

/**
 * Makes an arrived upload a teaching, or the new recording of one: once, however often it is asked for. What was
 * answered stays the answer.
 *
 * @param said wins over what was said at the beginning, that over the file name
 * @throws Problem as `receiveFile`, `upload_incomplete` with `offset`, `upload_gone`, `invalid_input`; after
 * `duplicate`, `unsupported_audio`, `too_large` and `upload_damaged` its bytes are gone
 */
export async function finalizeUpload(
  context: Context,
  userId: number,
  id: string,
  said: FinalizeInput,
): Promise<Teaching> {
  return alone(id, async () => finalize(context, await ownUpload(context, userId, id), said))
}

/**
 * The same for a client that knows no second call, where it said everything at the beginning. Nothing happens where
 * it did not, or where the upload is not whole.
 */
export async function finalizeByItself(context: Context, id: string): Promise<void> {
  const { sql, storage } = context
  await alone(id, async () => {
    const row = await findUpload(sql, id)
    if (row?.state !== 'open' || !isComplete(metadataFields(row.metadata))) return
    if ((await storage.partial.size(id)) < row.declaredBytes) return
    await finalize(context, row, {})
  })
}

/**
 * Its sender gives it up. To be called under the lock.
 *
 * @throws Problem `upload_finished` where it is a teaching already
 */
export async function cancelUpload({ sql, storage, clock }: Context, id: string): Promise<void> {
  if ((await findUpload(sql, id))?.state === 'finalized') throw new Problem('upload_finished')
  await storage.partial.remove(id)
  await endUpload(sql, id, { state: 'cancelled' }, clock.now())
}

/** Works on an upload while nobody else does. */
export async function alone<T>(id: string, work: () => Promise<T>): Promise<T> {
  // It comes to its end by itself, and soon.
  const release = await uploadLock.take(id, () => undefined)
  try {
    return await work()
  } finally {
    release()
  }
}

async function finalize(context: Context, row: UploadRow, said: FinalizeInput): Promise<Teaching> {
  const { id, state, answer, declaredBytes } = row
  const { sql, storage, hashes, clock } = context
  if (state === 'finalized') return answer as Teaching
  if (state === 'refused') throw asBefore(answer as ProblemBody)
  if (state === 'cancelled') throw new Problem('upload_gone')
  const offset = await storage.partial.size(id)
  if (offset < declaredBytes) throw new Problem('upload_incomplete', undefined, { offset })

  const destination = { ...destinationOf(row, said), by: await uploaderOf(sql, row.userId) }
  const staged = await storage.stagePartial(id)
  const recording = {
    staged,
    hashing: hashes.follow(staged.path),
    declaredSha256: row.declaredSha256 ?? undefined,
  }
  let teaching: Teaching
  try {
    teaching = (await receiveFile(context, recording, { ...destination, once: onlyOnce(id, clock.now()) }))
      .teaching
  } catch (error) {
    await meet(context, id, error)
    throw error
  }
  await storage.partial.remove(id).catch((error: unknown) => {
    // It is in the library; the next cleaning takes what is left.
    context.log.warn({ err: error, id }, 'the bytes of a finished upload could not be removed')
  })
  return teaching

  function onlyOnce(uploadId: string, now: Date): Once {
    return async (tx, write) => {
      const current = await lockUpload(tx, uploadId)
      if (current?.state === 'finalized') return current.answer as Teaching
      if (current?.state !== 'open') throw new Problem('upload_gone')
      const written = await write()
      await endUpload(tx, uploadId, { state: 'finalized', answer: written }, now)
      return written
    }
  }

  /** The bytes go first: should that be cut short, they are sent again, and refused again. */
  async function meet({ storage: files }: Context, uploadId: string, error: unknown): Promise<void> {
    const problem = error instanceof Problem ? error : undefined
    if (problem?.code === 'upload_damaged') {
      await files.partial.remove(uploadId)
      await deleteUpload(sql, uploadId)
    } else if (problem && final.includes(problem.code)) {
      await files.partial.remove(uploadId)
      await endUpload(sql, uploadId, { state: 'refused', answer: problem.toBody() }, clock.now())
    }
  }
}

/** Refusals that no other word and no later time would change. */
const final: readonly ProblemCode[] = ['duplicate', 'unsupported_audio', 'too_large']

function destinationOf({ id, filename, metadata }: UploadRow, said: FinalizeInput) {
  const { teachingId, baseRev, ...corrected } = said
  if (teachingId !== undefined) {
    return { replace: teachingId, edit: parseInput(teachingEdit, { ...corrected, baseRev }) }
  }
  return {
    create: checkFields(mergeFields(filename, { entered: metadataFields(metadata), corrected })),
    uid: id,
  }
}

function asBefore({ code, error, message: _message, success: _success, ...extra }: ProblemBody): Problem {
  return new Problem(code, error, extra)
}
