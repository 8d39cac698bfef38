import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll } from 'vitest'
import type { S3Place } from '../machine/storage/s3-client.ts'

/** Whether to skip the tests with a real S3 server: Swift is not installed, and not required as in CI. */
export const isSwiftMissing = (): boolean =>
  !process.env['CI'] && spawnSync(python, ['-c', 'import swift.proxy, swift.obj']).status !== 0

/** Swift as `openSwift` has it. Stopped after the file's tests. */
export async function startSwift(options?: { clockSkewSeconds?: number }): Promise<Swift> {
  const swift = await openSwift(options)
  afterAll(swift.stop)
  return swift
}

/** Debian's, whose packages Swift is in; another one may come first in PATH. */
const python = '/usr/bin/python3'

type S3Setting = 'ENDPOINT' | 'BUCKET' | 'ACCESS_KEY_ID' | 'SECRET_ACCESS_KEY'

export interface Swift extends S3Place {
  /** The public address of the bucket, without S3, as behind a CDN. */
  readonly publicUrl: string
  /** The bucket as settings of the product. */
  readonly forRecordings: Record<`S3_${S3Setting}`, string>
  /** Another bucket, as settings of the product. */
  readonly forBackups: Record<`BACKUP_S3_${S3Setting}`, string>
  /** It accepts connections and answers none until `resume`. */
  pause(): void
  resume(): void
}

/**
 * OpenStack Swift with its S3 interface and two empty buckets.
 *
 * @param clockSkewSeconds by how much the clock of a caller may be wrong; S3's own quarter of an hour unless given
 */
async function openSwift({ clockSkewSeconds = 900 } = {}): Promise<Swift & { stop: () => Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'swift-'))
  const program = path.join(import.meta.dirname, 'swift-server.py')
  const [bucket, backups] = ['recordings', 'backups']
  const args = [program, folder, bucket, backups, String(clockSkewSeconds)]
  const server = spawn(python, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(server, 'exit')
  const stop = async () => {
    server.kill('SIGKILL')
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  const line = once(createInterface(server.stdout), 'line')
  const port = await Promise.race([line.then(([text]) => String(text)), ended.then(() => undefined)])
  if (port === undefined) {
    await stop()
    throw new Error(`Swift ended with ${server.exitCode}.`)
  }
  const endpoint = `http://127.0.0.1:${port}`
  const [accessKeyId, secretAccessKey] = ['test:tester', 'testing']
  return {
    endpoint,
    region: 'us-east-1',
    bucket,
    accessKeyId,
    secretAccessKey,
    publicUrl: `${endpoint}/v1/AUTH_test/${bucket}`,
    forRecordings: {
      S3_ENDPOINT: endpoint,
      S3_BUCKET: bucket,
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: secretAccessKey,
    },
    forBackups: {
      BACKUP_S3_ENDPOINT: endpoint,
      BACKUP_S3_BUCKET: backups,
      BACKUP_S3_ACCESS_KEY_ID: accessKeyId,
      BACKUP_S3_SECRET_ACCESS_KEY: secretAccessKey,
    },
    pause: () => void server.kill('SIGSTOP'),
    resume: () => void server.kill('SIGCONT'),
    stop,
  }
}
