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

/**
 * Signed requests to one bucket. All may be repeated, as they are idempotent.
 *
 * @param firstDelayMs until the first retry; each further one waits twice as long
 */
export function s3Requests(place: S3Place, firstDelayMs: number): S3Requests {
  const { accessKeyId, secretAccessKey, region } = place
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
    const response = await fetch(signed, { signal, redirect: 'manual' })
    if (response.ok) return response
    const code = codeOf(await response.text())
    throw new S3Refusal(response.status, code, `${method} ${key ?? place.bucket}`)
  }

  const retried = <T>(work: () => Promise<T>) =>
    pRetry(work, {
      retries,
      minTimeout: firstDelayMs,
      randomize: true,
      shouldRetry: ({ error }) => isTransient(error),
    }).catch((error: Error) => {
      if (error instanceof S3Refusal) throw error
      throw new S3Unreachable(`${place.endpoint} does not answer: ${error.message}`, { cause: error })
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
  constructor(status: number, code: string, what: string) {
    super(`The object store refused ${what}: ${status} ${code}`.trim())
    this.status = status
    this.code = code
  }
}

/** No answer, after all retries. */
export class S3Unreachable extends Error {
  override readonly name = 'S3Unreachable'
}

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
