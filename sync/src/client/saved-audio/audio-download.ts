import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { audioTexts as texts } from '@fellowship/schema/audio/audio.texts'
import { CallError, NetworkError, networkErrorOf } from '../../call/call-error.ts'
import type { Transport } from '../../call/call.ts'
import { isQuota } from '../../protocol/quota.ts'
import { audioKeyOf } from './audio-address.ts'
import { freeLine, type AudioLine, type Turn } from './audio-line.ts'
import { bytesHere } from './ahead-store.ts'
import { chunksHere, contiguousBytes, deleteRecording } from './audio-store.ts'
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
  stallMs?: number | undefined
  signal?: AbortSignal
  line?: AudioLine
  /** Whether a recording that is not saved is still wanted, as it is open in a player. */
  isPlayed?: (key: string) => Promise<boolean>
}

/** Consecutive chunks. */
interface Run {
  first: number
  last: number
}

/**
 * Downloads the missing chunks of a recording, and verifies its hash when all are here. Every full chunk is stored with
 * the count of bytes in one transaction, so that a crash loses no more than a chunk. `If-Range` guards against another
 * file at the same address.
 *
 * @returns 'ready'; 'held' if all that play-through needs is on this device; 'gone' if it was removed meanwhile
 * @throws NetworkError, TooManyRequests (try again later), CallError (refused; stored in the row), DeviceFull, WrongBytes
 */
export async function downloadRecording(
  db: AudioDatabase,
  key: string,
  transport: Transport,
  options: DownloadOptions = {},
): Promise<'ready' | 'held' | 'gone'> {
  const { line = freeLine, signal, isPlayed = async () => true } = options
  const fetched = new Set<number>()
  try {
    for (;;) {
      const recording = await db.recordings.get(key)
      if (!isWanted(recording)) return 'gone'
      if (recording.state === 'ready') return 'ready'
      const run = await nextRun(db, recording)
      if (!run) return await finish(db, recording)
      // Deleted by the browser since: no bytes arrived damaged, and the remaining ones stay.
      if (fetched.has(run.first)) throw new NetworkError(new Error('Bytes were deleted'))
      if (recording.ahead && !(await isPlayed(key))) return 'gone'
      if (signal?.aborted) throw new NetworkError(new DOMException('The download was stopped.', 'AbortError'))
      const outcome = await line.take(async (turn) => {
        // The player may have brought some of it while this waited.
        const now = await nextRun(db, recording)
        if (!now) return 'done'
        const ended = await fetchRun(db, recording, now, transport, { ...options, turn })
        if (ended === 'done') for (let index = now.first; index <= now.last; index += 1) fetched.add(index)
        return ended
      })
      if (outcome === 'gone') return 'gone'
    }
  } catch (error) {
    if (!isQuota(error)) throw error
    // There may be no room for the mark either. What is only held ahead delays no other download.
    const mark = (await db.recordings.get(key))?.ahead ? {} : { problem: 'device full' }
    await db.recordings.update(key, mark).catch(() => undefined)
    throw new DeviceFull('Your device is too full for this recording.')
  }
}

/**
 * The missing chunks to be fetched next. Of a recording that is not saved, those behind the place at which it was opened come
 * first, then its own chunk, which the player has only in part.
 */
async function nextRun(db: AudioDatabase, { key, size, ahead }: SavedRecording): Promise<Run | undefined> {
  const here = new Set(await chunksHere(db, key))
  const count = Math.ceil(size / chunkBytes)
  const from = ahead?.from ?? 0
  const behind = runIn(here, from === 0 ? 0 : from + 1, count)
  return behind ?? (from > 0 && !here.has(from) ? { first: from, last: from } : undefined)
}

function runIn(here: ReadonlySet<number>, from: number, count: number): Run | undefined {
  let first = from
  while (here.has(first)) first += 1
  if (first >= count) return undefined
  let last = first
  while (last + 1 < count && !here.has(last + 1)) last += 1
  return { first, last }
}

async function fetchRun(
  db: AudioDatabase,
  recording: SavedRecording,
  { first, last }: Run,
  transport: Transport,
  { stallMs, signal, turn, isPlayed }: DownloadOptions & { turn: Turn },
): Promise<'done' | 'yielded' | 'gone'> {
  const from = first * chunkBytes
  const end = Math.min((last + 1) * chunkBytes, recording.size) - 1
  const isToEnd = end === recording.size - 1
  try {
    const headers: Record<string, string> =
      from > 0 || !isToEnd
        ? { range: `bytes=${from}-${isToEnd ? '' : end}`, 'if-range': `"${recording.key}"` }
        : {}
    // Another address: a cache in front may keep that the first one leads to a bucket, which does not know this tag.
    const query = headers['range'] ? '?resume=1' : ''
    return await withTimeLimit(
      async (limit) => {
        turn.begin({ key: recording.key, index: first })
        const response = await transport.fetch(transport.base + recording.url + query, {
          headers,
          signal: limit.signal,
          // A second copy in the browser's HTTP cache would halve the room.
          cache: 'no-store',
        })
        const answered = await rangeOf(db, recording, response, { from, end })
        return keep(db, recording, response.body!, { ...answered, turn, isPlayed }, limit.touch)
      },
      { outer: [turn.signal, ...(signal ? [signal] : [])], ms: stallMs },
    )
  } catch (error) {
    // The player needs the network; afterwards the download goes on.
    if (turn.signal.aborted && !signal?.aborted && !(error instanceof CallError) && !isQuota(error))
      return 'yielded'
    throw error instanceof CallError || isQuota(error) ? error : networkErrorOf(error)
  }
}

/** The offsets of the answer's bytes, `end` inclusive; an answer of another range is not used. */
async function rangeOf(
  db: AudioDatabase,
  { key, size }: SavedRecording,
  response: Response,
  { from, end: last }: { from: number; end: number },
): Promise<{ start: number; end: number }> {
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
    if (start !== from || end !== last || total !== size || (tag !== null && tag !== `"${key}"`)) {
      throw new NetworkError('The answer is not the range that was asked for')
    }
    return { start: from, end: last }
  }
  if (response.status === 200) {
    const length = response.headers.get('content-length')
    if (length !== null && Number(length) !== size) throw new NetworkError('The answer has another length')
    return { start: 0, end: size - 1 }
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
  { key, size, ahead }: SavedRecording,
  body: ReadableStream<Uint8Array>,
  {
    start,
    end,
    turn,
    isPlayed,
  }: { start: number; end: number; turn: Turn } & Pick<DownloadOptions, 'isPlayed'>,
  touch: () => void,
): Promise<'done' | 'yielded' | 'gone'> {
  const until = end + 1
  const reader = body.getReader()
  const first = start / chunkBytes
  let index = first
  let filled = 0
  let buffer = new Uint8Array(Math.min(chunkBytes, until - index * chunkBytes))
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
        const saved = await saveChunk(
          db,
          { key, index, data: buffer.buffer },
          { size, isFirst: index === first },
        )
        if (saved === 'gone') return 'gone'
        index += 1
        filled = 0
        buffer = new Uint8Array(Math.max(0, Math.min(chunkBytes, until - index * chunkBytes)))
        turn.begin({ key, index })
        if (index * chunkBytes >= until) continue
        if (turn.isOver()) return 'yielded'
        if (ahead && isPlayed && !(await isPlayed(key))) return 'yielded'
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
  if (index * chunkBytes < until) throw new NetworkError('The answer broke off')
  return 'done'
}

async function saveChunk(
  db: AudioDatabase,
  { key, index, data }: { key: string; index: number; data: ArrayBuffer },
  { size, isFirst }: { size: number; isFirst: boolean },
): Promise<'kept' | 'gone'> {
  return db.transaction('rw', db.recordings, db.chunks, async () => {
    const recording = await db.recordings.get(key)
    if (!isWanted(recording)) return 'gone'
    // Removed, and saved again since: the bytes before this chunk are gone, and are fetched first.
    const follows =
      index === 0 ||
      (isFirst && recording.ahead) ||
      (await db.chunks.where({ key, index: index - 1 }).count()) > 0
    if (!follows) return 'gone'
    await db.chunks.put({ key, index, data })
    const bytes = recording.ahead ? await bytesHere(db, key, size) : await contiguousBytes(db, key, size)
    await db.recordings.update(key, { bytes, problem: undefined })
    return 'kept'
  })
}

/** Whether it is still to be downloaded; checked in every transaction that writes. */
function isWanted(recording: SavedRecording | undefined): recording is SavedRecording {
  return recording !== undefined && recording.state !== 'dropped'
}

/** Reads all bytes back and verifies the hash before the recording is shown as saved. */
async function finish(
  db: AudioDatabase,
  { key, size, ahead }: SavedRecording,
): Promise<'ready' | 'held' | 'gone'> {
  if (ahead && (await bytesHere(db, key, size)) < size) {
    await db.recordings.update(key, { ahead: { ...ahead, isHeld: true } })
    return 'held'
  }
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
