import { randomBytes, randomUUID } from 'node:crypto'
import { s3Client, S3Refusal } from '../machine/storage/s3-client.ts'
import type { S3Settings } from './s3-settings.ts'

/**
 * Tries the bucket at the start: an object is written, read, read by its public address, and removed. A setting that is
 * wrong would else show with the first upload.
 *
 * @throws Error with one sentence that names the setting and the way out
 */
export async function probeBucket(settings: S3Settings): Promise<void> {
  const client = s3Client(settings, { firstDelayMs: 50 })
  const content = randomBytes(64)
  const name = `probe-${randomUUID()}`
  const key = `audio/${name}`
  const steps = {
    write: () =>
      client.put(
        { key, headers: { 'content-type': 'application/octet-stream' } },
        { bytes: content.length, read: async (buffer) => buffer.set(content) },
      ),
    async read() {
      const found = await client.stat(key)
      const chunks: Buffer[] = []
      if (found) {
        const range = { key, tag: found.tag, start: 0, end: content.length - 1 }
        for await (const chunk of await client.read(range)) chunks.push(chunk as Buffer)
      }
      if (!Buffer.concat(chunks).equals(content))
        throw new Error(`The bucket "${settings.bucket}" does not give back what was written into it.`)
    },
    list: async () => {
      for await (const object of client.list(key)) if (object.key === key) return
      throw new Error(`The bucket "${settings.bucket}" does not list what was written into it.`)
    },
    remove: () => client.remove(key),
  }
  try {
    for (const step of ['write', 'read', 'list'] as const) {
      await steps[step]().catch((error: unknown) => {
        throw new Error(sentenceFor(error, step, settings), { cause: error })
      })
    }
    if (settings.publicUrl !== undefined) await probePublic(`${settings.publicUrl}/${key}`, content)
  } finally {
    await steps.remove().catch((error: unknown) => {
      throw new Error(sentenceFor(error, 'remove', settings), { cause: error })
    })
  }
}

function sentenceFor(error: unknown, step: string, { endpoint, region, bucket }: S3Settings): string {
  if (!(error instanceof S3Refusal)) {
    const { cause } = error as Error
    const reason = (cause as Error | undefined)?.cause as { code?: string } | undefined
    if (!cause) return (error as Error).message
    const why = reason?.code ?? (cause as Error).message
    return `S3_ENDPOINT is ${endpoint}, where no object store answers (${why}). Check the address, and that the store runs.`
  }
  const { status, code } = error
  if (code === 'NoSuchBucket')
    return `S3_BUCKET is ${bucket}, which does not exist at ${endpoint}. Create it there, or set the name of another.`
  if (code === 'InvalidAccessKeyId')
    return `S3_ACCESS_KEY_ID is not known at ${endpoint}. Set a key of that store.`
  if (code === 'SignatureDoesNotMatch')
    return 'S3_SECRET_ACCESS_KEY does not belong to S3_ACCESS_KEY_ID. Set the two that were given out together.'
  if (status === 301 || ['AuthorizationHeaderMalformed', 'PermanentRedirect'].includes(code))
    return `S3_REGION is ${region}, and the bucket ${bucket} is in another one. Set the bucket's region and its S3_ENDPOINT.`
  if (code === 'RequestTimeTooSkewed')
    return 'The clock of this machine is wrong, and the object store refuses its requests. Set the clock.'
  if (status === 403)
    return `S3_ACCESS_KEY_ID may not ${step} in the bucket ${bucket} (${code || status}). Give the key rights to write, read, list and remove there.`
  return `The object store at ${endpoint} refused to ${step} in the bucket ${bucket}: ${status} ${code}. Check the S3 settings.`
}

/** Browsers load recordings from there with ranges, and read the bytes in order to keep them for offline use. */
async function probePublic(url: string, content: Buffer): Promise<void> {
  const setting = 'S3_PUBLIC_URL'
  const answer = await fetch(url, {
    headers: { origin: 'https://probe.invalid', range: 'bytes=0-31' },
    signal: AbortSignal.timeout(20_000),
  }).catch((error: unknown) => error as Error)
  if (answer instanceof Error) {
    throw new Error(`${setting} leads to ${new URL(url).host}, which cannot be reached. Check the address.`)
  }
  const body = Buffer.from(await answer.arrayBuffer())
  if (!answer.ok)
    throw new Error(
      `${setting} answers ${answer.status} for an object that is in the bucket. Let everyone read it there, or leave the setting away.`,
    )
  if (answer.status !== 206 || !body.equals(content.subarray(0, 32)))
    throw new Error(
      `${setting} does not give back the wanted range of what is in the bucket. Check the address.`,
    )
  if (answer.headers.get('access-control-allow-origin') !== '*')
    throw new Error(
      `${setting} answers without "Access-Control-Allow-Origin: *", so browsers could not save recordings. Set the CORS rules of the bucket or the CDN: any origin, GET and HEAD.`,
    )
}
