import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll } from 'vitest'
import type { S3Place } from '../machine/storage/s3-client.ts'

/** Debian's, whose packages Swift is in; another one may come first in PATH. */
const python = '/usr/bin/python3'

/** Whether to skip the tests with a real S3 server: Swift is not installed, and not required as in CI. */
export const isSwiftMissing = (): boolean =>
  !process.env['CI'] && spawnSync(python, ['-c', 'import swift.proxy, swift.obj']).status !== 0

export interface Swift extends S3Place {
  /** Where anyone may read the bucket without S3, as behind a CDN. */
  readonly publicUrl: string
}

/** OpenStack Swift with its S3 interface and an empty bucket. Stopped after the file's tests. */
export async function startSwift(): Promise<Swift> {
  const folder = await mkdtemp(path.join(tmpdir(), 'swift-'))
  const program = path.join(import.meta.dirname, 'swift-server.py')
  const server = spawn(python, [program, folder, 'recordings'], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(server, 'exit')
  afterAll(async () => {
    server.kill('SIGKILL')
    await ended
    await rm(folder, { recursive: true, force: true })
  })
  const line = once(createInterface(server.stdout), 'line')
  const port = await Promise.race([line.then(([text]) => String(text)), ended.then(() => undefined)])
  if (port === undefined) throw new Error(`Swift ended with ${server.exitCode}.`)
  return {
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    bucket: 'recordings',
    accessKeyId: 'test:tester',
    secretAccessKey: 'testing',
    publicUrl: `http://127.0.0.1:${port}/v1/AUTH_test/recordings`,
  }
}
