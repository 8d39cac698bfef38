import { createWriteStream } from 'node:fs'
import { mkdtemp, open, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { finished } from 'node:stream/promises'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { backup } from '@fellowship/schema/backup/backup.contract'
import { system } from '@fellowship/schema/system/system.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { fixture } from '../../testing/multipart.ts'
import { refusal } from '../../testing/test-client.ts'
import { testApp } from '../../testing/test-app.ts'
import { weeklyBackup } from './backup.ts'
import { planBackup, writeBackup } from './backup-plan.ts'
import { restore } from './restore.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'backup-damage-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const app = await testApp({ BACKUP_DIR: folder, BACKUP_KEEP: '2' })
const { context } = app
const admin = await app.signedIn('admin')
const mp3 = await fixture('cbr.mp3')
const damagedHope =
  '1 file in this backup is damaged, as on the disk: audio/2026/Hope_John_Smith_20261122.mp3. ' +
  'An older backup may hold it whole.'
let hope: Teaching

beforeEach(async () => {
  await context.sql`delete from teachings`
  await context.sql`delete from recording_checks`
  await context.sql`delete from backups`
  for (const name of await readdir(folder)) await rm(path.join(folder, name))
  app.clock.set('2026-11-24T00:00Z')
  hope = await send('Hope')
  await send('Faith', Buffer.concat([mp3, mp3]))
})

async function send(title: string, bytes = mp3): Promise<Teaching> {
  const body = { title, speaker: 'John Smith', date: '2026-11-22', scriptureReference: '' }
  const audioFile = new File([new Uint8Array(bytes)], 'a.mp3')
  await call(uploads.smartUpload, { body, files: { audioFile } }, admin)
  return (await call(teachings.list, {}, admin)).find((teaching) => teaching.title === title)!
}

/** Flips one bit of a stored recording, as a failing disk does. */
async function rot({ audioUrl }: Teaching): Promise<void> {
  const file = await open(path.join(app.dataDir, 'audio', path.basename(audioUrl!)), 'r+')
  const byte = Buffer.alloc(1)
  await file.read(byte, 0, 1, 2_000)
  byte[0]! ^= 1
  await file.write(byte, 0, 1, 2_000)
  await file.close()
}

const newest = async () => (await call(backup.history, {}, admin)).backups[0]!
const recordingsLine = async () =>
  (await call(system.info, {}, admin)).health.find(({ id }) => id === 'recordings')!.sentence
const backupsOf = async (date: string) => {
  app.clock.set(`${date}T00:00Z`)
  expect(await weeklyBackup(context)).toBe(true)
  return (await readdir(folder))
    .toSorted()
    .map((name) => name.slice('fellowship-backup-'.length, -'.zip'.length))
}

test('history, mail and screen report a damaged recording', async () => {
  await rot(hope)
  await rm(path.join(app.dataDir, 'outgoing'), { recursive: true, force: true })
  await backupsOf('2026-11-25')
  expect(await newest()).toMatchObject({ kind: 'weekly', result: 'complete', sentence: damagedHope })
  expect(await recordingsLine()).toBe('1 recording is damaged: send it again.')
  const [mail, ...others] = await readdir(path.join(app.dataDir, 'outgoing'))
  expect(others).toEqual([])
  const text = await readFile(path.join(app.dataDir, 'outgoing', mail!), 'utf8')
  expect(text.replaceAll('=\r\n', '').replaceAll('\r\n', ' ')).toContain(damagedHope)
})

test('the newest whole backup stays until there is another', async () => {
  expect(await backupsOf('2026-11-25')).toEqual(['2026-11-25'])
  await rot(hope)
  for (const date of ['2026-12-01', '2026-12-08', '2026-12-15']) await backupsOf(date)
  expect(await backupsOf('2026-12-22')).toEqual(['2026-11-25', '2026-12-15', '2026-12-22'])

  // The damaged recording is restored from that backup.
  const target = await testApp()
  await restore(target.context, path.join(folder, 'fellowship-backup-2026-11-25.zip'))
  const whole = Buffer.from(await (await fetch(target.url + hope.audioUrl!)).arrayBuffer())
  expect(whole.equals(mp3)).toBe(true)
  expect((await refusal(send('Hope', whole))).body.message).toContain('this one has replaced it')
  expect(await recordingsLine()).not.toContain('damaged')
  expect(await backupsOf('2026-12-29')).toEqual(['2026-12-22', '2026-12-29'])
  expect((await newest()).sentence).toBeNull()
})

test('a backup from a clock ahead is not the newest', async () => {
  await backupsOf('2036-01-07')
  await backupsOf('2026-11-25')
  await rot(hope)
  for (const date of ['2026-12-01', '2026-12-08']) await backupsOf(date)
  expect(await backupsOf('2026-12-15')).toEqual(['2026-11-25', '2026-12-08', '2026-12-15', '2036-01-07'])
})

test.each([
  ['in the clear', undefined],
  ['encrypted', 'sixteen letters and more'],
])('reading ranges of a backup (%s) finds the damage', async (_how, backupPassphrase) => {
  await rot(hope)
  const config = { ...context.config, backupPassphrase }
  const plan = await planBackup({ ...context, config })
  expect(plan.damaged()).toEqual([])
  const target = createWriteStream(path.join(folder, 'ranges')).setMaxListeners(0)
  for (let start = 0; start < plan.bytes; start += 4_096) {
    await writeBackup(plan, target, { start, end: Math.min(plan.bytes, start + 4_096) - 1 })
  }
  target.end()
  await finished(target)
  expect(plan.damaged().map(({ sha256 }) => sha256)).toEqual([path.basename(hope.audioUrl!, '.mp3')])
})

test('a download in two parts reports damage truthfully', async () => {
  const first = await call(backup.prepare, {}, admin)
  await download(first.id, [`0-${first.bytes - 1}`])
  await expect.poll(async () => (await newest()).result).toBe('complete')
  expect((await newest()).sentence).toBeNull()
  await rot(hope)
  app.clock.advance(60_000)
  const second = await call(backup.prepare, {}, admin)
  await download(second.id, ['0-5000', `5001-${second.bytes - 1}`])
  await expect.poll(async () => (await newest()).sentence).toBe(damagedHope)
  await expect.poll(recordingsLine).toBe('1 recording is damaged: send it again.')
})

async function download(id: string, ranges: readonly string[]): Promise<void> {
  for (const range of ranges) {
    const address = `${app.url}/api/backup/create-manual?id=${id}`
    const answer = await admin.fetch(address, { headers: { range: `bytes=${range}` } })
    expect(answer.status).toBe(206)
    await answer.arrayBuffer()
  }
}
