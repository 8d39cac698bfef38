import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { parseXml, type XmlElement } from '../xml.ts'
import { readRange, type S3Range } from './s3-read.ts'
import {
  codeOf,
  S3Lost,
  type S3Place,
  S3Refusal,
  s3Requests,
  type S3Requests,
  type S3Source,
  withFileSource,
} from './s3-request.ts'

export { isStoreDown, S3Lost, S3Refusal, S3Unreachable, type S3Place } from './s3-request.ts'

export interface S3Object {
  readonly key: string
  readonly bytes: number
  readonly modifiedAt: Date
  /** The entity tag, in its quotes. */
  readonly tag: string
}

export interface S3Client {
  /**
   * Stores an object: it appears as a whole, or not at all. Then it is looked at, as an answer is no proof that the store has it.
   *
   * @throws S3Lost if the store does not have these bytes
   */
  put(target: S3Target, source: S3Source): Promise<void>
  putFile(target: S3Target, file: string): Promise<void>
  /** Undefined if there is no such object. */
  stat(key: string): Promise<S3Object | undefined>
  read(range: S3Range): Promise<Readable>
  /** Idempotent. */
  remove(key: string): Promise<void>
  list(prefix: string): AsyncIterable<S3Object>
  /** Gives up uploads in parts that were begun before `limit`: those of killed processes cost money. Returns their number. */
  abortUploads(prefix: string, limit: Date): Promise<number>
}

interface S3Options {
  /** Bytes of a part; smaller objects are sent in one piece. Most stores want at least 5 MiB. */
  partBytes?: number
  firstDelayMs?: number
  firstByteMs?: number
  pauseMs?: number
  /** Milliseconds without a byte after which a line counts as dropped. */
  silenceMs?: number
}

/** One bucket of an S3-compatible store. Requests are repeated after dropped lines and faults of the store. */
export function s3Client(
  place: S3Place,
  { partBytes = 8 * 1024 * 1024, firstDelayMs = 200, silenceMs = 30_000, ...waits }: S3Options = {},
): S3Client {
  const requests = s3Requests(place, { firstDelayMs, ...waits })
  const stat = async (key: string) => {
    const answer = await requests.ask({ method: 'HEAD', key }).catch(absent)
    return answer && describe(key, answer.headers)
  }
  const read = (range: S3Range) => readRange(requests, range, silenceMs)
  const put = async (target: S3Target, source: S3Source) => {
    const tag = await putObject(requests, target, source, partBytes)
    const stored = await stat(target.key)
    // Stores that encrypt have tags of their own; then the bytes are read back.
    if (stored?.bytes === source.bytes && (stored.tag === tag || (await hasBytesOf(source, stored, read))))
      return
    throw new S3Lost(
      `The bucket ${place.bucket} at ${place.endpoint} accepted ${target.key}, and does not have it.`,
    )
  }
  return {
    put,
    putFile: (target, file) => withFileSource(file, (source) => put(target, source)),
    stat,
    read,
    async remove(key) {
      await requests.ask({ method: 'DELETE', key }).catch(absent)
    },
    list: (prefix) => list(requests, prefix),
    abortUploads: (prefix, limit) => abortUploads(requests, prefix, limit),
  }
}

function absent(error: unknown): undefined {
  if (error instanceof S3Refusal && error.status === 404 && error.code !== 'NoSuchBucket') return undefined
  throw error
}

const describe = (key: string, headers: Headers): S3Object => ({
  key,
  bytes: Number(headers.get('content-length')),
  modifiedAt: new Date(headers.get('last-modified') ?? Number.NaN),
  tag: headers.get('etag') ?? '',
})

async function* list(requests: S3Requests, prefix: string): AsyncIterable<S3Object> {
  for (let next: string | undefined; ;) {
    const query = { 'list-type': '2', prefix, ...(next !== undefined && { 'continuation-token': next }) }
    const { text } = await requests.ask({ method: 'GET', query })
    const page = parseXml(text)['ListBucketResult']?.[0]
    for (const entry of page?.children['Contents'] ?? []) {
      yield {
        key: textOf(entry, 'Key'),
        bytes: Number(textOf(entry, 'Size')),
        modifiedAt: new Date(textOf(entry, 'LastModified')),
        tag: textOf(entry, 'ETag'),
      }
    }
    if (!page || textOf(page, 'IsTruncated') !== 'true') return
    next = textOf(page, 'NextContinuationToken')
  }
}

async function abortUploads(requests: S3Requests, prefix: string, limit: Date): Promise<number> {
  const { text } = await requests.ask({ method: 'GET', query: { uploads: '', prefix } })
  const uploads = parseXml(text)['ListMultipartUploadsResult']?.[0]?.children['Upload'] ?? []
  const old = uploads.filter((upload) => new Date(textOf(upload, 'Initiated')) < limit)
  for (const upload of old) {
    const key = textOf(upload, 'Key')
    await requests
      .ask({ method: 'DELETE', key, query: { uploadId: textOf(upload, 'UploadId') } })
      .catch(absent)
  }
  return old.length
}

const textOf = (element: XmlElement, name: string) => element.children[name]?.[0]?.text ?? ''

interface S3Target {
  readonly key: string
  readonly headers: Readonly<Record<string, string>>
}

/** Parts that are sent at the same time; each is in memory as a whole. */
const partsAtOnce = 3
/** Stores allow 10,000. */
const mostParts = 9_000

/** Whether an object has the bytes of the source. */
async function hasBytesOf(
  source: S3Source,
  { key, tag }: S3Object,
  read: (range: S3Range) => Promise<Readable>,
): Promise<boolean> {
  let at = 0
  if (source.bytes > 0)
    for await (const chunk of await read({ key, tag, start: 0, end: source.bytes - 1 })) {
      const bytes = chunk as Buffer
      const own = new Uint8Array(bytes.length)
      await source.read(own, at)
      if (!bytes.equals(own)) return false
      at += bytes.length
    }
  return at === source.bytes
}

const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest()

/**
 * Stores an object: it appears as a whole, or not at all. In parts if it has more bytes than one.
 *
 * @returns the tag of an object with these bytes, for stores whose tags are made from them
 */
async function putObject(
  requests: S3Requests,
  target: S3Target,
  source: S3Source,
  partBytes: number,
): Promise<string> {
  if (source.bytes > partBytes) return putInParts(requests, target, source, partBytes)
  const body = new Uint8Array(source.bytes)
  await source.read(body, 0)
  await requests.ask({ method: 'PUT', ...target, body })
  return `"${md5(body).toString('hex')}"`
}

async function putInParts(
  requests: S3Requests,
  { key, headers }: S3Target,
  source: S3Source,
  wantedBytes: number,
): Promise<string> {
  const partBytes = Math.max(wantedBytes, Math.ceil(source.bytes / mostParts))
  const begun = await requests.ask({ method: 'POST', key, query: { uploads: '' }, headers })
  const uploadId = parseXml(begun.text)['InitiateMultipartUploadResult']?.[0]?.children['UploadId']?.[0]?.text
  if (!uploadId) throw new S3Refusal(200, 'without an upload id', `POST ${key}`)
  try {
    const parts = await sendParts(requests, { key, uploadId }, source, partBytes)
    const tags = parts.map(({ tag }) => tag)
    await complete(requests, { key, uploadId }, tags)
    return `"${md5(Buffer.concat(parts.map(({ sum }) => sum))).toString('hex')}-${parts.length}"`
  } catch (error) {
    // Parts that cannot be given up now are given up by `abortUploads` later.
    await requests.ask({ method: 'DELETE', key, query: { uploadId } }).catch(() => undefined)
    throw error
  }
}

async function sendParts(
  requests: S3Requests,
  { key, uploadId }: { key: string; uploadId: string },
  source: S3Source,
  partBytes: number,
): Promise<{ tag: string; sum: Buffer }[]> {
  const count = Math.ceil(source.bytes / partBytes)
  const parts: { tag: string; sum: Buffer }[] = []
  let next = 0
  let isOver = false
  const sender = async () => {
    // One for all of its parts: garbage of this size would be collected late.
    const buffer = new Uint8Array(partBytes)
    while (next < count && !isOver) {
      const at = next++
      const body = buffer.subarray(0, Math.min(partBytes, source.bytes - at * partBytes))
      await source.read(body, at * partBytes)
      const query = { partNumber: String(at + 1), uploadId }
      const { headers } = await requests.ask({ method: 'PUT', key, query, body })
      parts[at] = { tag: headers.get('etag') ?? '', sum: md5(body) }
    }
  }
  const senders = Array.from({ length: partsAtOnce }, sender)
  try {
    await Promise.all(senders)
  } finally {
    // None may still send when the upload is given up.
    isOver = true
    await Promise.allSettled(senders)
  }
  return parts
}

async function complete(
  requests: S3Requests,
  { key, uploadId }: { key: string; uploadId: string },
  tags: readonly string[],
): Promise<void> {
  const parts = tags.map(
    (tag, at) =>
      `<Part><PartNumber>${at + 1}</PartNumber><ETag>${tag.replaceAll('"', '&quot;')}</ETag></Part>`,
  )
  const body = new TextEncoder().encode(
    `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`,
  )
  let asked = 0
  await requests.retried(async () => {
    asked += 1
    try {
      const response = await requests.once({ method: 'POST', key, query: { uploadId }, body }, completing())
      // The head was sent before the store knew whether it would succeed.
      const code = codeOf(await response.text())
      if (code !== '') throw new S3Refusal(500, code, `POST ${key}`)
    } catch (error) {
      // The first answer was lost, and the upload is complete.
      if (asked > 1 && error instanceof S3Refusal && error.code === 'NoSuchUpload') return
      throw error
    }
  })
}

/** Stores that put the parts together take minutes for large objects. */
const completing = () => AbortSignal.timeout(10 * 60_000)
