import { chunkBytes } from '../database/stored-files.ts'
import type { takeForPlayer, ChunkOf } from './audio-line.ts'
import { fetchSteadily, type RangeDeps, type RangeHead } from './steady-range.ts'

/** The network as the service worker uses it for the player. */
export interface PlayerNetwork extends RangeDeps {
  /** Takes it from the downloads; returns the way to give it back. */
  take: typeof takeForPlayer
  /** Called when a chunk was stored. */
  onKept: (key: string) => void
}

interface ChunkRequest {
  key: string
  url: string
  kept: {
    chunk(key: string, index: number): Promise<ArrayBuffer | undefined>
    store(key: string, index: number, data: ArrayBuffer): Promise<boolean>
  }
  isPatient: boolean
  /** Of the recording; undefined if it is not known yet. */
  size?: number
  /** Whether sound begins with it. */
  isOpening: boolean
}

/** The rest of a chunk, while it is fetched. */
export interface PlayedChunk {
  /** Rejects if there is no answer. */
  head: Promise<RangeHead>
  /** The next bytes, in order; undefined at the end of the chunk. */
  next(): Promise<Uint8Array | undefined>
  /** Ends the request; the bytes so far wait for the next one. */
  end(): void
}

interface PlayedChunks {
  begin(request: ChunkRequest, at: number): PlayedChunk
  /** Stores the chunks that were whole before their recording had a row. */
  flush(key: string): Promise<void>
}

/** The first request of a response is short, so that sound begins soon on a slow line. */
const firstBytes = 64 * 1024
/** Chunks that were begun: browsers ask for the first bytes of a recording several times. */
const begunCount = 4

/** The beginning of a chunk, or all of it. */
interface Begun extends ChunkOf {
  head: RangeHead
  data: Uint8Array<ArrayBuffer>
  filled: number
  kept: ChunkRequest['kept']
}

const known = new WeakMap<PlayerNetwork, PlayedChunks>()

/** Fetches chunks for the player over this network; always the same one. */
export function playedChunks(network: PlayerNetwork): PlayedChunks {
  const made = known.get(network) ?? makePlayedChunks(network)
  known.set(network, made)
  return made
}

function makePlayedChunks(network: PlayerNetwork): PlayedChunks {
  const shelf = begunChunks(network)
  return {
    begin(request, at) {
      const over = new AbortController()
      const pieces = queueOf<Uint8Array>()
      const head = promised<RangeHead>()
      void fetchChunk({ request, at, network, shelf, signal: over.signal, pieces, head }).then(
        pieces.close,
        (error: unknown) => {
          head.reject(error)
          pieces.fail(error)
        },
      )
      return { head: head.promise, next: () => pieces.next(), end: () => over.abort() }
    },
    flush: (key) => shelf.flush(key),
  }
}

/** The chunks that were begun, and stores them once they are whole. */
function begunChunks(network: PlayerNetwork) {
  let begun: Begun[] = []
  const shelf = {
    find: ({ key, index }: ChunkOf) => begun.find((each) => each.key === key && each.index === index),
    keep(each: Begun) {
      begun = [each, ...begun.filter((other) => other !== each)].slice(0, begunCount)
    },
    async store(each: Begun | undefined): Promise<void> {
      if (!each || each.filled < each.data.length) return
      const { key, index, data, kept } = each
      if (!(await kept.store(key, index, data.buffer).catch(() => false))) return
      begun = begun.filter((other) => other !== each)
      network.onKept(key)
    },
    async flush(key: string): Promise<void> {
      for (const each of begun) if (each.key === key) await shelf.store(each)
    },
  }
  return shelf
}

interface ChunkFetch {
  request: ChunkRequest
  at: number
  network: PlayerNetwork
  shelf: ReturnType<typeof begunChunks>
  signal: AbortSignal
  pieces: ReturnType<typeof queueOf<Uint8Array>>
  head: ReturnType<typeof promised<RangeHead>>
}

/** Brings the chunk from `at` to its end: what was begun before, then the rest from the network. */
async function fetchChunk(chunk: ChunkFetch): Promise<void> {
  const { request, at, network, shelf, signal, pieces, head } = chunk
  const { key, kept, isOpening } = request
  const index = Math.floor(at / chunkBytes)
  const chunkStart = index * chunkBytes
  let from = at
  const earlier = shelf.find({ key, index })
  if (earlier) {
    shelf.keep(earlier)
    head.resolve(earlier.head)
    const here = earlier.data.slice(at - chunkStart, earlier.filled)
    if (here.length > 0) {
      pieces.add(here)
      from += here.length
      // They may be enough: browsers probe for the first bytes.
      await pieces.drained()
    }
    if (earlier.filled === earlier.data.length) return shelf.store(earlier)
  }
  const release = await network.take({ key, index }, signal)
  try {
    // A download may have brought it meanwhile.
    const stored = await kept.chunk(key, index)
    if (stored && request.size !== undefined)
      return pieces.add(new Uint8Array(stored).subarray(from - chunkStart))
    const soon = Math.min(from + firstBytes, chunkStart + chunkBytes) - 1
    if (isOpening) await fetchPart(chunk, from, soon)
    const size = request.size ?? (await head.promise).size
    const last = Math.min(chunkStart + chunkBytes, size) - 1
    const next = isOpening ? soon + 1 : from
    if (next <= last) await fetchPart(chunk, next, last)
  } finally {
    release()
  }
  await shelf.store(shelf.find({ key, index }))
}

/** Fetches from `start` to `end`, and fills the chunk if it is complete up to there. */
async function fetchPart(
  { request, at, network, shelf, signal, pieces, head }: ChunkFetch,
  start: number,
  end: number,
): Promise<void> {
  const { key, url, kept, isPatient, isOpening } = request
  const index = Math.floor(start / chunkBytes)
  const chunkStart = index * chunkBytes
  const own = () => shelf.find({ key, index })
  let place = start
  await fetchSteadily(
    {
      url,
      key,
      start,
      end,
      size: own()?.head.size ?? request.size,
      signal,
      isPatient: isPatient || start > at,
      isOpening: isOpening && start === at,
      onHead: (answer) => {
        head.resolve(answer)
        if (start === chunkStart && !own())
          shelf.keep({ key, index, head: answer, data: emptyChunk(index, answer.size), filled: 0, kept })
      },
      onBytes(bytes) {
        const chunk = own()
        if (chunk?.filled === place - chunkStart) {
          chunk.data.set(bytes, chunk.filled)
          chunk.filled += bytes.length
        }
        place += bytes.length
        pieces.add(bytes)
      },
    },
    network,
  )
}

function promised<Value>() {
  let resolve: (value: Value) => void = () => undefined
  let reject: (error: unknown) => void = () => undefined
  const promise = new Promise<Value>((settle, fail) => {
    resolve = settle
    reject = fail
  })
  // It may fail before anyone waits for it.
  promise.catch(() => undefined)
  return { promise, resolve, reject }
}

const emptyChunk = (index: number, size: number) =>
  new Uint8Array(Math.max(0, Math.min(chunkBytes, size - index * chunkBytes)))

/** Items that one reader awaits, in order. */
function queueOf<Item>() {
  const items: Item[] = []
  let isClosed = false
  let failure: { error: unknown } | undefined
  let wake = () => {}
  let drain = () => {}
  const drained = new Promise<void>((resolve) => (drain = resolve))
  const change = (then: () => unknown) => {
    then()
    wake()
  }
  return {
    add: (item: Item) => change(() => items.push(item)),
    close: () => change(() => (isClosed = true)),
    /** Resolves when the reader waits for more. */
    drained: () => drained,
    fail: (error: unknown) => change(() => (failure = { error })),
    async next(): Promise<Item | undefined> {
      while (items.length === 0) {
        if (failure) throw failure.error
        if (isClosed) return undefined
        drain()
        await new Promise<void>((resolve) => (wake = resolve))
      }
      return items.shift()
    },
  }
}
