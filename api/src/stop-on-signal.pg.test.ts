import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { processTree, signalAll, stillRunning, type ListedProcess } from './testing/process-tree.ts'
import { serverProgram, startServer, type ServerProcess } from './testing/server-process.ts'
import { copyStarted } from './testing/started-folder.ts'

vi.setConfig({ testTimeout: 300_000 })

let dataDir: string
let server: ServerProcess
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'stop-'))
  await copyStarted(dataDir)
  server = await startServer(dataDir)
})
afterEach(async () => {
  await server.kill()
  await rm(dataDir, { recursive: true, force: true, maxRetries: 10 })
})

/** An open event stream, as every page has one. */
const openStream = () =>
  new Promise<IncomingMessage>((resolve, reject) => {
    get(`${server.url}/api/sync/events`, (answer) => resolve(answer.resume())).on('error', reject)
  })

/** One signal alone, which the cases with two send too: in the nightly run. */
const single: [string, number, (all: ListedProcess[]) => ListedProcess[]][] = process.env['LONG_JOURNEYS']
  ? [
      ['the server alone', 1, (all) => all.slice(0, 1)],
      ['all its processes', 1, (all) => all],
    ]
  : []

// A service manager signals the server, the keeper of PostgreSQL, and every process of PostgreSQL.
test
  .skipIf(process.platform !== 'linux')
  .each([
    ...single,
    ['the server twice', 2, (all: ListedProcess[]) => all.slice(0, 1)],
    ['all its processes twice', 2, (all: ListedProcess[]) => all],
  ])('SIGTERM to %s ends everything with code 0', async (_, times, whom) => {
  await openStream()
  const all = processTree(server.pid)
  expect(all.map(({ command }) => command).join()).toContain('postgres')
  for (let time = 0; time < times; time++) signalAll(whom(all), 'SIGTERM')
  const code = await server.ended
  // If the server failed, its reason comes first.
  expect(server.printed().split('\n').slice(1).join('\n').trim()).toBe('')
  expect(code).toBe(0)
  await expect.poll(() => stillRunning(all), { timeout: 30_000 }).toEqual([])
})

test('SIGTERM during the start ends cleanly', async () => {
  await server.stop()
  const { PATH } = process.env
  const env = {
    PATH,
    DATA_DIR: dataDir,
    PORT: '0',
    SFTP_HOST: '127.0.0.1',
    SFTP_PORT: '0',
    LOG_LEVEL: 'error',
  }
  const child = spawn(process.execPath, serverProgram, { env, cwd: path.join(import.meta.dirname, '..') })
  const ended = once(child, 'exit')
  const postmaster = path.join(dataDir, 'postgres/data/postmaster.pid')
  try {
    await vi.waitUntil(() => existsSync(postmaster), { timeout: 30_000 })
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
    await vi.waitUntil(() => !existsSync(postmaster), { timeout: 30_000 })
  } finally {
    child.kill('SIGKILL')
  }
})
