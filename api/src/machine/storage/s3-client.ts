import type { Readable } from 'node:stream'
import { parseXml, type XmlElement } from '../xml.ts'
import { putObject, type S3Target } from './s3-parts.ts'
import { readRange, type S3Range } from './s3-read.ts'
import { s3Requests, type S3Place, type S3Requests } from './s3-request.ts'
import { S3Refusal } from './s3-errors.ts'
import { withFileSource, type S3Source } from './s3-source.ts'

export { type S3Place } from './s3-request.ts'
export { S3Refusal, S3Unreachable } from './s3-errors.ts'

export interface S3Object {
  readonly key: string
  readonly bytes: number
  readonly modifiedAt: Date
  /** The entity tag, in its quotes. */
  readonly tag: string
}

export interface S3Client {
  /** Stores an object: it appears as a whole, or not at all. */
  put(target: S3Target, source: S3Source): Promise<void>
  putFile(target: S3Target, file: string): Promise<void>
  /** Undefined where there is no such object. */
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
  /** Milliseconds without a byte after which a line counts as dropped. */
  silenceMs?: number
}

/** One bucket of an S3-compatible store. Requests are repeated after dropped lines and faults of the store. */
export function s3Client(
  place: S3Place,
  { partBytes = 8 * 1024 * 1024, firstDelayMs = 200, silenceMs = 30_000 }: S3Options = {},
): S3Client {
  const requests = s3Requests(place, firstDelayMs)
  const put = (target: S3Target, source: S3Source) => putObject(requests, target, source, partBytes)
  return {
    put,
    putFile: (target, file) => withFileSource(file, (source) => put(target, source)),
    async stat(key) {
      const answer = await requests.ask({ method: 'HEAD', key }).catch(absent)
      return answer && describe(key, answer.headers)
    },
    read: (range) => readRange(requests, range, silenceMs),
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
