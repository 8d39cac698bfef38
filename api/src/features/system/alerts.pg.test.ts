import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { diskStorage } from '../../machine/storage/disk-storage.ts'
import { smtpServer } from '../../testing/smtp.ts'
import { testApp } from '../../testing/test-app.ts'
import { sendAlerts } from './alerts.ts'

const { url, letters, refuse } = await smtpServer()
let freeBytes: number | undefined
const app = await testApp({ SMTP_URL: url, MAIL_FROM: 'Fellowship <no-reply@example.org>' }, (dataDir) => {
  const storage = diskStorage(dataDir)
  const room = { freeBytes: async () => freeBytes ?? 50e9, totalBytes: async () => 100e9 }
  return { storage: { ...storage, ...room } }
})
const without = await testApp()
const { sql } = app.context
const [ann, ben] = [await app.signedIn('admin'), await app.signedIn('admin')]
await app.signedIn('user')

const days = (count: number) => new Date(app.clock.now().getTime() - count * 24 * 60 * 60_000)
const passDay = () => sql`update chore_runs set ran_at = now() - interval '25 hours'`
const subjects = () => letters.map(({ text }) => /^Subject: (.*)$/m.exec(text)![1])
const sendAll = async () => {
  letters.length = 0
  await sendAlerts(app.context)
  return subjects()
}
const aBackup = (age: number) => sql`
  insert into backups (id, kind, started_at, actor, file_name, bytes, files, result)
  values (gen_random_uuid(), 'manual', ${days(age)}, 'Ann', 'a.zip', 1, 1, 'complete')`
const aTeaching = () => sql`
  insert into teachings (title, speaker, date, year, audio_url, audio_sha256, audio_bytes)
  values ('Hope', 'Ann', '2026-01-04', 2026, '/audio/x.mp3', ${'a'.repeat(64)}, 1)`

await sql`update users set created_at = ${days(100)}`

beforeEach(async () => {
  await sql`delete from chore_runs`
  await sql`delete from backups`
  await sql`delete from inbox`
  await sql`delete from recording_checks`
  await sql`delete from teachings`
  freeBytes = undefined
  refuse(false)
})

test('sends no mail while all is well', async () => {
  await aTeaching()
  await aBackup(3)
  expect(await sendAll()).toEqual([])
})

test('writes no alerts to the folder without a mail server', async () => {
  await without.signedIn('admin')
  await without.context.sql`insert into inbox (id, state, filename, bytes, arrived_at)
    values (gen_random_uuid(), 'waiting', 'x.mp3', 1, ${days(20)})`
  await sendAlerts(without.context)
  expect(await readdir(path.join(without.dataDir, 'outgoing')).catch(() => [])).toEqual([])
})

test('mails each active administrator each problem in plain words', async () => {
  await aTeaching()
  await sql`insert into recording_checks (sha256, fault) values (${'a'.repeat(64)}, 'damaged')`
  await sql`insert into inbox (id, state, filename, bytes, arrived_at)
    values (gen_random_uuid(), 'waiting', 'Win money at evil.example.mp3', 1, ${days(20)})`
  freeBytes = 1e9
  const sent = await sendAll()
  expect(sent).toHaveLength(8)
  expect(new Set(sent).size).toBe(4)
  expect(new Set(letters.flatMap(({ to }) => to))).toEqual(new Set([ann.email, ben.email]))
  const all = letters.map(({ text }) => text).join('\n')
  for (const sentence of [
    'There is no complete backup yet.',
    '1.0 GB of 100.0 GB are free',
    '1 recording is damaged: send it again.',
    '1 recording has waited in the Inbox for more than 7 days, the oldest for 20.',
    'This mail comes once a day until that is done.',
  ]) {
    expect(all).toContain(sentence)
  }
  // File names are untrusted: the password of the sound desk is shared.
  expect(all).not.toContain('evil.example')
})

test('repeats an alert daily until it is resolved', async () => {
  await aBackup(20)
  expect(await sendAll()).toHaveLength(2)
  expect(await sendAll()).toEqual([])
  await passDay()
  expect(await sendAll()).toHaveLength(2)
  // Something else may come on the same day.
  freeBytes = 0
  expect(await sendAll()).toHaveLength(2)
  await passDay()
  await sql`delete from backups`
  await aBackup(0)
  freeBytes = undefined
  expect(await sendAll()).toEqual([])
})

test('two concurrent processes send one alert', async () => {
  await aBackup(20)
  letters.length = 0
  await Promise.all([sendAlerts(app.context), sendAlerts(app.context)])
  expect(letters).toHaveLength(2)
})

test('resends an alert that the mail server refused', async () => {
  await aBackup(20)
  refuse(true)
  letters.length = 0
  await expect(sendAlerts(app.context)).rejects.toThrow('could be sent to nobody')
  expect(letters).toEqual([])
  refuse(false)
  expect(await sendAll()).toHaveLength(2)
})
