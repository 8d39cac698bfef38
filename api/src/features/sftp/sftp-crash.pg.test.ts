import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { sftp } from '@fellowship/schema/sftp/sftp.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { inbox } from '@fellowship/schema/inbox/inbox.contract'
import { call } from '@fellowship/sync/call/call'
import { longWav } from '../../testing/multipart.ts'
import { holdCommits, holdLock, holdWriters, releaseCommits } from '../../testing/server-database.ts'
import { startServer, type ServerProcess } from '../../testing/server-process.ts'
import { connectClient } from '../../testing/sftp-client.ts'
import { copyStarted } from '../../testing/started-folder.ts'

// The server is killed and started again in each test.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 })

let dataDir: string
let server: ServerProcess
beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'sftp-crash-'))
  await copyStarted(dataDir)
  server = await startServer(dataDir)
})
// If a test failed, it may have left commits or locks held.
afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') await killAndStart()
})
afterAll(async () => {
  await server?.stop()
  await rm(dataDir, { recursive: true, force: true })
})

const bytes = 400_000
const half = bytes / 2
const files = (folder: 'sftp-staging' | 'inbox' | 'staging' | 'audio') => readdir(path.join(dataDir, folder))
const nameOf = (title: string) => `2026-11-22_Sam-Desk"${title}".wav`
const titled = async (title: string) =>
  (await call(teachings.list, {}, { fetch, base: server.url })).filter((teaching) => teaching.title === title)
/** Waits until a folder has `count` files. */
const comesTo = (folder: Parameters<typeof files>[0], count: number) =>
  expect.poll(() => files(folder), { timeout: 30_000 }).toHaveLength(count)
const sha256 = (data: Uint8Array) => createHash('sha256').update(data).digest('hex')

let made = 0
const recording = () => Buffer.concat([...longWav(bytes, (made += 1))])

/** Opens the server and signs an SFTP client in. */
async function desk() {
  const admin = await server.signIn()
  await call(sftp.start, {}, admin)
  const { port, username, password } = await call(sftp.credentials, {}, admin)
  const { connection, ask } = await connectClient({ port, username, password })
  // The server is killed while the client is connected.
  connection.on('error', () => undefined)
  return {
    open: (name: string, flags: 'w' | 'r+') => ask<Buffer>((s, done) => s.open(`/${name}`, flags, done)),
    write: (handle: Buffer, data: Buffer, from: number, to: number) =>
      ask((s, done) => s.write(handle, data, from, to - from, from, done)),
    close: (handle: Buffer) => ask((s, done) => s.close(handle, done)),
    bytesOf: (name: string) =>
      ask<{ size: number }>((s, done) => s.stat(`/${name}`, done as never)).then(({ size }) => size),
  }
}

/** Sends a whole file and returns the function that closes it, so that the caller can interrupt the import. */
async function beforeClose(title: string, data: Buffer) {
  const program = await desk()
  const handle = await program.open(nameOf(title), 'w')
  await program.write(handle, data, 0, bytes)
  return () => void program.close(handle).catch(() => undefined)
}

async function killAndStart(beside?: { end(): Promise<void> }): Promise<void> {
  await server.kill()
  await beside?.end()
  await releaseCommits(dataDir)
  server = await startServer(dataDir)
}

/** Expects one teaching with the whole recording, and no other file of it. */
async function expectOnce(title: string, data: Buffer): Promise<void> {
  await expect.poll(() => titled(title), { timeout: 30_000 }).toHaveLength(1)
  const [teaching] = await titled(title)
  expect(sha256(await readFile(path.join(dataDir, teaching!.audioUrl!.slice(1))))).toBe(sha256(data))
  await comesTo('inbox', 0)
  expect([await files('sftp-staging'), await files('staging')]).toEqual([[], []])
  expect(await files('audio')).toHaveLength(
    (await call(teachings.list, {}, { fetch, base: server.url })).length,
  )
  expect((await call(inbox.list, {}, await server.signIn())).items).toEqual([])
}

/** The rest of a file that its client resumes from the size on the server, not from its own count. */
async function resume(program: Awaited<ReturnType<typeof desk>>, title: string, data: Buffer) {
  const there = await program.bytesOf(nameOf(title))
  const rest = await program.open(nameOf(title), 'r+')
  if (there < bytes) await program.write(rest, data, there, bytes)
  await program.close(rest)
  return there
}

test('a kill leaves a resumable part, and a file that is closed before its Inbox row', async () => {
  const [data, closed] = [recording(), recording()]
  const close = await beforeClose('Closed', closed)
  const program = await desk()
  const handle = await program.open(nameOf('Half way'), 'w')
  await program.write(handle, data, 0, half)
  // Writes are acknowledged before they are on the disk, so that the client asks for the size there.
  const part = path.join(dataDir, 'sftp-staging', nameOf('Half way'))
  await expect.poll(async () => (await stat(part)).size).toBeGreaterThan(0)
  const lock = await holdLock(dataDir, 'lock table inbox in access exclusive mode')
  close()
  await killAndStart(lock)
  expect(await titled('Half way')).toEqual([])
  expect((await files('sftp-staging')).toSorted()).toEqual([nameOf('Closed'), nameOf('Half way')])
  const again = await desk()
  const there = await resume(again, 'Half way', data)
  expect(there).toBeGreaterThan(0)
  expect(there).toBeLessThanOrEqual(half)
  await resume(again, 'Closed', closed)
  await expectOnce('Half way', data)
  await expectOnce('Closed', closed)
})

test('SIGTERM leaves a resumable part, and publishes a closed recording once', async () => {
  const [data, closed] = [recording(), recording()]
  const close = await beforeClose('Closed and stopped', closed)
  const program = await desk()
  const handle = await program.open(nameOf('Stopped'), 'w')
  await program.write(handle, data, 0, half)
  const writing = program.write(handle, data, half, bytes).catch(() => undefined)
  close()
  expect(await server.stop()).toBe(0)
  await writing
  expect(server.printed().split('\n').slice(1).join('')).toBe('')
  expect(await files('staging')).toEqual([])
  server = await startServer(dataDir)
  const again = await desk()
  expect(await resume(again, 'Stopped', data)).toBeGreaterThanOrEqual(half)
  // If the stop came first, the client has no answer and closes the file again.
  if ((await files('sftp-staging')).length > 0) await resume(again, 'Closed and stopped', closed)
  await expectOnce('Closed and stopped', closed)
  await expectOnce('Stopped', data)
})

test('a kill before the move publishes once', async () => {
  const data = recording()
  const close = await beforeClose('Noted', data)
  const commits = await holdCommits(dataDir, /insert into inbox/)
  close()
  await commits.said('waiting')
  expect([await files('sftp-staging'), await files('inbox')]).toEqual([[nameOf('Noted')], []])
  await killAndStart(commits)
  await expectOnce('Noted', data)
})

// Its state is one that the next test goes through as well.
if (process.env['LONG_JOURNEYS'])
  test('a kill before publishing publishes once', async () => {
    const data = recording()
    const close = await beforeClose('Put aside', data)
    const audio = await files('audio')
    const lock = await holdLock(dataDir, 'lock table teachings in access exclusive mode')
    close()
    await comesTo('inbox', 1)
    expect([await files('sftp-staging'), await files('audio')]).toEqual([[], audio])
    await killAndStart(lock)
    await expectOnce('Put aside', data)
  })

test("a kill before the teaching's row publishes once", async () => {
  const data = recording()
  const close = await beforeClose('In its place', data)
  const before = (await files('audio')).length
  const writers = await holdWriters(dataDir)
  close()
  await comesTo('audio', before + 1)
  expect(await titled('In its place')).toEqual([])
  await killAndStart(writers)
  await expectOnce('In its place', data)
})

test('a kill before the cleanup publishes once', async () => {
  const data = recording()
  const close = await beforeClose('Written', data)
  const lock = await holdLock(dataDir, 'lock table teachings in access exclusive mode')
  close()
  await comesTo('inbox', 1)
  const commits = await holdCommits(dataDir, /^commit/)
  await lock.end()
  await commits.said('waiting')
  await server.kill()
  expect(await files('inbox')).toHaveLength(1)
  await killAndStart(commits)
  await expectOnce('Written', data)

  // Its sender received no acknowledgement and sends the file again.
  const again = await beforeClose('Written', data)
  again()
  await expect.poll(() => files('inbox'), { timeout: 30_000 }).toEqual([])
  expect((await call(inbox.list, {}, await server.signIn())).items).toEqual([])
  expect(await titled('Written')).toHaveLength(1)
})
