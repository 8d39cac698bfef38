import 'fake-indexeddb/auto'
import { execFileSync } from 'node:child_process'
import { renameSync } from 'node:fs'
import { appendFile, chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
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
import { startServer } from '../../testing/server-process.ts'
import { testApp } from '../../testing/test-app.ts'
import { continueHistory, endHistory } from './database-history.ts'
import { renewEpoch } from './sync.sql.ts'

// The whole server is started several times.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 })

/** As an administrator copies it: with owners, modes and dates. */
const copy = (from: string, to: string) => execFileSync('cp', ['-a', from, to])

test('three renewals of one state begin at different revisions', async () => {
  const { context } = await testApp()
  const revisions: string[] = []
  // Later than the time of day, as shortly after another renewal.
  const ahead = Date.now() + 1_000_000_000
  for (let time = 0; time < 3; time += 1) {
    await context.sql`update sync_clock set rev = ${ahead}`
    await context.sql.begin((tx) => renewEpoch(tx))
    revisions.push((await context.sql<{ rev: string }[]>`select rev::text from sync_clock`)[0]!.rev)
  }
  expect(new Set(revisions).size).toBeGreaterThan(1)
})

describe('a start', async () => {
  const { context } = await testApp()
  const { sql } = context
  const epoch = async () => (await sql<{ epoch: string }[]>`select epoch from sync_clock`)[0]!.epoch
  const lastStart = path.join(context.config.dataDir, 'last-start')

  test.each<[string, { stopped: boolean; whenDown: () => unknown; why?: RegExp }]>([
    ['after a crash continues the epoch', { stopped: false, whenDown: () => undefined }],
    [
      'after a stop and a restart of the machine continues the epoch',
      { stopped: true, whenDown: () => sql`update database_history set boot = 'before'` },
    ],
    [
      'after a crash of the machine begins an epoch',
      {
        stopped: false,
        whenDown: () => sql`update database_history set boot = 'before'`,
        why: /the product had not been stopped/,
      },
    ],
    [
      'on a copy of the stopped folder begins an epoch',
      {
        stopped: true,
        whenDown() {
          copy(lastStart, `${lastStart}.copy`)
          renameSync(`${lastStart}.copy`, lastStart)
        },
        why: /the data folder is a copy/,
      },
    ],
    [
      'with the rows in another PostgreSQL begins an epoch',
      {
        stopped: true,
        whenDown: () => sql`update database_history set system_identifier = '1'`,
        why: /another PostgreSQL/,
      },
    ],
    [
      'after a recovery begins an epoch',
      {
        stopped: true,
        whenDown: () => sql`update database_history set timeline = timeline + 1`,
        why: /recovered to an earlier time/,
      },
    ],
  ])('%s', async (_, { stopped, whenDown, why }) => {
    await continueHistory(context)
    const before = await epoch()
    if (stopped) await endHistory(context)
    await whenDown()
    const found = await continueHistory(context)
    if (why) expect(found).toMatch(why)
    else expect(found).toBeUndefined()
    expect((await epoch()) === before).toBe(why === undefined)
  })
})

describe.skipIf(process.platform !== 'linux')('the whole server', async () => {
  if (process.platform !== 'linux') return
  const dataDir = await mkdtemp(path.join(tmpdir(), 'history-'))
  await chmod(dataDir, 0o755)
  let server = await startServer(dataDir)
  const device = new AppDatabase(`history-${Math.random()}`)
  const elsewhere = `${dataDir}.elsewhere`
  const image = `${dataDir}.image`
  afterAll(async () => {
    await server.kill()
    device.close()
    for (const folder of [dataDir, elsewhere, image])
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })
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
    (await served())
      .map(({ id, uid, rev, title }) => ({ id, uid, rev, title }))
      .toSorted((a, b) => a.id - b.id)

  /** A recording that was acknowledged, then lost with its state, and one that is sent afterwards. */
  async function expectNothingTwice(
    lost: Teaching,
    epoch: string,
  ): Promise<{ later: Teaching; epoch: string }> {
    const later = await add(`Made in the present history, ${seed}`)
    expect(later.id).not.toBe(lost.id)
    expect(later.uid).not.toBe(lost.uid)
    expect(later.rev).toBeGreaterThan(lost.rev)
    const renewed = await synchronize()
    expect(renewed).not.toBe(epoch)
    expect(await onDevice()).toEqual(await onServer())
    return { later, epoch: renewed }
  }

  test('an image of the disk, used twice, has all commits and other numbers', async () => {
    const first = await add('First')
    const epoch = await synchronize()
    // As a snapshot of the disk has it: all files at one moment, the database not closed.
    const processes = processTree(server.pid)
    signalAll(processes, 'SIGSTOP')
    try {
      copy(dataDir, image)
    } finally {
      signalAll(processes, 'SIGCONT')
    }
    const lost = await add('In the original, after the image')
    expect(await server.stop()).toBe(0)
    server = await startServer(dataDir)
    expect(await synchronize()).toBe(epoch)

    copy(image, elsewhere)
    await asOnAnotherMachine(elsewhere)
    const original = server
    onTestFinished(() => original.kill())
    server = await startServer(elsewhere)
    expect((await served()).map(({ id, uid }) => ({ id, uid }))).toEqual([{ id: first.id, uid: first.uid }])
    const after = await expectNothingTwice(lost, epoch)
    // With room for the numbers that the original still issues.
    expect(after.later.id).toBeGreaterThan(lost.id + 9_000)
    // The original goes on by itself.
    const base = { fetch, base: original.url }
    expect((await call(teachings.list, {}, base)).map(({ uid }) => uid)).toContain(lost.uid)
    await original.stop()
    await server.kill()

    // Put back, the same image has no record of the numbers that it issued elsewhere.
    await rm(dataDir, { recursive: true })
    copy(image, dataDir)
    server = await startServer(dataDir)
    await expectNothingTwice(after.later, after.epoch)
  })

  test('point-in-time recovery begins a new epoch; devices converge', async () => {
    const lost = await add('Perhaps lost')
    const epoch = await synchronize()
    await server.stop()
    const cluster = path.join(dataDir, 'postgres/data')
    // The recovery from an archive that ends here: it begins a new timeline.
    await appendFile(path.join(cluster, 'postgresql.auto.conf'), "restore_command = 'false'\n")
    const signal = path.join(cluster, 'recovery.signal')
    await writeFile(signal, '')
    execFileSync('chown', ['--reference', path.join(cluster, 'PG_VERSION'), signal])
    server = await startServer(dataDir)
    await expectNothingTwice(lost, epoch)
  })
})
