import type { Readable } from 'node:stream'
import { DataStore, ERRORS, Server, Upload, type Lock } from '@tus/server'
import { Problem, type ProblemCode } from '@fellowship/schema/problem'
import type { ReleasableLock } from './concurrency.ts'
import { isDiskFull, type PartialFiles } from './storage/storage.ts'

/** A client's announcement when it created an upload. */
export interface Announced {
  id: string
  bytes: number
  metadata: Record<string, string | null>
}

/** An upload and its state. done: received and published · gone: cancelled. */
interface KnownUpload extends Announced {
  state: 'open' | 'done' | 'gone'
}

export interface TusOptions {
  /** Path of the mount. */
  path: string
  maxBytes: number
  files: PartialFiles
  /** Held during every request about an upload. */
  lock: ReleasableLock
  /** The id of a new upload, from its metadata. */
  nameOf: (metadata: Record<string, string | null>) => string
  /** Called under the lock. */
  find: (id: string) => Promise<KnownUpload | undefined>
  /** A client cancels an upload; called under the lock. */
  cancel: (id: string) => Promise<void>
  /** The last byte arrived; called after the lock was released. */
  onArrived: (id: string) => Promise<void>
  /** Maps errors of the hooks and of the disk. */
  asProblem: (error: unknown) => Problem
}

/** The protocol of resumable uploads, tus 1.0.0 (tus.io/protocols/resumable-upload), over the storage port and the database. */
export interface Tus {
  /** @param begin called for a new upload before any byte is stored; an error it throws refuses it */
  handle(request: Request, begin: (announced: Announced) => Promise<void>): Promise<Response>
}

export function tusServer(options: TusOptions): Tus {
  const { path, maxBytes, lock, nameOf, onArrived, asProblem } = options
  const begins = new WeakMap<object, (announced: Announced) => Promise<void>>()
  const server = new Server({
    path,
    datastore: new PartialFileStore(options),
    maxSize: maxBytes,
    relativeLocation: true,
    locker: { newLock: (id) => lockOf(lock, id) },
    lockDrainTimeout: drainMs,
    namingFunction: (_request, metadata = {}) => nameOf(metadata),
    async onUploadCreate(request, { id, size, metadata = {} }) {
      await begins.get(request)!({ id, bytes: size!, metadata })
      return {}
    },
    async onUploadFinish(_request, { id }) {
      try {
        await onArrived(id)
      } catch (error) {
        throw new AtLastByte(asProblem(error))
      }
      return {}
    },
    onResponseError(request, error) {
      // A request that was broken off is no error, and its answer is never read.
      const problem = request.signal.aborted ? new Problem('upload_busy') : problemOf(error)
      if (!problem) return undefined
      // A tus client takes 409 for a wrong offset and would retry sending.
      const status = error instanceof AtLastByte && problem.status === 409 ? 422 : problem.status
      return { status_code: status, body: JSON.stringify(problem.toBody()) }
    },
  })
  /** The library's own refusals are plain objects, mapped to Problems below. */
  function problemOf(error: Error | { status_code: number; body: string }): Problem | undefined {
    if (error instanceof AtLastByte) return error.problem
    if (error instanceof Error && !('status_code' in error)) return asProblem(error)
    if (error === ERRORS.ERR_SIZE_EXCEEDED)
      return new Problem(
        'too_large',
        'These are more bytes than the upload was begun with. Choose the file again.',
      )
    return error === ERRORS.ABORTED ? new Problem('upload_busy') : undefined
  }

  return {
    async handle(request, begin) {
      begins.set(request, begin)
      return inProductWords(await server.handleWeb(request))
    },
  }
}

/** How long a request may still store received bytes once another one waits for the lock. */
const drainMs = 500
/** How long a request waits for the lock of its upload. */
const waitMs = 10_000

class PartialFileStore extends DataStore {
  readonly #options: Pick<TusOptions, 'files' | 'find' | 'cancel'>

  constructor(options: Pick<TusOptions, 'files' | 'find' | 'cancel'>) {
    super()
    this.#options = options
    this.extensions = ['creation', 'creation-with-upload', 'termination']
  }

  /** The database row is the upload; its file is created with the first byte, so a repeated creation truncates nothing. */
  override create(upload: Upload): Promise<Upload> {
    return Promise.resolve(upload)
  }

  override async getUpload(id: string): Promise<Upload> {
    const found = await this.#options.find(id)
    if (!found) throw new Problem('not_found', 'There is no such upload.')
    if (found.state === 'gone') throw new Problem('upload_gone')
    const offset = found.state === 'done' ? found.bytes : await this.#options.files.size(id)
    return new Upload({ id, size: found.bytes, offset, metadata: found.metadata })
  }

  override async write(source: Readable, id: string): Promise<number> {
    try {
      return await this.#options.files.append(id, source)
    } catch (error) {
      throw isDiskFull(error) ? new Problem('disk_full') : error
    }
  }

  override remove(id: string): Promise<void> {
    return this.#options.cancel(id)
  }
}

/** Replaces the library's own lock, which polls and keeps a core busy while a request waits. */
function lockOf(lock: ReleasableLock, id: string): Lock {
  let release = () => {}
  return {
    async lock(signal, cancel) {
      const over = new AbortController()
      const abort = () => over.abort()
      const late = setTimeout(abort, waitMs)
      signal.addEventListener('abort', abort)
      try {
        release = await lock.take(id, () => void cancel(), over.signal)
      } catch (error) {
        throw over.signal.aborted ? new Problem('upload_busy') : error
      } finally {
        clearTimeout(late)
        signal.removeEventListener('abort', abort)
      }
    },
    unlock() {
      release()
      return Promise.resolve()
    },
  }
}

/** The complete file was refused. */
class AtLastByte extends Error {
  override readonly name = 'AtLastByte'
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.message)
    this.problem = problem
  }
}

const codes: Readonly<Record<number, ProblemCode>> = {
  403: 'invalid_input',
  404: 'not_found',
  409: 'upload_offset',
  410: 'upload_gone',
  412: 'upload_protocol',
  413: 'too_large',
}

/** Failures in the common shape, without CORS headers: other sites may not read answers. */
async function inProductWords(answer: Response): Promise<Response> {
  const headers = new Headers(answer.headers)
  for (const name of answer.headers.keys()) if (name.startsWith('access-control-')) headers.delete(name)
  headers.set('cache-control', 'no-store')
  if (answer.status < 400) return new Response(answer.body, { status: answer.status, headers })
  const text = await answer.text()
  if (answer.status === 412) headers.set('tus-version', '1.0.0')
  const code = codes[answer.status] ?? 'invalid_input'
  const body = text.startsWith('{')
    ? text
    : JSON.stringify((code === 'invalid_input' ? new Problem(code, text.trim()) : new Problem(code)).toBody())
  headers.set('content-type', 'application/json; charset=utf-8')
  headers.set('content-length', String(Buffer.byteLength(body)))
  const { retryAfter } = JSON.parse(body) as { retryAfter?: number }
  if (typeof retryAfter === 'number') headers.set('retry-after', String(retryAfter))
  return new Response(body, { status: answer.status, headers })
}
