import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { backup } from '@fellowship/schema/backup/backup.contract'
import { elders } from '@fellowship/schema/elders/elders.contract'
import { call } from '@fellowship/sync/call/call'
import { plainPng } from '../../testing/sample-pictures.ts'
import { addRecordedTeaching } from '../../testing/recorded-teaching.ts'
import { savedBackup } from '../../testing/changed-backup.ts'
import { testApp } from '../../testing/test-app.ts'
import { recordingKey } from '../audio/audio.ts'
import { cleanUpAudio } from '../audio/storage-care.ts'
import { columnsOf, insertTeaching } from '../teachings/teachings.ts'
import { systemInfo } from '../system/system.ts'
import { databaseLocks } from '../../db/locks.ts'
import { backupHistory, interruptUnfinishedBackups, weeklyBackup } from './backup.ts'
import { restore } from './restore.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'backup-histories-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const weekly = path.join(folder, 'weekly')
const app = await testApp({ BACKUP_DIR: weekly, BACKUP_KEEP: '2' })
const admin = await app.signedIn('admin')
const { context } = app
const address = `${app.url}/api/backup/create-manual`
const hope = await addRecordedTeaching(app, { title: 'Hope', scriptureReference: 'John 3:16' }, 100_000)
const { content, sha256: audioSha256 } = hope
const recording = path.join(app.dataDir, hope.audioUrl!)

const history = () => call(backup.history, {}, admin)
beforeEach(() => app.clock.advance(60_000))

test('refuses HEAD without recording a backup', async () => {
  const response = await admin.fetch(address, { method: 'HEAD' })
  await response.arrayBuffer()
  await new Promise((resolve) => setTimeout(resolve, 500))
  const { lastCompleteAt, overdue } = await history()
  expect({ lastCompleteAt, overdue }).toEqual({ lastCompleteAt: null, overdue: true })
})

test('a backup that fails after its start is not listed as running', async () => {
  await context.sql.unsafe(`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
    create trigger refusing before insert on audit_log execute function refuse()`)
  await expect(call(backup.prepare, {}, admin)).rejects.toMatchObject({ status: 500 })
  await context.sql.unsafe('drop function refuse() cascade')
  await expect.poll(async () => (await history()).backups[0]?.result).toBe('interrupted')
})

test('a photo replaced during a download stays as planned', async () => {
  const body = { name: 'Ana', role: 'Elder', shortBio: 'Short', extendedBio: 'Long', displayOrder: 1 }
  const { id } = await call(elders.create, { body }, admin)
  const photo = (width: number) => new Blob([new Uint8Array(plainPng(width, 1250))])
  await call(elders.photo, { params: { id }, files: { photo: photo(1000) } }, admin)
  const begun = await call(backup.prepare, {}, admin)
  await call(elders.photo, { params: { id }, files: { photo: photo(900) } }, admin)
  const got = await admin.fetch(`${address}?id=${begun.id}`)
  expect((await got.arrayBuffer()).byteLength).toBe(begun.bytes)
  await expect.poll(async () => (await history()).backups[0]!.result).toBe('complete')
})

test('a restore replaces a damaged recording', async () => {
  const file = path.join(folder, 'whole.zip')
  await writeFile(file, Buffer.from(await (await admin.fetch(address)).arrayBuffer()))
  const names = await readdir(path.join(app.dataDir, 'images'))
  for (const damaged of [
    content.subarray(0, 40_000),
    Buffer.concat([Buffer.alloc(9), content.subarray(9)]),
  ]) {
    await writeFile(recording, damaged)
    const report = await restore(context, file, { replace: true })
    expect(report).toMatchObject({ written: true, recordings: 1 })
    expect((await readFile(recording)).equals(content)).toBe(true)
  }
  expect(await readdir(path.join(app.dataDir, 'images'))).toEqual(names)
  expect(await readdir(path.join(app.dataDir, 'staging'))).toEqual([])
})

test('retries an interrupted weekly backup without its part', async () => {
  app.clock.set('2026-12-07T03:30:00+13:00')
  await mkdir(weekly, { recursive: true })
  await writeFile(path.join(weekly, '.fellowship-backup-2026-12-07.zip.part'), randomBytes(1000))
  await context.sql`insert into backups (id, kind, started_at, actor, file_name, bytes, files)
    values (gen_random_uuid(), 'weekly', ${context.clock.now()}, 'the product',
      'fellowship-backup-2026-12-07.zip', 2000, 1)`
  app.clock.set('2026-12-07T03:40:00+13:00')
  await interruptUnfinishedBackups(context)
  app.clock.set('2026-12-08T03:40:00+13:00')
  expect(await weeklyBackup(context)).toBe(true)
  expect(await readdir(weekly)).toEqual(['fellowship-backup-2026-12-08.zip'])
  expect(await weeklyBackup(context)).toBe(false)
})

test('a start leaves the backups of other processes', async () => {
  const other = await databaseLocks(app.place, context.sql)
  await context.sql`insert into backups (id, kind, started_at, actor, file_name, bytes, files, process)
    values (gen_random_uuid(), 'manual', ${new Date(0)}, 'Ruth', 'b.zip', 2000, 1, ${other.owner})`
  const result = () => context.sql`select result from backups where process = ${other.owner}`
  await interruptUnfinishedBackups(context)
  expect(await result()).toEqual([{ result: 'running' }])
  await other.close()
  await interruptUnfinishedBackups(context)
  expect(await result()).toEqual([{ result: 'interrupted' }])
})

test('weekly backups continue after a clock ten years ahead', async () => {
  app.clock.set('2036-01-07T04:00:00+13:00')
  expect(await weeklyBackup(context)).toBe(true)
  for (const day of ['2026-12-14', '2026-12-21']) {
    app.clock.set(`${day}T03:40:00+13:00`)
    expect(await weeklyBackup(context)).toBe(true)
    expect(await weeklyBackup(context)).toBe(false)
  }
  const days = ['2026-12-14', '2026-12-21', '2036-01-07']
  expect((await readdir(weekly)).toSorted()).toEqual(days.map((day) => `fellowship-backup-${day}.zip`))
  expect((await backupHistory(context)).lastCompleteAt).toBe('2026-12-20T14:40:00.000Z')
  app.clock.set('2026-12-23T03:40:00+13:00')
  const { health } = await systemInfo(context)
  expect(health.find(({ id }) => id === 'backup')!.sentence).toBe('The last complete one is 2 days old.')
})

test('a weekly backup completes if an old one stays', async () => {
  // Folders with the names of old backups.
  for (const day of [1, 2, 3]) await mkdir(path.join(weekly, `fellowship-backup-2020-01-0${day}.zip`))
  app.clock.set('2026-12-28T03:40:00+13:00')
  expect(await weeklyBackup(context)).toBe(true)
  expect((await backupHistory(context)).lastCompleteAt).toBe('2026-12-27T14:40:00.000Z')
})

test('--without-damaged restores all other recordings', async () => {
  const rotten = Buffer.concat([Buffer.alloc(9), content.subarray(9)])
  await writeFile(recording, rotten)
  const file = path.join(folder, 'rotten.zip')
  // A restore ends all sessions.
  const again = await app.signedIn('admin')
  await writeFile(file, Buffer.from(await (await again.fetch(address)).arrayBuffer()))
  await writeFile(recording, content)
  const attempt = restore(context, file, { replace: true })
  await expect(attempt).rejects.toThrow(/Hope_Sam_20261122\.mp3 is damaged\..*--without-damaged/)
  const report = await restore(context, file, { replace: true, withoutDamaged: true })
  expect(report).toMatchObject({
    written: true,
    recordings: 0,
    damaged: ['audio/2026/Hope_Sam_20261122.mp3'],
    rows: { teachings: 1 },
  })
  expect((await readFile(recording)).equals(content)).toBe(true)
})

test('restores a recording that was swept meanwhile', async () => {
  const file = path.join(folder, 'beside.zip')
  const again = await app.signedIn('admin')
  await writeFile(file, Buffer.from(await (await again.fetch(address)).arrayBuffer()))
  // The teaching was purged after the backup, so that its recording is an orphan until the rows are restored.
  await context.sql`delete from teachings`
  const holder = await context.sql.reserve()
  await holder`begin`
  await holder`lock table sessions in share mode`
  const restoring = restore(context, file, { replace: true })
  // Tables of other test files' databases have the same number.
  const waiting = () => context.sql`
    select 1 from pg_locks where not granted and relation = 'sessions'::regclass
      and database = (select oid from pg_database where datname = current_database())`
  await expect.poll(waiting).toHaveLength(1)
  expect((await cleanUpAudio(context, null)).deleted).toEqual([path.basename(recording)])
  await holder`commit`
  holder.release()
  expect(await restoring).toMatchObject({ written: true, recordings: 1, rows: { teachings: 1 } })
  expect((await readFile(recording)).equals(content)).toBe(true)
})

test('a restore waits for an upload of the same recording', async () => {
  const file = path.join(folder, 'waits.zip')
  const again = await app.signedIn('admin')
  await writeFile(file, Buffer.from(await (await again.fetch(address)).arrayBuffer()))
  // As held by an upload that has stored the file, before the result of its transaction is known.
  let contended = () => {}
  const isContended = new Promise<void>((resolve) => (contended = resolve))
  const release = await context.locks.take(recordingKey(audioSha256), () => contended())
  const restoring = restore(context, file, { replace: true })
  await Promise.race([isContended, restoring])
  await rm(recording)
  release()
  expect(await restoring).toMatchObject({ written: true, recordings: 1 })
  expect((await readFile(recording)).equals(content)).toBe(true)
})

test('rows added after two restores share no number or uid', async () => {
  const fresh = await testApp()
  const { sql } = fresh.context
  const file = await savedBackup(await fresh.signedIn('admin'), path.join(folder, 'twice.zip'))
  const add = (title: string) =>
    sql.begin((tx) =>
      insertTeaching(tx, columnsOf({ title, speaker: 'Sam', date: '2026-11-22', scriptureReference: '' })),
    )
  const seen: { id: number; uid: string; rev: number }[] = []
  for (const title of ['Before', 'After the first restore', 'After the second restore', 'After the third']) {
    const { id, uid, rev } = await add(title)
    seen.push({ id, uid, rev })
    await restore(fresh.context, file, { replace: true })
  }
  for (const key of ['id', 'uid', 'rev'] as const) {
    expect(new Set(seen.map((one) => one[key])).size).toBe(seen.length)
  }
})
