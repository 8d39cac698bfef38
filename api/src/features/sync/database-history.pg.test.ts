import 'fake-indexeddb/auto'
import { execFileSync } from 'node:child_process'
import { appendFile, chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { AppDatabase } from '@fellowship/sync/client/database/app-database'
import { pull } from '@fellowship/sync/client/replica/pull'
import { readSyncState } from '@fellowship/sync/client/replica/sync-state'
import { decodeCursor } from '@fellowship/sync/protocol/cursor'
import { longWav } from '../../testing/multipart.ts'
import { processTree, signalAll } from '../../testing/process-tree.ts'
import { startServer, type ServerProcess } from '../../testing/server-process.ts'

// Each test starts the whole server several times.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 })

let dataDir: string
let server: ServerProcess
let device: AppDatabase
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'history-'))
  await chmod(dataDir, 0o755)
  server = await startServer(dataDir)
  device = new AppDatabase(`history-${Math.random()}`)
})
afterEach(async () => {
  await server.kill()
  device.close()
  for (const folder of [dataDir, aside()]) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

const aside = () => `${dataDir}.aside`
/** As an administrator copies it: with owners, modes and dates. */
const copy = (from: string, to: string) => execFileSync('cp', ['-a', from, to])
/** Another machine has no owner note; here the start would be refused while the original runs. */
async function asOnAnotherMachine(folder: string) {
  const file = path.join(folder, 'postgres/owner')
  const owner = JSON.parse(await readFile(file, 'utf8')) as object
  const there = { space: 'of another machine', socketFolder: path.join(tmpdir(), 'of-another-machine') }
  await writeFile(file, JSON.stringify({ ...owner, ...there }))
}
let seed = 0
async function add(title: string): Promise<Teaching> {
  seed += 1
  const file = new File(
    [...longWav(50_000, seed)].map((piece) => new Uint8Array(piece)),
    'x.wav',
  )
  const body = { title, speaker: 'John Smith', date: '2026-11-22' }
  const client = await server.signIn()
  return (await call(uploads.smartUpload, { body, files: { audioFile: file } }, client)).teaching
}
const served = () => call(teachings.list, {}, { fetch, base: server.url })

/** Synchronizes the device; returns its epoch afterwards. */
async function synchronize(): Promise<string> {
  await pull(device, { fetch, base: server.url }, { now: () => Date.now(), verify: true })
  return decodeCursor((await readSyncState(device)).cursor)!.epoch
}
const onDevice = async () =>
  (await device.teachings.toArray())
    .map(({ id, uid, rev, title }) => ({ id, uid, rev, title }))
    .toSorted((a, b) => a.id - b.id)
const onServer = async () =>
  (await served()).map(({ id, uid, rev, title }) => ({ id, uid, rev, title })).toSorted((a, b) => a.id - b.id)

/** A recording that was acknowledged, then lost with its state, and one that is sent afterwards. */
async function expectNothingTwice(
  lost: Teaching,
  epoch: string,
): Promise<{ later: Teaching; epoch: string }> {
  const later = await add('Made in the present history')
  expect(later.id).not.toBe(lost.id)
  expect(later.uid).not.toBe(lost.uid)
  expect(later.rev).toBeGreaterThan(lost.rev)
  const renewed = await synchronize()
  expect(renewed).not.toBe(epoch)
  expect(await onDevice()).toEqual(await onServer())
  return { later, epoch: renewed }
}

test('a restart continues the epoch; a restored copy reuses no number', async () => {
  await add('First')
  const epoch = await synchronize()
  await server.stop()
  copy(dataDir, aside())
  server = await startServer(dataDir)
  expect(await synchronize()).toBe(epoch)
  await server.kill()
  server = await startServer(dataDir)
  const lost = await add('Lost with the folder')
  expect(await synchronize()).toBe(epoch)
  const putBack = async () => {
    await server.stop()
    await rm(dataDir, { recursive: true })
    copy(aside(), dataDir)
    server = await startServer(dataDir)
  }
  await putBack()
  const after = await expectNothingTwice(lost, epoch)
  // The same copy once more: it has no record of the numbers issued after the first start.
  await putBack()
  await expectNothingTwice(after.later, after.epoch)
})

test('a copied data folder uses other numbers than the original', async () => {
  await add('First')
  await server.stop()
  copy(dataDir, aside())
  server = await startServer(dataDir)
  const lost = await add('In the original')
  const epoch = await synchronize()
  const original = server
  server = await startServer(aside())
  await expectNothingTwice(lost, epoch)
  await original.kill()
})

test.skipIf(process.platform !== 'linux')(
  'a live image started elsewhere has all commits and other numbers',
  async () => {
    const first = await add('First')
    const epoch = await synchronize()
    // As a snapshot of the disk has it: all files at one moment, the database not closed.
    const processes = processTree(server.pid)
    signalAll(processes, 'SIGSTOP')
    try {
      copy(dataDir, aside())
    } finally {
      signalAll(processes, 'SIGCONT')
    }
    const lost = await add('In the original, after the image')
    expect(await synchronize()).toBe(epoch)
    await asOnAnotherMachine(aside())
    const original = server
    server = await startServer(aside())
    try {
      expect((await served()).map(({ id, uid }) => ({ id, uid }))).toEqual([{ id: first.id, uid: first.uid }])
      const { later } = await expectNothingTwice(lost, epoch)
      // With room for the numbers that the original still issues.
      expect(later.id).toBeGreaterThan(lost.id + 9_000)
      // The original goes on by itself.
      const base = { fetch, base: original.url }
      expect((await call(teachings.list, {}, base)).map(({ uid }) => uid)).toContain(lost.uid)
    } finally {
      await original.kill()
    }
  },
)

test('point-in-time recovery begins a new epoch; devices converge', async () => {
  await add('First')
  const lost = await add('Perhaps lost')
  const epoch = await synchronize()
  await server.stop()
  const cluster = path.join(dataDir, 'postgres/data')
  // The recovery from an archive that ends here: it begins a new timeline.
  await appendFile(path.join(cluster, 'postgresql.auto.conf'), "restore_command = 'false'\n")
  await writeFile(path.join(cluster, 'recovery.signal'), '')
  execFileSync('chown', [
    '--reference',
    path.join(cluster, 'PG_VERSION'),
    path.join(cluster, 'recovery.signal'),
  ])
  server = await startServer(dataDir)
  await expectNothingTwice(lost, epoch)
})
