import { Problem, type ProblemBody, type ProblemCode } from '@fellowship/schema/problem'
import { teachingEdit, type Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { FinalizeInput } from '@fellowship/schema/uploads/uploads.contract'
import type { Once } from '../teachings/teachings.ts'
import { withUploadLock } from '../../cluster/cluster.ts'
import type { Context } from '../../context.ts'
import { parseInput } from '../../http/input.ts'
import { checkFields, isComplete, mergeFields, metadataFields } from './upload-fields.ts'
import { deleteUpload, endUpload, findUpload, lockUpload, uploaderOf, type UploadRow } from './uploads.sql.ts'
import { receiveFile } from './receive-file.ts'

/**
 * The upload with this id.
 *
 * @throws Problem `not_found`, also for an upload of another user
 */
export async function uploadOfUser({ sql }: Context, userId: number, id: string): Promise<UploadRow> {
  const row = await findUpload(sql, id)
  if (row?.userId !== userId) throw new Problem('not_found', 'There is no such upload.')
  return row
}

/** @throws Problem `upload_busy` if another process has the bytes */
export function assertOwned({ node }: Pick<Context, 'node'>, row: UploadRow): void {
  if (!node.owns(row)) throw elsewhere('upload_busy')
}

/**
 * Takes an open upload over from another process if that process has ended, or if the client cannot reach it.
 *
 * @param options.atOnce for a client that cancels the upload
 * @throws Problem `upload_busy` while the client should try again to reach the process that has the bytes
 */
export async function takeOverUpload(
  { node, storage }: Context,
  row: UploadRow,
  { atOnce = false }: { atOnce?: boolean } = {},
): Promise<void> {
  if (row.state !== 'open') return
  const removeStale = () => storage.partial.remove(row.id)
  if (!(await node.takeOverUpload(row, { atOnce, removeStale }))) throw elsewhere('upload_busy')
}

/** The refusal of a request for an upload if another process has its bytes. */
export const elsewhere = (code: 'upload_busy' | 'upload_offset'): Problem =>
  new Problem(code, 'Another process of the server has this upload. Ask for its offset and resume.', {
    retryAfter: 5,
  })

/**
 * Makes an upload a teaching, or the new recording of one. Idempotent: repeated calls get the first answer.
 *
 * @param input wins over Upload-Metadata, which wins over the file name
 * @throws Problem as `receiveFile`, `upload_incomplete` with `offset`, `upload_busy`, `upload_gone`, `cut_off`, `sounds_wrong`, `invalid_input`; after
 * `duplicate`, `unsupported_audio`, `too_large` and `upload_damaged` its bytes are gone
 */
export async function finalizeUpload(
  context: Context,
  userId: number,
  id: string,
  input: FinalizeInput,
): Promise<Teaching> {
  await takeOverUpload(context, await uploadOfUser(context, userId, id))
  return withUploadLock(context, id, async () =>
    finalize(context, await uploadOfUser(context, userId, id), input),
  )
}

/** Finalizes an upload if it is whole and its metadata has all fields, for tus clients that do not call finalize. */
export async function finalizeIfComplete(context: Context, id: string): Promise<void> {
  const { sql, node, storage } = context
  await withUploadLock(context, id, async () => {
    const row = await findUpload(sql, id)
    if (row?.state !== 'open' || !node.owns(row) || !isComplete(metadataFields(row.metadata))) return
    if ((await storage.partial.size(id)) < row.declaredBytes) return
    await finalize(context, row, {})
  })
}

/**
 * Cancels an upload for its client. Call it under the lock.
 *
 * @throws Problem `upload_finished` if it is a teaching already
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
  assertOwned(context, row)
  const offset = await storage.partial.size(id)
  if (offset < declaredBytes) throw new Problem('upload_incomplete', undefined, { offset })

  const destination = { ...destinationOf(context, row, input), by: await uploaderOf(sql, row.userId) }
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
    // The lock is lost with its connection, so another process may have finished the upload meanwhile.
    const current = await findUpload(sql, id)
    if (current?.state === 'finalized') return current.answer as Teaching
    await handleFailure(context, id, error)
    throw error
  }
  await storage.partial.remove(id).catch((error: unknown) => {
    // The recording is in the library. The next sweep removes the bytes.
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

  /** Removes the bytes first: after a crash in between, the client sends them again and is refused again. */
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

function destinationOf(context: Context, { id, filename, metadata }: UploadRow, input: FinalizeInput) {
  const { teachingId, baseRev, uid, acceptCutOff, acceptSound, ...corrected } = input
  if (teachingId !== undefined) {
    return {
      replace: teachingId,
      edit: parseInput(teachingEdit, { ...corrected, baseRev, uid }),
      acceptCutOff,
      acceptSound,
    }
  }
  return {
    create: checkFields(mergeFields(context, filename, { entered: metadataFields(metadata), corrected })),
    uid: id,
    acceptCutOff,
    acceptSound,
  }
}

function problemOf({ code, error, message: _message, success: _success, ...extra }: ProblemBody): Problem {
  return new Problem(code, error, extra)
}
