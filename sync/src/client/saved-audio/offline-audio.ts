import { planRange } from '../../protocol/byte-range.ts'
import { audioDatabaseName } from '../database/stored-files.ts'

/** The rows of a saved recording, as the page writes them. */
interface Kept {
  size: number
  type: string
  state: string
}

/** Reads the audio database without Dexie, for the service worker. */
export interface SavedAudio {
  recording(key: string): Promise<Kept | undefined>
  chunk(key: string, index: number): Promise<ArrayBuffer | undefined>
  /** Whether any recording is completely saved. */
  any(): Promise<boolean>
}

const chunkBytes = 1024 * 1024

/**
 * Answers '/offline-audio/<sha256>.<ext>' with exactly the range of the request: a shorter one breaks seeking in WebKit.
 * Size and type are read each time, because a service worker may be stopped between two requests.
 *
 * @param onMissing called when the browser has deleted bytes of the recording
 */
export async function answerOfflineAudio(
  request: Request,
  kept: SavedAudio,
  onMissing: (key: string) => void,
): Promise<Response> {
  const key = /\/offline-audio\/([0-9a-f]{64})\.\w+$/.exec(new URL(request.url).pathname)?.[1]
  const recording = key === undefined ? undefined : await kept.recording(key)
  if (!key || recording?.state !== 'ready') return notSaved()
  const { size, type } = recording
  const plan = planRange(request.headers.get('range'), size)
  const headers = { 'accept-ranges': 'bytes', 'content-type': type, etag: `"${key}"` }
  if (plan.status === 416) {
    return new Response(null, { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` } })
  }
  const { start, end } = plan
  const body = request.method === 'HEAD' ? null : bytesOf(kept, key, start, end, onMissing)
  return new Response(body, {
    status: plan.status,
    headers: {
      ...headers,
      'content-length': String(end - start + 1),
      ...(plan.status === 206 && { 'content-range': `bytes ${start}-${end}/${size}` }),
    },
  })
}

/** One chunk per pull: a recording is never in memory as a whole. */
function bytesOf(
  kept: SavedAudio,
  key: string,
  start: number,
  end: number,
  onMissing: (key: string) => void,
): ReadableStream<Uint8Array> {
  let at = start
  let cancelled = false
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const index = Math.floor(at / chunkBytes)
        const data = await kept.chunk(key, index)
        // A seek cancels the stream while a chunk is read; a cancelled stream takes no more.
        if (cancelled) return
        const from = at - index * chunkBytes
        const until = Math.min(end - index * chunkBytes + 1, chunkBytes)
        if (!data || data.byteLength < until) {
          onMissing(key)
          controller.error(new Error('Bytes of this recording are missing'))
          return
        }
        controller.enqueue(new Uint8Array(data, from, until - from))
        at += until - from
        if (at > end) controller.close()
      },
      cancel() {
        cancelled = true
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
    async any() {
      const rows = (await read(await database(), 'recordings', (store) => store.getAll())) as
        | Kept[]
        | undefined
      return rows?.some(({ state }) => state === 'ready') ?? false
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
