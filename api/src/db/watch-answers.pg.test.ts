import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { readFileSync } from 'node:fs'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { backup } from '@fellowship/schema/backup/backup.contract'
import { system } from '@fellowship/schema/system/system.contract'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { users } from '@fellowship/schema/users/users.contract'
import { call } from '@fellowship/sync/call/call'
import { CallError } from '@fellowship/sync/call/call-error'
import { uuidv7 } from '@fellowship/sync/protocol/uuid'
import { fixture } from '../testing/multipart.ts'
import { processTree } from '../testing/process-tree.ts'
import { startServer, type ServerProcess } from '../testing/server-process.ts'
import { copyStarted } from '../testing/started-folder.ts'
import type { TestClient } from '../testing/test-client.ts'
import { tusClient } from '../testing/tus.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 })

let dataDir: string
let server: ServerProcess
beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'hang-'))
  await copyStarted(dataDir)
  server = await startServer(dataDir, { LOG_LEVEL: 'silent' })
})
afterEach(goOn)
afterAll(async () => {
  await server.stop()
  await rm(dataDir, { recursive: true, force: true, maxRetries: 10 })
})

const fields = { title: 'Hope', speaker: 'John Smith', date: '2026-11-22' }

function goOn(): void {
  for (const pid of databaseProcesses()) process.kill(pid, 'SIGCONT')
}

/** The postmaster and its children. */
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

/** More at once than the pool has connections. */
async function askAll(): Promise<void> {
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
}

async function recovers(): Promise<void> {
  goOn()
  await vi.waitUntil(async () => (await ask('/api/health/ready')).status === 200, { timeout: 30_000 })
  expect((await ask('/api/auth/login', login)).status).toBe(200)
  expect((await ask('/api/elders')).status).toBe(200)
}

test.skipIf(process.platform !== 'linux')('answers while the postmaster hangs, and recovers', async () => {
  expect((await ask('/api/teachings')).status).toBe(200)
  process.kill(databaseProcesses()[0]!, 'SIGSTOP')
  await askAll()
  await ask('/api/auth/login', login)
  await recovers()
})

/** Of a call that was answered, or refused with our own sentence; fails if no answer came within ten seconds. */
const statusOf = (attempt: Promise<unknown>): Promise<number> =>
  attempt.then(
    (answer) => (answer as { status?: number }).status ?? 200,
    (error: unknown) => {
      if (!(error instanceof CallError)) throw error
      expect(error.code).toBe('unavailable')
      return error.status
    },
  )

test.skipIf(process.platform !== 'linux')(
  'answers people, uploads and administrators during a hang, then continues',
  async () => {
    const client = await server.signIn()
    const impatient: TestClient = {
      ...client,
      fetch: (input, init) => client.fetch(input, { ...init, signal: AbortSignal.timeout(10_000) }),
    }
    const tus = tusClient(impatient, (await call(auth.csrfToken, {}, impatient)).csrfToken)
    const bytes = await fixture('cbr.mp3')
    const id = uuidv7(Date.now())
    expect((await tus.create(bytes.length, { jobId: id, filename: 'a.mp3' })).status).toBe(201)
    expect((await tus.patch(id, 0, bytes.subarray(0, 10_000))).status).toBe(204)

    for (const pid of databaseProcesses()) process.kill(pid, 'SIGSTOP')
    await askAll()
    const refused = await ask('/api/auth/login', login)
    expect(refused.status).toBe(503)
    expect(JSON.parse(refused.body)).toMatchObject({ success: false, code: 'unavailable' })
    expect((await ask('/api/health/live')).status).toBe(200)
    expect((await ask('/api/health/ready')).status).toBe(503)
    const asked = () => {
      const form = { body: fields, files: { audioFile: new File([new Uint8Array(bytes)], 'b.mp3') } }
      return Promise.all(
        [
          tus.create(bytes.length, { jobId: uuidv7(Date.now()), filename: 'c.mp3' }),
          tus.head(id),
          call(uploads.smartUpload, form, impatient),
          call(uploads.finalize, { params: { id: uuidv7(0) }, body: fields }, impatient),
          call(users.list, {}, impatient),
          call(system.info, {}, impatient),
          call(backup.prepare, {}, impatient),
        ].map(statusOf),
      )
    }
    for (let round = 0; round < 2; round++) expect(new Set(await asked())).toEqual(new Set([503]))
    await recovers()
    const { offset } = await tus.head(id)
    expect(offset).toBe(10_000)
    expect((await tus.patch(id, 10_000, bytes.subarray(10_000))).status).toBe(204)
    await call(uploads.finalize, { params: { id }, body: fields }, client)
    expect(JSON.parse((await ask('/api/teachings')).body)).toMatchObject([{ title: 'Hope' }])
  },
)
