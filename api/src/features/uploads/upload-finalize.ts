import { Problem, type ProblemBody, type ProblemCode } from '@fellowship/schema/problem'
import { teachingEdit, type Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { FinalizeInput } from '@fellowship/schema/uploads/upload.schema'
import type { Context } from '../../context.ts'
import { parseInput } from '../../http/input.ts'
import { isComplete, metadataFields } from './upload-begin.ts'
import { assertHere, bringHere, isHere, withUploadLock } from './upload-place.ts'
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

/**
 * The upload with this id.
 *
 * @throws Problem `not_found`, also for an upload of another user
 */
export async function ownUpload({ sql }: Context, userId: number, id: string): Promise<UploadRow> {
  const row = await findUpload(sql, id)
  if (row?.userId !== userId) throw new Problem('not_found', 'There is no such upload.')
  return row
}

/**
 * Makes an upload a teaching, or the new recording of one. Idempotent: repeated calls get the first answer.
 *
 * @param input wins over Upload-Metadata, which wins over the file name
 * @throws Problem as `receiveFile`, `upload_incomplete` with `offset`, `upload_busy`, `upload_gone`, `invalid_input`; after
 * `duplicate`, `unsupported_audio`, `too_large` and `upload_damaged` its bytes are gone
 */
export async function finalizeUpload(
  context: Context,
  userId: number,
  id: string,
  input: FinalizeInput,
): Promise<Teaching> {
  await bringHere(context, await ownUpload(context, userId, id))
  return withUploadLock(context, id, async () =>
    finalize(context, await ownUpload(context, userId, id), input),
  )
}

/** Finalizes an upload that is whole and whose metadata has all fields, for tus clients that do not call finalize. */
export async function finalizeIfComplete(context: Context, id: string): Promise<void> {
  const { sql, storage } = context
  await withUploadLock(context, id, async () => {
    const row = await findUpload(sql, id)
    if (row?.state !== 'open' || !isHere(context, row) || !isComplete(metadataFields(row.metadata))) return
    if ((await storage.partial.size(id)) < row.declaredBytes) return
    await finalize(context, row, {})
  })
}

/**
 * Cancels an upload for its client. Call it under the lock.
 *
 * @throws Problem `upload_finished` where it is a teaching already
 */
export async function cancelUpload({ sql, storage }: Context, id: string): Promise<void> {
  if ((await findUpload(sql, id))?.state === 'finalized') throw new Problem('upload_finished')
  await storage.partial.remove(id)
  await endUpload(sql, id, { state: 'cancelled' })
}

async function finalize(context: Context, row: UploadRow, input: FinalizeInput): Promise<Teaching> {
  const { id, state, answer, declaredBytes } = row
  const { sql, storage, hashes } = context
  if (state === 'finalized') return answer as Teaching
  if (state === 'refused') throw problemOf(answer as ProblemBody)
  if (state === 'cancelled') throw new Problem('upload_gone')
  assertHere(context, row)
  const offset = await storage.partial.size(id)
  if (offset < declaredBytes) throw new Problem('upload_incomplete', undefined, { offset })

  const destination = { ...destinationOf(row, input), by: await uploaderOf(sql, row.userId) }
  const staged = await storage.stagePartial(id)
  const recording = {
    staged,
    hashing: hashes.follow(staged.path),
    declaredSha256: row.declaredSha256 ?? undefined,
  }
  let teaching: Teaching
  try {
    teaching = (await receiveFile(context, recording, { ...destination, once: onlyOnce(id) })).teaching
  } catch (error) {
    // The lock goes with a lost connection, and another process may have finished the upload since.
    const current = await findUpload(sql, id)
    if (current?.state === 'finalized') return current.answer as Teaching
    await handleFailure(context, id, error)
    throw error
  }
  await storage.partial.remove(id).catch((error: unknown) => {
    // The recording is in the library; the next sweep removes the bytes.
    context.log.warn({ err: error, id }, 'the bytes of a finished upload could not be removed')
  })
  return teaching

  function onlyOnce(uploadId: string): Once {
    return async (tx, write) => {
      const current = await lockUpload(tx, uploadId)
      if (current?.state === 'finalized') return current.answer as Teaching
      if (current?.state !== 'open') throw new Problem('upload_gone')
      const written = await write()
      await endUpload(tx, uploadId, { state: 'finalized', answer: written })
      return written
    }
  }

  /** Removes the bytes first: after a crash in between they are sent and refused again. */
  async function handleFailure({ storage: files }: Context, uploadId: string, error: unknown): Promise<void> {
    const problem = error instanceof Problem ? error : undefined
    if (problem?.code === 'upload_damaged') {
      await files.partial.remove(uploadId)
      await deleteUpload(sql, uploadId)
    } else if (problem && permanentRefusals.includes(problem.code)) {
      await files.partial.remove(uploadId)
      await endUpload(sql, uploadId, { state: 'refused', answer: problem.toBody() })
    }
  }
}

/** Refusals that neither other fields nor a retry would change. */
const permanentRefusals: readonly ProblemCode[] = ['duplicate', 'unsupported_audio', 'too_large']

function destinationOf({ id, filename, metadata }: UploadRow, input: FinalizeInput) {
  const { teachingId, baseRev, uid, ...corrected } = input
  if (teachingId !== undefined) {
    return { replace: teachingId, edit: parseInput(teachingEdit, { ...corrected, baseRev, uid }) }
  }
  return {
    create: checkFields(mergeFields(filename, { entered: metadataFields(metadata), corrected })),
    uid: id,
  }
}

function problemOf({ code, error, message: _message, success: _success, ...extra }: ProblemBody): Problem {
  return new Problem(code, error, extra)
}
