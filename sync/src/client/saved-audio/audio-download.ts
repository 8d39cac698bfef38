import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { audioTexts as texts } from '@fellowship/schema/audio/audio.texts'
import { CallError, NetworkError } from '../../call/call-error.ts'
import type { Transport } from '../../call/call.ts'
import { isQuota } from '../../protocol/quota.ts'
import { audioKeyOf } from './audio-address.ts'
import { contiguousBytes, deleteRecording } from './audio-store.ts'
import { chunkBytes } from '../database/stored-files.ts'
import { type AudioDatabase, type SavedRecording } from '../database/audio-database.ts'
import { withTimeLimit, verdictOf } from '../engine/request.ts'

/** The device is full: the chunks stay, and the download resumes when there is room. */
export class DeviceFull extends Error {
  override readonly name = 'DeviceFull'
}

/** The hash of the bytes is wrong: they were deleted. */
export class WrongBytes extends Error {
  override readonly name = 'WrongBytes'
}

export interface DownloadOptions {
  /** An attempt without a byte for this long is aborted; the next one resumes. */
  stallMs?: number
  signal?: AbortSignal
}

/**
 * Downloads a recording, resuming at the end of the last attempt, and verifies its hash. Every full chunk is stored with
 * the count of bytes in one transaction, so that a crash loses no more than a chunk. `If-Range` guards against another
 * file at the same address.
 *
 * @returns 'ready', or 'gone' if it was removed meanwhile
 * @throws NetworkError (try again later), CallError (refused; stored in the row), DeviceFull, WrongBytes
 */
export async function downloadRecording(
  db: AudioDatabase,
  key: string,
  transport: Transport,
  { stallMs, signal }: DownloadOptions = {},
): Promise<'ready' | 'gone'> {
  const recording = await db.recordings.get(key)
  if (!isWanted(recording)) return 'gone'
  if (recording.state === 'ready') return 'ready'
  const from = await contiguousBytes(db, key, recording.size)
  if (from < recording.size) {
    const outcome = await fetchRest(db, recording, from, transport, stallMs, signal)
    if (outcome === 'gone') return 'gone'
  }
  return finish(db, recording)
}

async function fetchRest(
  db: AudioDatabase,
  recording: SavedRecording,
  from: number,
  transport: Transport,
  stallMs: number | undefined,
  signal: AbortSignal | undefined,
): Promise<'done' | 'gone'> {
  try {
    const headers: Record<string, string> =
      from > 0 ? { range: `bytes=${from}-`, 'if-range': `"${recording.key}"` } : {}
    // Another address: a cache in front may keep that the first one leads to a bucket, which does not know this tag.
    const query = from > 0 ? '?resume=1' : ''
    return await withTimeLimit(
      async (limit) => {
        const response = await transport.fetch(transport.base + recording.url + query, {
          headers,
          signal: limit.signal,
          // A second copy in the browser's HTTP cache would halve the room.
          cache: 'no-store',
        })
        const start = await startOf(db, recording, response, from)
        return keep(db, recording, response.body!, start, limit.touch)
      },
      { outer: signal ? [signal] : [], ms: stallMs },
    )
  } catch (error) {
    if (error instanceof CallError || error instanceof DeviceFull) throw error
    if (isQuota(error)) {
      await db.recordings.update(recording.key, { problem: 'device full' })
      throw new DeviceFull('Your device is too full for this recording.')
    }
    throw error instanceof NetworkError ? error : new NetworkError(error)
  }
}

/** The offset of the answer's bytes; an answer of another range is not used. */
async function startOf(
  db: AudioDatabase,
  { key, size }: SavedRecording,
  response: Response,
  from: number,
): Promise<number> {
  // The address of a replaced recording leads on to that of the new one: these are not, and will not be, its bytes.
  const movedTo = response.redirected ? audioKeyOf(new URL(response.url).pathname) : undefined
  if (movedTo !== undefined && movedTo !== key) {
    await deleteBytes(db, key)
    await db.recordings.update(key, { state: 'refused', problem: texts.replaced })
    throw new CallError(410, texts.replaced)
  }
  if (response.status === 206) {
    const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(response.headers.get('content-range') ?? '')
    const [start, end, total] = (range?.slice(1).map(Number) ?? []) as [number?, number?, number?]
    const tag = response.headers.get('etag')
    if (start !== from || end !== size - 1 || total !== size || (tag !== null && tag !== `"${key}"`)) {
      throw new NetworkError('The answer is not the range that was asked for')
    }
    return from
  }
  if (response.status === 200) {
    const length = response.headers.get('content-length')
    if (length !== null && Number(length) !== size) throw new NetworkError('The answer has another length')
    return 0
  }
  const text = await response.text()
  const error = new CallError(response.status, text, response)
  // Our count is wrong: start over.
  if (response.status === 416) {
    await deleteBytes(db, key)
    throw new NetworkError(error)
  }
  // Only our server refuses: a page in the place of the recording comes from a captive portal or a proxy.
  if (error.code === undefined || verdictOf(error) === 'again') throw new NetworkError(error)
  await db.recordings.update(key, { state: 'refused', problem: error.sentence })
  throw error
}

/** Cuts the stream into chunks and stores each, replacing those from `start` on. */
async function keep(
  db: AudioDatabase,
  { key, size }: SavedRecording,
  body: ReadableStream<Uint8Array>,
  start: number,
  touch: () => void,
): Promise<'done' | 'gone'> {
  const reader = body.getReader()
  let index = start / chunkBytes
  let filled = 0
  let buffer = new Uint8Array(Math.min(chunkBytes, size - index * chunkBytes))
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      touch()
      for (let read = 0; read < value.length;) {
        const taken = Math.min(buffer.length - filled, value.length - read)
        if (taken === 0) throw new NetworkError('More bytes than announced')
        buffer.set(value.subarray(read, read + taken), filled)
        filled += taken
        read += taken
        if (filled < buffer.length) continue
        if ((await saveChunk(db, key, index, buffer.buffer, size)) === 'gone') return 'gone'
        index += 1
        filled = 0
        buffer = new Uint8Array(Math.max(0, Math.min(chunkBytes, size - index * chunkBytes)))
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
  if (index * chunkBytes < size) throw new NetworkError('The answer broke off')
  return 'done'
}

async function saveChunk(
  db: AudioDatabase,
  key: string,
  index: number,
  data: ArrayBuffer,
  size: number,
): Promise<'kept' | 'gone'> {
  return db.transaction('rw', db.recordings, db.chunks, async () => {
    if (!isWanted(await db.recordings.get(key))) return 'gone'
    // Removed, and saved again since: the bytes before this chunk are gone, and are fetched first.
    const follows = index === 0 || (await db.chunks.where({ key, index: index - 1 }).count()) > 0
    if (!follows) return 'gone'
    await db.chunks.put({ key, index, data })
    const bytes = Math.min((index + 1) * chunkBytes, size)
    await db.recordings.update(key, { bytes, problem: undefined })
    return 'kept'
  })
}

/** Whether it is still to be downloaded; checked in every transaction that writes. */
function isWanted(recording: SavedRecording | undefined): recording is SavedRecording {
  return recording !== undefined && recording.state !== 'dropped'
}

/** Reads all bytes back and verifies the hash before the recording is shown as saved. */
async function finish(db: AudioDatabase, { key, size }: SavedRecording): Promise<'ready' | 'gone'> {
  const hash = sha256.create()
  let total = 0
  for (let index = 0; total < size; index += 1) {
    const chunk = await db.chunks.get([key, index])
    // Removed and saved again since, or deleted by the browser: no bytes arrived damaged, and the remaining ones stay.
    if (!chunk) throw new NetworkError(new Error('Bytes were deleted'))
    hash.update(new Uint8Array(chunk.data))
    total += chunk.data.byteLength
  }
  if (total !== size || bytesToHex(hash.digest()) !== key) {
    await deleteBytes(db, key)
    await countDamaged(db, key)
    throw new WrongBytes('The recording arrived damaged and is fetched again.')
  }
  return db.transaction('rw', db.recordings, db.chunks, async () => {
    const recording = await db.recordings.get(key)
    if (!isWanted(recording)) return 'gone'
    const { replaces } = recording
    const whole = { state: 'ready', bytes: size, problem: undefined, damaged: undefined } as const
    await db.recordings.update(key, { ...whole, replaces: undefined })
    if (replaces !== undefined) await deleteRecording(replaces, db)
    return 'ready'
  })
}

/**
 * A transfer may damage a recording once; one that is damaged each time is so on the server, and downloading it for ever
 * would use up a mobile plan.
 */
async function countDamaged(db: AudioDatabase, key: string): Promise<void> {
  const isGivenUp = await db.transaction('rw', db.recordings, async () => {
    const recording = await db.recordings.get(key)
    if (!isWanted(recording)) return false
    const damaged = (recording.damaged ?? 0) + 1
    const isLast = damaged >= maxDamaged
    await db.recordings.update(key, { damaged, ...(isLast && { state: 'refused', problem: texts.damaged }) })
    return isLast
  })
  if (isGivenUp) throw new CallError(502, texts.damaged)
}

const maxDamaged = 3

async function deleteBytes(db: AudioDatabase, key: string): Promise<void> {
  await db.transaction('rw', db.recordings, db.chunks, async () => {
    await db.chunks.where('[key+index]').between([key, 0], [key, Infinity]).delete()
    await db.recordings.update(key, { bytes: 0 })
  })
}
