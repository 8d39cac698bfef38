import { planRange } from '../../protocol/byte-range.ts'
import { audioDatabaseName } from '../database/stored-files.ts'
import { type PlayerNetwork, playedChunks, type PlayedChunk } from './played-chunk.ts'
import { RangeRefused } from './steady-range.ts'

/** The rows of a recording, as the page writes them. */
interface Kept {
  size: number
  type: string
  state: string
  /** Bytes that are here. */
  bytes?: number
  ahead?: object
}

/** Reads and fills the audio database without Dexie, for the service worker. */
export interface SavedAudio {
  recording(key: string): Promise<Kept | undefined>
  chunk(key: string, index: number): Promise<ArrayBuffer | undefined>
  /** Stores a chunk of a recording that has a row; false if none wants it. */
  store(key: string, index: number, data: ArrayBuffer): Promise<boolean>
  /** Whether any recording is completely saved. */
  any(): Promise<boolean>
}

const chunkBytes = 1024 * 1024

/**
 * Answers '/offline-audio/<sha256>.<ext>' with exactly the range of the request: a shorter one breaks seeking in WebKit. In one
 * response come the chunks that are on this device, and from the network those that are not, which are stored. Size and type
 * are read each time, because a service worker may be stopped between two requests.
 *
 * @param network undefined: only the recordings that are whole are served
 * @param onMissing called when the browser has deleted bytes of a saved recording
 */
export async function answerOfflineAudio(
  request: Request,
  kept: SavedAudio,
  onMissing: (key: string) => void,
  network?: PlayerNetwork,
): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url)
  const key = /\/offline-audio\/([0-9a-f]{64})\.\w+$/.exec(pathname)?.[1]
  const recording = key === undefined ? undefined : await kept.recording(key)
  const isWhole = recording?.state === 'ready'
  if (!key || !(isWhole || network)) return notSaved()
  const source: Source = {
    key,
    kept,
    network,
    onMissing: () => isWhole && onMissing(key),
    url: pathname.replace('/offline-audio/', '/audio/'),
    isPatient: searchParams.has('wait'),
  }
  const asked = request.headers.get('range')
  if (recording && recording.state !== 'dropped')
    return answer(request, recording, stream(source, asked, recording))
  return answerUnknown(request, source, asked)
}

/** Before its row exists, the first bytes tell size and type. */
async function answerUnknown(request: Request, source: Source, asked: string | null): Promise<Response> {
  const start = Number(/^bytes=(\d+)-/.exec(asked ?? '')?.[1] ?? 0)
  const first = playedChunks(source.network!).begin({ ...source, isOpening: true }, start)
  try {
    const head = await first.head
    return answer(request, head, stream(source, asked, head, { chunk: first, start }))
  } catch (error) {
    first.end()
    return error instanceof RangeRefused ? notSaved() : Response.error()
  }
}

interface Source {
  key: string
  kept: SavedAudio
  network: PlayerNetwork | undefined
  onMissing: () => void
  url: string
  /** Whether it waits for the signal from its first byte on. */
  isPatient: boolean
}

interface Planned {
  plan: ReturnType<typeof planRange>
  body: () => ReadableStream<Uint8Array>
  /** If there is no body. */
  end: () => void
}

function answer(
  request: Request,
  { size, type }: Omit<Kept, 'state'>,
  { plan, body, end }: Planned,
): Response {
  const key = /([0-9a-f]{64})/.exec(request.url)![1]
  const headers = { 'accept-ranges': 'bytes', 'content-type': type, etag: `"${key}"` }
  if (plan.status === 416) {
    end()
    return new Response(null, { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` } })
  }
  const { start, end: last } = plan
  if (request.method === 'HEAD') end()
  return new Response(request.method === 'HEAD' ? null : body(), {
    status: plan.status,
    headers: {
      ...headers,
      'content-length': String(last - start + 1),
      ...(plan.status === 206 && { 'content-range': `bytes ${start}-${last}/${size}` }),
    },
  })
}

function stream(
  source: Source,
  asked: string | null,
  { size }: { size: number },
  begun?: { chunk: PlayedChunk; start: number },
): Planned {
  const plan = planRange(asked, size)
  const isOther = plan.status === 416 || plan.start !== begun?.start
  if (isOther) begun?.chunk.end()
  const first = isOther ? undefined : begun.chunk
  return {
    plan,
    end: () => first?.end(),
    body: () => bytesOf(source, { size, ...(plan as { start: number; end: number }) }, first),
  }
}

/** One chunk per pull: a recording is never in memory as a whole. */
function bytesOf(
  source: Source,
  { start, end, size }: { start: number; end: number; size: number },
  begun: PlayedChunk | undefined,
): ReadableStream<Uint8Array> {
  const { key, kept, network, onMissing } = source
  let at = start
  let cancelled = false
  let current = begun
  const fetched = async (): Promise<Uint8Array | undefined> => {
    const isFirst = at === start
    // After a stall, a short first range would cost one more round trip.
    const isOpening = isFirst && !source.isPatient
    current ??= playedChunks(network!).begin(
      { ...source, isPatient: source.isPatient || !isFirst, isOpening, size },
      at,
    )
    const bytes = await current.next()
    if (!bytes) current = undefined
    return bytes
  }
  const next = async (): Promise<Uint8Array> => {
    for (;;) {
      if (!current) {
        const index = Math.floor(at / chunkBytes)
        const data = await kept.chunk(key, index)
        const from = at - index * chunkBytes
        const until = Math.min(end - index * chunkBytes + 1, chunkBytes)
        if (data && data.byteLength >= until) return new Uint8Array(data, from, until - from)
        onMissing()
        if (!network) throw new Error('Bytes of this recording are missing')
        // A seek cancels the stream while a chunk is read.
        if (cancelled) return new Uint8Array()
      }
      const bytes = await fetched()
      if (bytes) return bytes.subarray(0, end + 1 - at)
    }
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const bytes = await next().catch((error: unknown) => {
          if (!cancelled) controller.error(error)
        })
        // A cancelled stream takes no more.
        if (cancelled || !bytes) return
        controller.enqueue(bytes)
        at += bytes.length
        if (at <= end) return
        current?.end()
        controller.close()
      },
      cancel() {
        cancelled = true
        current?.end()
      },
    },
    { highWaterMark: 0 },
  )
}

function notSaved(): Response {
  const error = 'This recording is not saved on this device.'
  return Response.json({ success: false, error, message: error, code: 'not_found' }, { status: 404 })
}

/** The page's audio database through plain IndexedDB; it is not created if it does not exist. */
export function savedAudioOnDevice(): SavedAudio {
  let connection: Promise<IDBDatabase | undefined> | undefined
  const database = () => (connection ??= open(() => (connection = undefined)))
  return {
    async recording(key) {
      return (await get(await database(), 'recordings', key)) as Kept | undefined
    },
    async chunk(key, index) {
      const row = (await get(await database(), 'chunks', [key, index])) as { data: ArrayBuffer } | undefined
      return row?.data
    },
    async store(key, index, data) {
      const current = await database()
      return current ? storeChunk(current, key, index, data) : false
    },
    async any() {
      const rows = (await read(await database(), 'recordings', (store) => store.getAll())) as
        | Kept[]
        | undefined
      return rows?.some(({ state, ahead }) => state === 'ready' && !ahead) ?? false
    },
  }
}

function open(onClosed: () => void): Promise<IDBDatabase | undefined> {
  return new Promise((resolve) => {
    const request = indexedDB.open(audioDatabaseName)
    request.onupgradeneeded = () => request.transaction?.abort()
    request.onerror = () => {
      onClosed()
      resolve(undefined)
    }
    request.onsuccess = () => {
      const database = request.result
      // A page that upgrades the database must not wait for this connection.
      database.onversionchange = () => {
        database.close()
        onClosed()
      }
      database.onclose = onClosed
      resolve(database)
    }
  })
}

const get = (database: IDBDatabase | undefined, name: string, key: IDBValidKey): Promise<unknown> =>
  read(database, name, (store) => store.get(key))

function read<Result>(
  database: IDBDatabase | undefined,
  name: string,
  ask: (store: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result | undefined> {
  return new Promise((resolve) => {
    if (!database?.objectStoreNames.contains(name)) return resolve(undefined)
    try {
      const request = ask(database.transaction(name).objectStore(name))
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => resolve(undefined)
    } catch {
      // The connection was closed in between: the recording is not here now.
      resolve(undefined)
    }
  })
}

/** Chunk and count of bytes in one transaction, as the page's downloads do it. */
function storeChunk(database: IDBDatabase, key: string, index: number, data: ArrayBuffer): Promise<boolean> {
  return new Promise((resolve) => {
    let isStored = false
    try {
      const change = database.transaction(['recordings', 'chunks'], 'readwrite')
      const [recordings, chunks] = [change.objectStore('recordings'), change.objectStore('chunks')]
      change.oncomplete = () => resolve(isStored)
      change.onabort = () => resolve(false)
      const found = recordings.get(key)
      const known = chunks.count([key, index])
      known.onsuccess = () => {
        const row = found.result as Kept | undefined
        if (!row || row.state === 'dropped') return
        isStored = true
        if (known.result > 0) return
        chunks.put({ key, index, data })
        // Of a saved recording, only bytes from its start on count.
        if (row.ahead) recordings.put({ ...row, bytes: (row.bytes ?? 0) + data.byteLength })
      }
    } catch {
      // The connection was closed in between.
      resolve(false)
    }
  })
}
