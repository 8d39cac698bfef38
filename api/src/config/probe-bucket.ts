import { randomBytes, randomUUID } from 'node:crypto'
import { s3Client } from '../machine/storage/s3-client.ts'
import { bucketFailure, publicFailures } from './bucket-failure.ts'
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
        throw new Error(bucketFailure(error, step, settings), { cause: error })
      })
    }
    if (settings.publicUrl !== undefined) await probePublic(`${settings.publicUrl}/${key}`, content)
  } finally {
    await steps.remove().catch((error: unknown) => {
      throw new Error(bucketFailure(error, 'remove', settings), { cause: error })
    })
  }
}

/** Browsers load recordings from there with ranges, and read the bytes in order to keep them for offline use. */
async function probePublic(url: string, content: Buffer): Promise<void> {
  const answer = await fetch(url, {
    headers: { origin: 'https://probe.invalid', range: 'bytes=0-31' },
    signal: AbortSignal.timeout(20_000),
  }).catch((error: unknown) => error as Error)
  if (answer instanceof Error) throw new Error(publicFailures.unreachable(new URL(url).host))
  const body = Buffer.from(await answer.arrayBuffer())
  if (!answer.ok) throw new Error(publicFailures.closed(answer.status))
  if (answer.status !== 206 || !body.equals(content.subarray(0, 32))) throw new Error(publicFailures.other)
  if (answer.headers.get('access-control-allow-origin') !== '*') throw new Error(publicFailures.ownSiteAlone)
}
