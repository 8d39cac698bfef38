import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { readFileSync } from 'node:fs'
import { processTree } from '../testing/process-tree.ts'
import { startServer, type ServerProcess } from '../testing/server-process.ts'
import { copyStarted } from '../testing/started-folder.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 })

let dataDir: string
let server: ServerProcess
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'hang-'))
  await copyStarted(dataDir)
  server = await startServer(dataDir, { LOG_LEVEL: 'silent' })
})
afterEach(async () => {
  for (const pid of databaseProcesses()) process.kill(pid, 'SIGCONT')
  await server.stop()
  await rm(dataDir, { recursive: true, force: true, maxRetries: 10 })
})

/** The postmaster and its children, or the postmaster alone. */
function databaseProcesses(): number[] {
  const postmaster = Number(
    readFileSync(path.join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0],
  )
  return processTree(postmaster).map(({ pid }) => pid)
}

/** Every request is answered within ten seconds. */
const ask = async (address: string, init: RequestInit = {}) => {
  const response = await fetch(server.url + address, { ...init, signal: AbortSignal.timeout(10_000) })
  return { status: response.status, body: await response.text() }
}
const login = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ email: 'admin@example.org', password: 'a-long-sentence-only-you-know' }),
}

test.skipIf(process.platform !== 'linux').each([
  ['all of it', () => databaseProcesses()],
  ['its postmaster', () => databaseProcesses().slice(0, 1)],
])(
  'a database that hangs (%s): every answer comes, and it recovers without a restart',
  async (what, which) => {
    expect((await ask('/api/teachings')).status).toBe(200)
    for (const pid of which()) process.kill(pid, 'SIGSTOP')
    // More at once than the pool has connections.
    const addresses = [
      '/api/elders',
      '/feed.xml',
      '/api/sync?since=0',
      '/api/health/ready',
      '/',
      '/api/auth/user',
    ]
    for (let round = 0; round < 2; round++) {
      const answers = await Promise.all([
        ...addresses.flatMap((address) => [ask(address), ask(address), ask(address)]),
        ask('/api/auth/login', login),
      ])
      const wrong = answers.filter(({ status }) => ![200, 304, 503].includes(status))
      expect(wrong).toEqual([])
    }
    const refused = await ask('/api/auth/login', login)
    if (what === 'all of it') {
      expect(refused.status).toBe(503)
      expect(JSON.parse(refused.body)).toMatchObject({ success: false, code: 'unavailable' })
      expect((await ask('/api/health/live')).status).toBe(200)
      expect((await ask('/api/health/ready')).status).toBe(503)
    }
    for (const pid of databaseProcesses()) process.kill(pid, 'SIGCONT')
    await vi.waitUntil(async () => (await ask('/api/health/ready')).status === 200, { timeout: 30_000 })
    expect((await ask('/api/auth/login', login)).status).toBe(200)
    expect((await ask('/api/elders')).status).toBe(200)
  },
)
