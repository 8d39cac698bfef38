import { z } from 'zod'
import { Problem } from '@fellowship/schema/problem'
import { maxFileNameLength, maxOpenUploads, maxUploadBytes } from '@fellowship/schema/uploads/uploads.limits'
import { uploadQueueTexts } from '@fellowship/schema/uploads/upload-queue.texts'
import { someFields, type SomeFields } from '@fellowship/schema/uploads/uploads.schema'
import { uuidv7 } from '@fellowship/sync/protocol/uuid'
import type { Context } from '../../context.ts'
import { parseInput } from '../../http/input.ts'
import type { Announced } from '../../machine/tus.ts'
import { checkFields, mergeFields } from './upload-fields.ts'
import { findUpload, isUidTaken, lockUploadsOf, putUpload, type UploadRow } from './upload-rows.sql.ts'

/**
 * The id of a new upload: its sender's own (`jobId` of Upload-Metadata, a UUID of version 7), by which it finds the
 * upload again whatever answer was lost, or one of ours.
 *
 * @throws Problem `invalid_input`
 */
export function uploadIdOf({ clock }: Context, { jobId }: Record<string, string | null>): string {
  if (jobId === undefined || jobId === null) return uuidv7(clock.now().getTime())
  if (!z.uuidv7().safeParse(jobId).success) {
    throw new Problem('invalid_input', 'jobId must be a UUID of version 7, made anew for every file.')
  }
  return jobId.toLowerCase()
}

/**
 * Takes note of a file that is about to be sent.
 *
 * @throws Problem `unauthorized` (it is somebody else's), `invalid_input`, `too_large`, `upload_exists` (ask how far it came), `upload_gone` (it was given
 * up), `too_many_uploads`, `disk_full`
 */
export async function beginUpload(
  { sql, storage, clock }: Context,
  userId: number,
  { id, bytes, metadata }: Announced,
): Promise<void> {
  // Its sender gave it to the device under another account than the one that is signed in now.
  if (metadata['owner'] && metadata['owner'] !== String(userId)) throw new Problem('unauthorized')
  if (!Number.isSafeInteger(bytes) || bytes < 1) throw new Problem('invalid_input', uploadQueueTexts.empty)
  if (bytes > maxUploadBytes) throw new Problem('too_large')
  const filename = nameOf(metadata)
  const declaredSha256 = sha256Of(metadata)
  const fields = metadataFields(metadata)
  // Faults in what will be needed are told before the first byte.
  if (isComplete(fields)) checkFields(mergeFields(filename, { entered: fields }))
  // What was begun before keeps its place, whatever is left for others.
  if (!(await findUpload(sql, id)) && bytes * 2 > (await storage.freeBytes())) throw new Problem('disk_full')
  await sql.begin(async (tx) => {
    const open = await lockUploadsOf(tx, userId)
    const before = await findUpload(tx, id)
    if (before) checkAgain(before, userId)
    if (await isUidTaken(tx, id)) throw new Problem('upload_exists')
    if (open >= maxOpenUploads) throw new Problem('too_many_uploads', undefined, { retryAfter: 60 })
    const row = { id, userId, filename, declaredBytes: bytes, declaredSha256, metadata }
    await putUpload(tx, row, clock.now())
  })
}

/** What was refused may be sent again, with other words; its bytes are gone. */
function checkAgain({ userId, state }: UploadRow, asking: number): void {
  if (state === 'refused' && userId === asking) return
  throw new Problem(state === 'cancelled' && userId === asking ? 'upload_gone' : 'upload_exists')
}

/** What of the fields a client said when it began. */
export function metadataFields(metadata: Record<string, string | null>): SomeFields {
  const said = Object.entries(metadata).filter(([name, value]) => name in someFields.shape && value !== null)
  return parseInput(someFields, Object.fromEntries(said))
}

/** Whether an upload needs no further word: other tus clients know no second call. */
export const isComplete = ({ title, speaker, date, scriptureReference }: SomeFields): boolean =>
  isSaid(speaker) && isSaid(date) && (isSaid(title) || isSaid(scriptureReference))

const isSaid = (text: string | undefined) => text !== undefined && text.trim() !== ''

function nameOf({ filename, name }: Record<string, string | null>): string {
  const said = filename ?? name ?? 'recording'
  if (said.length > maxFileNameLength) {
    throw new Problem('invalid_input', `The file name may have at most ${maxFileNameLength} characters.`)
  }
  return said === '' ? 'recording' : said
}

function sha256Of({ sha256 }: Record<string, string | null>): string | null {
  if (sha256 === undefined || sha256 === null) return null
  if (!/^[0-9a-f]{64}$/i.test(sha256)) {
    throw new Problem('invalid_input', 'sha256 must be the hash of the file in 64 hexadecimal digits.')
  }
  return sha256.toLowerCase()
}
