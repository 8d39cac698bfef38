import { type FileHandle, open } from 'node:fs/promises'
import { AwsClient } from 'aws4fetch'
import pRetry from 'p-retry'
import { parseXml } from '../xml.ts'

/** A bucket of an S3-compatible store. */
export interface S3Place {
  /** Its origin, such as `https://s3.example.org`; the bucket is the first part of the path. */
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

interface S3Wish {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** Without one the bucket is asked. Letters, digits, `._-` and slashes. */
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer>
}

export interface S3Requests {
  /** Sends a request once. The signal also ends the reading of its body. */
  once(wish: S3Wish, signal: AbortSignal): Promise<Response>
  /** Sends a request until it is answered, and returns the answer with its body in memory. */
  ask(wish: S3Wish): Promise<{ headers: Headers; text: string }>
  /** Repeats work after dropped lines and the store's own faults, with growing pauses. */
  retried<T>(work: () => Promise<T>): Promise<T>
}

const retries = 4
/** Milliseconds for a whole request, also for one that carries a part over a slow line. */
const requestMs = { plain: 20_000, withBody: 120_000 }

interface Waits {
  /** Milliseconds until the first retry; each further one waits twice as long. */
  readonly firstDelayMs: number
  /** Milliseconds until the head of the answer about one object. */
  readonly firstByteMs?: number
  /** Milliseconds without requests after several that were not answered. */
  readonly pauseMs?: number
}

/** Signed requests to one bucket. All may be repeated, as they are idempotent. */
export function s3Requests(
  place: S3Place,
  { firstDelayMs, firstByteMs = 3_000, pauseMs = 10_000 }: Waits,
): S3Requests {
  const { accessKeyId, secretAccessKey, region } = place
  const circuit = circuitBreaker(pauseMs)
  const signer = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3' })

  async function once(wish: S3Wish, signal: AbortSignal): Promise<Response> {
    const { method, key, query = {}, headers = {}, body } = wish
    const url = new URL(`${place.endpoint}/${place.bucket}${key === undefined ? '' : `/${key}`}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const signed = await signer.sign(url.href, {
      method,
      headers: { ...headers, ...(body && (await checksum(body))) },
      ...(body && { body }),
    })
    // Not signed: fetch adds a word to it if a range is requested.
    signed.headers.set('accept-encoding', 'identity')
    const isQuick = key !== undefined && (method === 'GET' || method === 'HEAD')
    const response = await circuit.run(() =>
      isQuick ? withFirstByte(signed, signal, firstByteMs) : fetch(signed, { signal, redirect: 'manual' }),
    )
    if (response.ok) return response
    const code = codeOf(await response.text())
    throw new S3Refusal(response.status, code, `${method} ${key ?? place.bucket}`)
  }

  const retried = <T>(work: () => Promise<T>) =>
    pRetry(work, {
      retries,
      minTimeout: firstDelayMs,
      randomize: true,
      shouldRetry: ({ error }) => isTransient(error) && !circuit.isOpen(),
    }).catch((error: Error) => {
      if (error instanceof S3Refusal) throw error
      const wasAsked = !(error instanceof LeftAlone)
      throw new S3Unreachable(`${place.endpoint} does not answer: ${error.message}`, {
        cause: wasAsked ? error : error.cause,
        wasAsked,
      })
    })

  return {
    once,
    retried,
    ask: (wish) =>
      retried(async () => {
        const response = await once(
          wish,
          AbortSignal.timeout(wish.body ? requestMs.withBody : requestMs.plain),
        )
        return { headers: response.headers, text: await response.text() }
      }),
  }
}

/** As fetch; the answer's head has to arrive in time, its body may take longer. */
async function withFirstByte(request: Request, signal: AbortSignal, ms: number): Promise<Response> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new Error(`no answer within ${ms / 1000} s`)), ms)
  try {
    return await fetch(request, { signal: AbortSignal.any([signal, late.signal]), redirect: 'manual' })
  } finally {
    clearTimeout(timer)
  }
}

/** Requests in a row that were not answered until the store is left alone. */
const mostUnanswered = 2

/**
 * After several requests were not answered, others fail with the last error for a while, so that callers do not wait for a store
 * that is down. Then one at a time is sent until one is answered.
 */
function circuitBreaker(pauseMs: number) {
  let unanswered = 0
  let last = new Error()
  let openUntil = 0
  const isOpen = () => unanswered >= mostUnanswered && performance.now() < openUntil
  return {
    isOpen,
    async run<T>(work: () => Promise<T>): Promise<T> {
      if (isOpen()) throw new LeftAlone(last.message, { cause: last })
      // The next one waits for the answer to this one.
      if (unanswered >= mostUnanswered) openUntil = performance.now() + pauseMs
      try {
        const answer = await work()
        unanswered = 0
        return answer
      } catch (error) {
        unanswered += 1
        last = error as Error
        openUntil = performance.now() + pauseMs
        throw error
      }
    },
  }
}

/** The store compares the body with its signed hash, and refuses one that was damaged on its way. */
async function checksum(body: Uint8Array<ArrayBuffer>): Promise<Record<string, string>> {
  const hash = await crypto.subtle.digest('SHA-256', body)
  return { 'x-amz-content-sha256': Buffer.from(hash).toString('hex') }
}

/** The store answered, and refused. */
export class S3Refusal extends Error {
  override readonly name = 'S3Refusal'
  readonly status: number
  /** The store's word, such as `AccessDenied`; empty if it gave none. */
  readonly code: string
  /** The request, such as `PUT audio/a.mp3`. */
  readonly what: string
  constructor(status: number, code: string, what: string) {
    super(`The object store refused ${what}: ${status} ${code}`.trim())
    this.status = status
    this.code = code
    this.what = what
  }
}

/** The store did not answer requests before this one, which was not sent. */
class LeftAlone extends Error {}

/** No answer, after all retries. */
export class S3Unreachable extends Error {
  override readonly name = 'S3Unreachable'
  /** False if the store was left alone, as it did not answer the requests before. */
  readonly wasAsked: boolean
  constructor(message: string, { wasAsked = true, ...options }: ErrorOptions & { wasAsked?: boolean } = {}) {
    super(message, options)
    this.wasAsked = wasAsked
  }
}

/** The store accepted an object, and does not have its bytes. */
export class S3Lost extends S3Unreachable {}

/** Whether a later request may be answered: there was no answer, or one of a store in trouble. */
export const isStoreDown = (error: unknown): boolean =>
  error instanceof S3Unreachable || (error instanceof S3Refusal && error.status >= 500)

/** The store's word in an error document; also some answers with status 200 are one. */
export function codeOf(text: string): string {
  if (!text.includes('<Error>')) return ''
  try {
    return parseXml(text)['Error']?.[0]?.children['Code']?.[0]?.text ?? ''
  } catch {
    return ''
  }
}

/** Whether the same request may succeed in a moment: no answer, a fault of the store, or a body damaged on its way. */
export function isTransient(error: Error): boolean {
  if (!(error instanceof S3Refusal)) return true
  if (error.status >= 500 || error.status === 408 || error.status === 429) return true
  return ['RequestTimeout', 'SlowDown', 'XAmzContentSHA256Mismatch', 'BadDigest', 'IncompleteBody'].includes(
    error.code,
  )
}

/** The source of an object's bytes. */
export interface S3Source {
  readonly bytes: number
  /** Fills the buffer from this position on; throws if there are fewer bytes. */
  read(buffer: Uint8Array<ArrayBuffer>, position: number): Promise<void>
}

/** Runs `work` with a local file as a source. */
export async function withFileSource<T>(file: string, work: (source: S3Source) => Promise<T>): Promise<T> {
  await using handle = await open(file, 'r')
  const { size } = await handle.stat()
  return await work({ bytes: size, read: (buffer, position) => fill(handle, buffer, position) })
}

async function fill(handle: FileHandle, buffer: Uint8Array, position: number): Promise<void> {
  let filled = 0
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, position + filled)
    if (bytesRead === 0) throw new Error('The file is shorter than it was.')
    filled += bytesRead
  }
}
