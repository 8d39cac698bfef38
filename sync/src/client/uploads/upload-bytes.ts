import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { uploadQueueTexts } from '@fellowship/schema/uploads/upload-queue.texts'
import { chunkBytes } from '../database/chunk-bytes.ts'
import type { UploadDatabase, UploadJob } from '../database/upload-database.ts'

/**
 * Reads bytes from the chunks, from any offset: the server's bytes need not end with a chunk.
 *
 * @throws MissingBytes
 */
export async function readBytes(
  db: UploadDatabase,
  { id, size }: UploadJob,
  offset: number,
  wanted: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const end = Math.min(offset + wanted, size)
  const first = Math.floor(offset / chunkBytes)
  const last = Math.floor((end - 1) / chunkBytes)
  const rows = await db.chunks.where('[jobId+index]').between([id, first], [id, last], true, true).toArray()
  const bytes = new Uint8Array(end - offset)
  let filled = 0
  for (const { index, data } of rows) {
    const from = Math.max(offset - index * chunkBytes, 0)
    const piece = new Uint8Array(data, from, Math.min(end - index * chunkBytes, data.byteLength) - from)
    bytes.set(piece, filled)
    filled += piece.length
  }
  if (filled !== bytes.length) throw new MissingBytes()
  return bytes
}

/** The browser has deleted bytes of the recording. */
export class MissingBytes extends Error {
  override readonly name = 'MissingBytes'
  constructor() {
    super(uploadQueueTexts.evicted)
  }
}

/**
 * Verifies the hash of the stored bytes.
 *
 * @throws MissingBytes
 */
export async function checkBytes(db: UploadDatabase, job: UploadJob): Promise<void> {
  const hash = sha256.create()
  for (let at = 0; at < job.size; at += chunkBytes) hash.update(await readBytes(db, job, at, chunkBytes))
  if (bytesToHex(hash.digest()) !== job.sha256) throw new MissingBytes()
}
