import { randomBytes, randomUUID } from 'node:crypto'
import { accessSync, constants, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { isStoreDown, s3Client, S3Lost, S3Refusal } from '../machine/storage/s3-client.ts'
import type { Config } from './config.ts'
import type { S3Settings } from './s3-settings.ts'

/**
 * Checks of the settings that need the machine, before anything is started: whether DATA_DIR can be written, and
 * whether the addresses are of this machine; that of SFTP would else show on Sunday; and whether the bucket can be used.
 *
 * @returns a sentence if the bucket does not answer: without it people still read, and play recordings of the disk
 * @throws the system's error, for `startFailure`, or an Error with a sentence
 */
export async function checkMachine(config: Config): Promise<string[]> {
  makeFolder(config.dataDir)
  const writable = constants.R_OK | constants.W_OK | constants.X_OK
  accessSync(config.dataDir, writable)
  for (const entry of readdirSync(config.dataDir, { withFileTypes: true })) {
    // The database's folder belongs to PostgreSQL's user; its start checks that.
    if (entry.isDirectory() && entry.name !== 'postgres') {
      accessSync(path.join(config.dataDir, entry.name), writable)
    }
  }
  checkAuthority(config)
  await tryAddress(config.http.host, config.http.port)
  await tryAddress(config.sftp.host, 0)
  if (!config.s3) return []
  return await probeBucket(config.s3).then(
    () => [],
    (error: unknown) => {
      if (!(error instanceof BucketAway)) throw error
      return [`${error.message} ${untilThen}`]
    },
  )
}

function checkAuthority({ databaseUrl, database: { caFile } }: Config): void {
  if (databaseUrl === undefined || caFile === undefined) return
  let text: string
  try {
    text = readFileSync(caFile, 'utf8')
  } catch (error) {
    // Reading a folder fails without its path.
    throw Object.assign(error as NodeJS.ErrnoException, { path: caFile })
  }
  // Node accepts any file, and then trusts no certificate.
  if (!/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/.test(text)) {
    throw new Error(
      `DATABASE_CA is ${caFile}, which has no certificate in it. Set the path of a file that begins with -----BEGIN CERTIFICATE-----.`,
    )
  }
}

/** Level by level: Node's recursive one never returns below /proc, which loses each new level again. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(path.dirname(folder))
  mkdirSync(folder)
}

/** Listens there, and stops; port 0 is any. */
async function tryAddress(host: string, port: number): Promise<void> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  await new Promise((resolve) => server.close(resolve))
}

/** A sentence for each setting that is odd without stopping the start. */
export async function oddSettings(config: Config): Promise<string[]> {
  const odd: string[] = []
  const { folder } = config.weeklyBackup
  if (folder !== undefined && !canWrite(folder)) {
    odd.push(
      `BACKUP_DIR is ${folder}, where this user cannot write: no backup is kept there until it can. ` +
        'Mount the disk, or give the folder to that user; with the systemd unit, name it in ReadWritePaths= too.',
    )
  }
  const { host, port } = config.sftp
  // The site runs without it, and another process of the same database may be the one that has it.
  await tryAddress(host, port).catch((error: NodeJS.ErrnoException) => {
    const why =
      error.code === 'EADDRINUSE'
        ? 'which another program on this machine has: recordings cannot be sent here until it is free. Stop that one, or set another'
        : 'for which this user has no rights: recordings cannot be sent here. Set one above 1023'
    odd.push(`SFTP_PORT is ${port}, ${why}: SFTP_PORT=${port < 1024 ? 2222 : port + 1}`)
  })
  if (config.backupS3) {
    await probeBucket(config.backupS3).catch((error: Error) =>
      odd.push(`${error.message.replaceAll(/\bS3_/g, 'BACKUP_S3_')} No backup is kept there until then.`),
    )
  }
  return odd
}

function canWrite(folder: string): boolean {
  // It is made with the first backup.
  let existing = folder
  while (!existsSync(existing)) existing = path.dirname(existing)
  // Root may write anywhere but below /proc and /sys.
  if (/^\/(proc|sys)(\/|$)/.test(existing)) return false
  try {
    accessSync(existing, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Tries the bucket at the start: an object is written, read, read by its public address, and removed. A setting that is
 * wrong would else show with the first upload.
 *
 * @throws Error with one sentence that names the setting and the way out; `BucketAway` if the store does not answer
 */
export async function probeBucket(settings: S3Settings): Promise<void> {
  const client = s3Client(settings, { firstDelayMs: 50 })
  const content = randomBytes(64)
  const name = `probe-${randomUUID()}`
  const key = `audio/${name}`
  const steps = {
    // Within seconds, unlike an object. Refusals of this request come without a reason.
    async ask() {
      await client.stat(key).catch((error: unknown) => {
        if (isStoreDown(error)) throw error
      })
    },
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
    for (const step of ['ask', 'write', 'read', 'list'] as const) {
      await steps[step]().catch((error: unknown) => {
        throw bucketFault(error, step, settings)
      })
    }
    if (settings.publicUrl !== undefined) await probePublic(`${settings.publicUrl}/${key}`, content)
  } finally {
    await steps.remove().catch((error: unknown) => {
      throw bucketFault(error, 'remove', settings)
    })
  }
}

/** What a start that goes on says besides. */
export const untilThen = 'Until then recordings in the bucket do not play.'

/** The store, or the public address of the bucket, does not answer at present. */
class BucketAway extends Error {}

function bucketFault(cause: unknown, step: string, settings: S3Settings): Error {
  // An object that was written is looked at, too.
  const refused = cause instanceof S3Refusal && /^(?:HEAD|GET) audio/.test(cause.what) ? 'read' : step
  const sentence = bucketFailure(cause, refused, settings)
  // A store that loses objects, or does not know a request, does so tomorrow too.
  const isLasting = cause instanceof S3Lost || (cause instanceof S3Refusal && cause.code === 'NotImplemented')
  return isStoreDown(cause) && !isLasting
    ? new BucketAway(sentence, { cause })
    : new Error(sentence, { cause })
}

/** Browsers load recordings from there with ranges, and read the bytes in order to keep them for offline use. */
async function probePublic(url: string, content: Buffer): Promise<void> {
  const answer = await fetch(url, {
    headers: { origin: 'https://probe.invalid', range: 'bytes=0-31' },
    signal: AbortSignal.timeout(20_000),
  }).catch((error: unknown) => error as Error)
  if (answer instanceof Error) throw new BucketAway(publicFailures.unreachable(new URL(url).host))
  const body = Buffer.from(await answer.arrayBuffer())
  if (answer.status >= 500) throw new BucketAway(publicFailures.closed(answer.status))
  if (!answer.ok) throw new Error(publicFailures.closed(answer.status))
  if (answer.status !== 206 || !body.equals(content.subarray(0, 32))) throw new Error(publicFailures.other)
  if (answer.headers.get('access-control-allow-origin') !== '*') throw new Error(publicFailures.ownSiteAlone)
}

/** Why the bucket cannot be used, and the way out, for the error of a step of its probe. */
export function bucketFailure(
  error: unknown,
  step: string,
  { endpoint, region, bucket }: S3Settings,
): string {
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

/** The fault of the address at which everyone reads the bucket. */
export const publicFailures = {
  unreachable: (host: string) =>
    `S3_PUBLIC_URL leads to ${host}, which cannot be reached. Check the address.`,
  closed: (status: number) =>
    `S3_PUBLIC_URL answers ${status} for an object that is in the bucket. Let everyone read it there, or leave the setting away.`,
  other: 'S3_PUBLIC_URL does not give back the wanted range of what is in the bucket. Check the address.',
  ownSiteAlone:
    'S3_PUBLIC_URL answers without "Access-Control-Allow-Origin: *", so browsers could not save recordings. Set the CORS rules of the bucket or the CDN: any origin, GET and HEAD.',
}
