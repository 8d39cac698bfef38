import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { processIdentity } from './machine/process/process-identity.ts'
import { serverProgram, startServer, type ServerProcess } from './testing/server-process.ts'

vi.setConfig({ testTimeout: 60_000 })

let dataDir: string
let server: ServerProcess
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'stop-'))
  server = await startServer(dataDir)
})
afterEach(async () => {
  await server.kill()
  await rm(dataDir, { recursive: true, force: true, maxRetries: 10 })
})

/** An event stream that is open, as every page holds one. */
const openStream = () =>
  new Promise<IncomingMessage>((resolve, reject) => {
    get(`${server.url}/api/sync/events`, (answer) => resolve(answer.resume())).on('error', reject)
  })

/** The processes that a service manager signals: the server, the keeper of PostgreSQL and all of PostgreSQL. */
function processesOf(): number[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: parentOf(name) }))
  const found = [server.pid]
  // Iteration includes entries added meanwhile, so descendants are found.
  for (const known of found)
    for (const { pid, parent } of all) if (parent === known && commandLine(pid) !== '') found.push(pid)
  return found
}
const commandLine = (pid: number) => read(`/proc/${pid}/cmdline`)
const parentOf = (pid: string) => Number(read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ')[1])
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** A process of PostgreSQL's may have ended since they were listed. */
function terminate(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

test.skipIf(process.platform !== 'linux').each([
  ['the server alone', 1, () => [server.pid]],
  ['the server twice', 2, () => [server.pid]],
  ['all its processes', 1, processesOf],
  ['all its processes twice', 2, processesOf],
])(
  'SIGTERM to %s: it ends with code 0, no process left, nothing logged as an error',
  async (_, times, whom) => {
    await openStream()
    const all = processesOf()
    expect(all.map(commandLine).join()).toContain('postgres')
    const pids = whom()
    for (let time = 0; time < times; time++) for (const pid of pids) terminate(pid)
    expect(await server.ended).toBe(0)
    expect(server.printed().split('\n').slice(1).join('\n').trim()).toBe('')
    await vi.waitUntil(() => all.every((pid) => processIdentity(pid) === undefined), { timeout: 30_000 })
  },
)

test('SIGTERM while it starts: it ends with code 0, and its database was closed', async () => {
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
