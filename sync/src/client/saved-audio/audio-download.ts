import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { audioTexts as texts } from '@fellowship/schema/audio/audio.texts'
import { CallError, NetworkError } from '../../call/call-error.ts'
import type { Transport } from '../../call/call.ts'
import { isQuota } from '../../protocol/quota.ts'
import { audioKeyOf } from './audio-address.ts'
import { contiguousBytes } from './audio-store.ts'
import { chunkBytes } from '../database/chunk-bytes.ts'
import { type AudioDatabase, type SavedRecording } from '../database/audio-database.ts'
import { stallWatch } from '../engine/stall-watch.ts'

/** The device has no room: the chunks stay, and the download goes on when a person made some. */
export class DeviceFull extends Error {
  override readonly name = 'DeviceFull'
}

/** The bytes do not hash to what they are called: they were dropped. */
export class WrongBytes extends Error {
  override readonly name = 'WrongBytes'
}

export interface DownloadOptions {
  /** No byte for this long ends the attempt; the next one resumes. */
  stallMs?: number
  signal?: AbortSignal
}

/**
 * Brings a wanted recording here, going on where the last attempt ended, and verifies its hash. Every full chunk
 * is kept together with the count of bytes, in one transaction, so that a crash at any point loses no more than a
 * chunk. The file's address is the hash of its bytes, and `If-Range` guards against anything in between.
 *
 * @returns 'ready', or 'gone' where nobody wants it any more
 * @throws NetworkError (try again later), CallError (refused; noted in the row), DeviceFull, WrongBytes
 */
export async function downloadRecording(
  db: AudioDatabase,
  key: string,
  transport: Transport,
  { stallMs = 30_000, signal }: DownloadOptions = {},
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
  stallMs: number,
  signal: AbortSignal | undefined,
): Promise<'done' | 'gone'> {
  const watch = stallWatch(stallMs, signal)
  try {
    const headers: Record<string, string> =
      from > 0 ? { range: `bytes=${from}-`, 'if-range': `"${recording.key}"` } : {}
    const response = await transport.fetch(transport.base + recording.url, {
      headers,
      signal: watch.signal,
      // Kept here; a second copy in the browser's own cache would halve the room.
      cache: 'no-store',
    })
    const start = await startOf(db, recording, response, from)
    return await keep(db, recording, response.body!, start, watch.touch)
  } catch (error) {
    if (error instanceof CallError || error instanceof DeviceFull) throw error
    if (isQuota(error)) {
      await db.recordings.update(recording.key, { problem: 'device full' })
      throw new DeviceFull('Your device is too full for this recording.')
    }
    throw error instanceof NetworkError ? error : new NetworkError(error)
  } finally {
    watch.end()
  }
}

/** Where the answer's bytes belong; an answer that is not exactly what was asked for is not used. */
async function startOf(
  db: AudioDatabase,
  { key, size }: SavedRecording,
  response: Response,
  from: number,
): Promise<number> {
  // The address of a replaced recording leads on to that of the new one: these are not, and will not be, its bytes.
  const movedTo = response.redirected ? audioKeyOf(new URL(response.url).pathname) : undefined
  if (movedTo !== undefined && movedTo !== key) {
    await forgetBytes(db, key)
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
  // A page in the place of a recording is that of a portal or a proxy: the server was not reached.
  if (response.headers.get('content-type')?.startsWith('text/html'))
    throw new NetworkError('A page came in the place of the recording')
  const text = await response.text()
  const error = new CallError(response.status, text || response.statusText)
  // 416 means that our count is wrong, 5xx and 429 that the server is busy: none is a refusal.
  if (response.status === 416) {
    await forgetBytes(db, key)
    throw new NetworkError(error)
  }
  if (response.status >= 500 || response.status === 429 || response.status === 408)
    throw new NetworkError(error)
  await db.recordings.update(key, { state: 'refused', problem: error.sentence })
  throw error
}

/** Cuts the stream into chunks and keeps each. What stands from `start` on is replaced. */
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
    await db.chunks.put({ key, index, data })
    const bytes = Math.min((index + 1) * chunkBytes, size)
    await db.recordings.update(key, { bytes, problem: undefined })
    return 'kept'
  })
}

/** Whether somebody still wants it; asked again in every transaction that writes. */
function isWanted(recording: SavedRecording | undefined): recording is SavedRecording {
  return recording !== undefined && recording.state !== 'dropped'
}

/** Reads everything back: what is announced as saved was seen to be whole. */
async function finish(db: AudioDatabase, { key, size }: SavedRecording): Promise<'ready' | 'gone'> {
  const hash = sha256.create()
  let total = 0
  for (let index = 0; total < size; index += 1) {
    const chunk = await db.chunks.get([key, index])
    if (!chunk) break
    hash.update(new Uint8Array(chunk.data))
    total += chunk.data.byteLength
  }
  if (total !== size || bytesToHex(hash.digest()) !== key) {
    await forgetBytes(db, key)
    await noteDamaged(db, key)
    throw new WrongBytes('The recording arrived damaged and is fetched again.')
  }
  return db.transaction('rw', db.recordings, async () => {
    if (!isWanted(await db.recordings.get(key))) return 'gone'
    await db.recordings.update(key, { state: 'ready', bytes: size, problem: undefined, damaged: undefined })
    return 'ready'
  })
}

/**
 * A line damages a recording once; what comes damaged each time lies so on the server, and to fetch it for ever would
 * cost a member all they pay for.
 */
async function noteDamaged(db: AudioDatabase, key: string): Promise<void> {
  const isGivenUp = await db.transaction('rw', db.recordings, async () => {
    const recording = await db.recordings.get(key)
    if (!isWanted(recording)) return false
    const damaged = (recording.damaged ?? 0) + 1
    const isLast = damaged >= mostDamaged
    await db.recordings.update(key, { damaged, ...(isLast && { state: 'refused', problem: texts.damaged }) })
    return isLast
  })
  if (isGivenUp) throw new CallError(502, texts.damaged)
}

const mostDamaged = 3

async function forgetBytes(db: AudioDatabase, key: string): Promise<void> {
  await db.transaction('rw', db.recordings, db.chunks, async () => {
    await db.chunks.where('[key+index]').between([key, 0], [key, Infinity]).delete()
    await db.recordings.update(key, { bytes: 0 })
  })
}
