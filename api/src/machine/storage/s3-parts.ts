import { parseXml } from '../xml.ts'
import { type S3Requests } from './s3-request.ts'
import { codeOf, S3Refusal } from './s3-errors.ts'
import type { S3Source } from './s3-source.ts'

export interface S3Target {
  readonly key: string
  readonly headers: Readonly<Record<string, string>>
}

/** Parts that are sent at the same time; each is in memory as a whole. */
const partsAtOnce = 3
/** Stores allow 10,000. */
const mostParts = 9_000

/** Stores an object: it appears as a whole, or not at all. In parts where it has more bytes than one. */
export async function putObject(
  requests: S3Requests,
  target: S3Target,
  source: S3Source,
  partBytes: number,
): Promise<void> {
  if (source.bytes > partBytes) return putInParts(requests, target, source, partBytes)
  const body = new Uint8Array(source.bytes)
  await source.read(body, 0)
  await requests.ask({ method: 'PUT', ...target, body })
}

async function putInParts(
  requests: S3Requests,
  { key, headers }: S3Target,
  source: S3Source,
  wantedBytes: number,
): Promise<void> {
  const partBytes = Math.max(wantedBytes, Math.ceil(source.bytes / mostParts))
  const begun = await requests.ask({ method: 'POST', key, query: { uploads: '' }, headers })
  const uploadId = parseXml(begun.text)['InitiateMultipartUploadResult']?.[0]?.children['UploadId']?.[0]?.text
  if (!uploadId) throw new S3Refusal(200, 'without an upload id', `POST ${key}`)
  try {
    const tags = await sendParts(requests, { key, uploadId }, source, partBytes)
    await complete(requests, { key, uploadId }, tags)
  } catch (error) {
    // What cannot be given up now is given up by `abortUploads` later.
    await requests.ask({ method: 'DELETE', key, query: { uploadId } }).catch(() => undefined)
    throw error
  }
}

async function sendParts(
  requests: S3Requests,
  { key, uploadId }: { key: string; uploadId: string },
  source: S3Source,
  partBytes: number,
): Promise<string[]> {
  const count = Math.ceil(source.bytes / partBytes)
  const tags: string[] = []
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
      tags[at] = headers.get('etag') ?? ''
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
  return tags
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
