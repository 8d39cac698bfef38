import { execFile } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { finished } from 'node:stream/promises'
import { promisify } from 'node:util'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { backup } from '@fellowship/schema/backup/backup.contract'
import { church, setChurch } from '@fellowship/schema/church'
import { elders } from '@fellowship/schema/elders/elders.contract'
import { events } from '@fellowship/schema/events/events.contract'
import { notices } from '@fellowship/schema/notices/notices.contract'
import { series } from '@fellowship/schema/series/series.contract'
import { sftp } from '@fellowship/schema/sftp/sftp.contract'
import { site } from '@fellowship/schema/site/site.contract'
import { users } from '@fellowship/schema/users/users.contract'
import { call } from '@fellowship/sync/call/call'
import { loadSecret } from '../../config/secret.ts'
import { secretsUnder } from '../../machine/secrets.ts'
import { openArchive } from '../../machine/zip/unzip.ts'
import { plainPng } from '../../testing/sample-pictures.ts'
import { testDevice } from '../../testing/push-device.ts'
import { addRecordedTeaching } from '../../testing/recorded-teaching.ts'
import { testApp, type TestClient } from '../../testing/test-app.ts'
import { countBytes } from '../listening/listening.ts'
import { pushKeys, subscribe } from '../push/push.ts'
import { sftpPassword } from '../sftp/sftp.ts'
import { weeklyBackup } from './backup.ts'
import { backupFileName } from './backup-names.ts'
import { planBackup, writeBackup } from './backup-plan.ts'
import { restore } from './restore.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'backup-test-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const passphrase = { BACKUP_PASSPHRASE: 'four words nobody says together' }
const app = await testApp({ BACKUP_DIR: path.join(folder, 'weekly'), BACKUP_KEEP: '2' })
const admin = await app.signedIn('admin')
const { context } = app
const sealing = {
  ...context,
  config: { ...context.config, backupPassphrase: passphrase.BACKUP_PASSPHRASE },
}
const hope = await addTeaching('Hope: part "1"', 300_000)
await addTeaching('Hope: part "1"', 200_000, '2026-11-15')
const binned = await addTeaching('Grace', 1_000)
await context.sql`update teachings set deleted_at = now(), audio_crc32 = null where id = ${binned.id}`
await context.sql`insert into series (slug, title, description, teachings, deleted_at) values
  ('hope', 'Hope', 'In order.', array[gen_random_uuid(), gen_random_uuid()], null), ('gone', 'Gone', '', '{}', now())`
await context.sql`insert into passages (reference, text, translation, copyright_line)
  values ('John 3:16', 'For God so loved …', 'A translation', 'A line')`
await context.sql`insert into listening_accounts (user_id, rev) select id, 7 from users`
await context.sql`insert into listening_rows (user_id, kind, key, rev, content)
  select users.id, 'marks', uid, 7, jsonb_build_object('uid', uid, 'favourite', jsonb_build_object('on', true, 'at', 1.5))
  from users, teachings`
await context.sql.begin((tx) => countBytes(tx))
const elder = await addElder()
await addSeriesPicture()
await addSitePictures()
const { id: eventId } = await call(
  events.create,
  {
    body: {
      title: 'Tea',
      place: 'Hall',
      description: 'For all.',
      starts: '2026-03-01T10:00',
      ends: '2026-03-01T11:00',
      repeats: 'FREQ=WEEKLY;BYDAY=SU',
      cancelled: [],
    },
  },
  admin,
)
await call(
  events.update,
  { params: { id: eventId }, body: { cancelled: ['2026-03-08', '2026-03-15'] } },
  admin,
)
await call(notices.create, { body: { text: 'No tea', from: '2026-03-08', until: '2026-03-15' } }, admin)
await call(site.update, { body: { parking: 'Behind the hall.', name: 'Grace Church' } }, admin)
await call(sftp.changePassword, { body: { newPassword: 'Kōrero-9 at the desk' } }, admin)
await pushKeys(context)
await subscribe(context, { subscription: testDevice().subscription, every: 'week' })
await writeFile(path.join(app.dataDir, 'authorized_keys'), 'ssh-ed25519 AAAA desk\n')

function addTeaching(title: string, bytes: number, date = '2026-11-22') {
  const words = { speaker: 'Tāne Māhuta', scriptureReference: 'John 3:16', description: `About ${title}.` }
  return addRecordedTeaching(app, { title, date, ...words }, bytes)
}

async function addElder() {
  const body = { name: 'Ana', role: 'Elder', shortBio: 'Short', extendedBio: 'Long', displayOrder: 3 }
  const { id } = await call(elders.create, { body }, admin)
  const photo = new Blob([new Uint8Array(plainPng(1000, 1250))])
  return (await call(elders.photo, { params: { id }, files: { photo } }, admin)).elder
}

async function addSitePictures() {
  const picture = new Blob([new Uint8Array(plainPng(300, 200))])
  await call(site.logo, { files: { logo: picture } }, admin)
  await call(site.picture, { params: { which: 'share' }, files: { picture } }, admin)
}
async function addSeriesPicture() {
  const [row] = await call(series.list, {}, admin)
  const picture = new Blob([new Uint8Array(plainPng(800, 450))])
  await call(series.picture, { params: { uid: row!.uid }, files: { picture } }, admin)
}

async function download(client: TestClient = admin, headers: Record<string, string> = {}, query = '') {
  const response = await client.fetch(`${app.url}/api/backup/create-manual${query}`, { headers })
  return { response, body: Buffer.from(await response.arrayBuffer()) }
}

/** An encrypted backup with the server's secrets, whose key takes as long to make as all the rest. */
const saved = () => (sealed ??= seal())
let sealed: Promise<string> | undefined
async function seal(): Promise<string> {
  const file = path.join(folder, 'sealed.zip')
  const target = createWriteStream(file)
  await writeBackup(await planBackup(sealing), target)
  target.end()
  await finished(target)
  return file
}

/** The newest line of the history. */
const latest = async () => (await call(backup.history, {}, admin)).backups[0]!
beforeEach(() => app.clock.advance(60_000))

describe('the archive', () => {
  test('unzip accepts the archive with its names and length', async () => {
    const { response, body } = await download()
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/zip',
      'content-length': String(body.length),
      'accept-ranges': 'bytes',
      'cache-control': 'no-store',
      'content-disposition': expect.stringMatching(/fellowship-backup-\d{4}-\d\d-\d\d\.zip/) as string,
    })
    const file = path.join(folder, 'whole.zip')
    await writeFile(file, body)
    const { stdout } = await promisify(execFile)('unzip', ['-t', file])
    expect(stdout).toContain('No errors detected')
    const archive = await openArchive(file)
    expect([...archive.entries.keys()].filter((name) => name.startsWith('audio/')).toSorted()).toEqual([
      'audio/2026/Hope_part_1_Tāne_Māhuta_20261115.mp3',
      'audio/2026/Hope_part_1_Tāne_Māhuta_20261122.mp3',
      'audio/deleted/Grace_Tāne_Māhuta_20261122.mp3',
    ])
    archive.close()
    await expect.poll(async () => (await latest()).result).toBe('complete')
    expect(await latest()).toMatchObject({ kind: 'manual', actor: 'A admin', bytes: body.length, files: 15 })
  })

  test('resumes from any byte after the library has changed', async () => {
    const first = await download()
    const etag = first.response.headers.get('etag')!
    const late = await addTeaching('Later', 500)
    for (const start of [1, 30, 250_000, first.body.length - 10]) {
      const rest = await download(admin, { range: `bytes=${start}-`, 'if-range': etag })
      expect([rest.response.status, rest.response.headers.get('content-range')]).toEqual([
        206,
        `bytes ${start}-${first.body.length - 1}/${first.body.length}`,
      ])
      expect(rest.body.equals(first.body.subarray(start))).toBe(true)
    }
    const id = etag.slice('"backup-'.length, -1)
    const middle = await download(admin, { range: 'bytes=100-250099' }, `?id=${id}`)
    expect(middle.body.equals(first.body.subarray(100, 250_100))).toBe(true)
    const behind = await download(admin, { range: `bytes=${first.body.length}-` }, `?id=${id}`)
    expect(behind.response.status).toBe(416)
    await context.sql`delete from teachings where id = ${late.id}`
    await rm(path.join(app.dataDir, late.audioUrl!))
  })

  test('resuming a forgotten plan starts a new backup', async () => {
    const stranger = `"backup-00000000-0000-4000-8000-000000000000"`
    const whole = await download(admin, { range: 'bytes=100-', 'if-range': stranger })
    expect(whole.response.status).toBe(200)
    const forgotten = await download(admin, {}, '?id=00000000-0000-4000-8000-000000000000')
    expect([forgotten.response.status, JSON.parse(forgotten.body.toString())]).toMatchObject([
      404,
      { error: 'This backup is no longer available. Start a new one.' },
    ])
  })

  test('prepare returns the size, an abort interrupts', async () => {
    const prepared = await call(backup.prepare, {}, admin)
    expect(prepared).toMatchObject({ files: 15, missing: [] })
    const left = new AbortController()
    const address = `${app.url}/api/backup/create-manual?id=${prepared.id}`
    const response = await admin.fetch(address, { signal: left.signal })
    expect(response.headers.get('content-length')).toBe(String(prepared.bytes))
    left.abort()
    await expect.poll(async () => ['interrupted', 'complete'].includes((await latest()).result)).toBe(true)
  })

  test('records a download when the history is writable', async () => {
    const { id } = await call(backup.prepare, {}, admin)
    await context.sql`alter table backups rename to backups_out_of_reach`
    try {
      await download(admin, {}, `?id=${id}`)
    } finally {
      await context.sql`alter table backups_out_of_reach rename to backups`
    }
    await expect.poll(async () => (await latest()).result, { timeout: 15_000 }).toBe('complete')
  })

  test('leaves out a missing recording and names it', async () => {
    const lost = await addTeaching('Lost', 700)
    await rm(path.join(app.dataDir, lost.audioUrl!))
    const { missing, files } = await call(backup.prepare, {}, admin)
    expect([missing, files]).toEqual([['audio/2026/Lost_Tāne_Māhuta_20261122.mp3'], 15])
    await context.sql`delete from teachings where id = ${lost.id}`
  })
})

describe('a restore is refused, with nothing written', () => {
  test('refuses a damaged file or one that is no backup', async () => {
    const target = await testApp(passphrase)
    const whole = await readFile(await saved())
    const flipped = Buffer.from(whole)
    flipped[flipped.length >> 1]! ^= 1
    for (const [name, bytes, sentence] of [
      ['text.zip', Buffer.from('no archive'), 'is no whole ZIP archive'],
      ['cut.zip', whole.subarray(0, whole.length - 1_000), 'is no whole ZIP archive'],
      ['flipped.zip', flipped, 'is damaged'],
    ] as const) {
      await writeFile(path.join(folder, name), bytes)
      await expect(restore(target.context, path.join(folder, name))).rejects.toThrow(sentence)
    }
    for (const [place, sentence] of [
      [path.join(folder, 'absent.zip'), 'There is no file'],
      [path.join(folder, 'text.zip/below'), 'There is no file'],
      [folder, 'is a folder'],
    ] as const) {
      await expect(restore(target.context, place)).rejects.toThrow(sentence)
    }
    expect(await target.context.sql`select 1 from teachings`).toHaveLength(0)
    expect(await readdir(path.join(target.dataDir, 'audio'))).toEqual([])
  })

  test('replacing rows needs --replace, a dry run writes nothing', async () => {
    const file = await saved()
    await expect(restore(sealing, file)).rejects.toThrow('--replace')
    const target = await testApp(passphrase)
    const before = await readFile(path.join(target.dataDir, 'app-secret'), 'utf8')
    const report = await restore(target.context, file, { dryRun: true })
    expect(report).toMatchObject({
      recordings: 3,
      // Three sizes of the elder's photo, and of the series' picture with its cover for directories.
      photos: 12,
      written: false,
      missing: [],
      secrets: 'restored',
      sftpPassword: 'kept',
    })
    expect(await readFile(path.join(target.dataDir, 'app-secret'), 'utf8')).toBe(before)
    expect(await target.context.sql`select 1 from teachings`).toHaveLength(0)
    expect(await readdir(path.join(target.dataDir, 'audio'))).toEqual([])
  })
})

test('restores rows, files and accounts from scratch', async () => {
  const target = await testApp(passphrase)
  const state = async ({ sql }: typeof context) => ({
    users: await sql`select * from users order by id`,
    elders:
      await sql`select id, uid, name, role, short_bio, extended_bio, image_url, display_order from elders`,
    passages: await sql`select id, uid, reference, text, translation, copyright_line from passages`,
    series:
      await sql`select uid, slug, title, description, teachings, image_url, deleted_at from series order by uid`,
    events:
      await sql`select id, uid, title, place, description, starts, ends, repeats, cancelled, sequence, changed_at
      from events`,
    notices: await sql`select id, uid, text, "from", until from notices`,
    visit: await sql`select * from visit_details`,
    listening: [
      await sql`select * from listening_accounts`,
      await sql`select * from listening_rows order by key`,
    ],
    sftp: await sql`select * from sftp_settings`,
    push: [await sql`select * from push_keys`, await sql`select * from push_subscriptions`],
    teachings:
      await sql`select id, uid, title, speaker, date, description, year, audio_url, audio_sha256, audio_bytes,
      audio_crc32, duration, deleted_at, scripture_start from teachings order by id`,
  })
  const epoch = await target.context.sql`select epoch from sync_clock`
  const report = await restore(target.context, await saved())
  expect(report).toMatchObject({
    written: true,
    rows: {
      teachings: 3,
      series: 2,
      elders: 1,
      events: 1,
      notices: 1,
      passages: 1,
      users: 1,
      listening_rows: 3,
    },
    recordings: 3,
    photos: 12,
    secrets: 'restored',
    hostKey: 'restored',
    sftpPassword: 'kept',
  })
  expect(await state(target.context)).toEqual(await state(context))
  // Restored teachings are not announced.
  expect(await target.context.sql`select 1 from push_news`).toHaveLength(0)
  for (const kind of ['audio', 'images']) {
    const names = (await readdir(path.join(app.dataDir, kind))).toSorted()
    expect((await readdir(path.join(target.dataDir, kind))).toSorted()).toEqual(names)
    for (const name of names) {
      const [there, here] = await Promise.all(
        [target.dataDir, app.dataDir].map((dataDir) => readFile(path.join(dataDir, kind, name))),
      )
      expect(there!.equals(here!), name).toBe(true)
    }
  }
  expect(await target.context.sql`select epoch from sync_clock`).not.toEqual(epoch)

  const client = target.client()
  await call(auth.login, { body: admin }, client)
  const body = { email: 'next@example.org', password: 'Correct-horse-9', name: 'Next' }
  expect((await call(users.create, { body }, client)).id).toBeGreaterThan(1)
  const played = await fetch(target.url + hope.audioUrl!)
  expect(played.headers.get('content-length')).toBe('300000')
  await played.arrayBuffer()
  expect((await fetch(target.url + elder.imageUrl!)).status).toBe(200)

  // Checked as at the next start of the server.
  const secrets = secretsUnder(await loadSecret(target.context.config))
  expect(await sftpPassword({ ...target.context, secrets })).toBe('Kōrero-9 at the desk')
  const { fingerprint } = await call(sftp.status, {}, client)
  expect(fingerprint).toBe((await call(sftp.status, {}, admin)).fingerprint)
  for (const name of ['app-secret', 'ssh-host-key', 'authorized_keys']) {
    const [there, here] = [target.dataDir, app.dataDir].map((dataDir) => path.join(dataDir, name))
    expect(await readFile(there!, 'utf8')).toBe(await readFile(here!, 'utf8'))
    expect([name, (await stat(there!)).mode & 0o777]).toEqual([name, 0o600])
  }
})

test.each([
  ['Grace', 'grace'],
  ['São João', 'sao-joao'],
  ['Church “希望”', 'church'],
  ['希望', 'fellowship'],
])('a backup of %s begins with %s', (shortName, prefix) => {
  setChurch({ ...church(), shortName })
  expect(backupFileName({ backupPassphrase: undefined }, 'everything', new Date('2026-12-01T00:00Z'))).toBe(
    `${prefix}-backup-2026-12-01.zip`,
  )
})

test('writes weekly backups when due, old ones expire', async () => {
  app.clock.set('2026-11-25T00:00Z')
  expect(await weeklyBackup(context)).toBe(true)
  expect(await weeklyBackup(context)).toBe(false)
  for (const time of ['2026-12-01T00:00Z', '2026-12-08T00:00Z']) {
    app.clock.set(time)
    expect(await weeklyBackup(context)).toBe(true)
  }
  const names = await readdir(path.join(folder, 'weekly'))
  expect(names.toSorted()).toEqual(['fellowship-backup-2026-12-01.zip', 'fellowship-backup-2026-12-08.zip'])
  const handle = await open(path.join(folder, 'weekly', names[0]!))
  expect((await handle.stat()).mode & 0o077).toBe(0)
  await handle.close()
  const { overdue, lastCompleteAt, weekly } = await call(backup.history, {}, admin)
  expect({ overdue, lastCompleteAt, keep: weekly.keep, nextAt: weekly.nextAt }).toEqual({
    overdue: false,
    lastCompleteAt: '2026-12-08T00:00:00.000Z',
    keep: 2,
    nextAt: '2026-12-13T14:30:00.000Z',
  })
  app.clock.set('2026-12-23T01:00Z')
  expect(await call(backup.history, {}, admin)).toMatchObject({ overdue: true, ageDays: 15 })
  // After a change of name, beside the files of another church.
  setChurch({ ...church(), shortName: 'Grace' })
  const foreign = 'hope-backup-2026-01-01.zip'
  await writeFile(path.join(folder, 'weekly', foreign), '')
  app.clock.set('2026-12-29T00:00Z')
  expect(await weeklyBackup(context)).toBe(true)
  expect((await readdir(path.join(folder, 'weekly'))).toSorted()).toEqual([
    'fellowship-backup-2026-12-08.zip',
    'grace-backup-2026-12-29.zip',
    foreign,
  ])
})
