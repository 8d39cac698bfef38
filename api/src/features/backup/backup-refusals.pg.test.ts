import { execFile } from 'node:child_process'
import { mkdtemp, open, readdir, readFile, rm, stat, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { backup } from '@fellowship/schema/backup/backup.contract'
import { elders } from '@fellowship/schema/elders/elders.contract'
import { call } from '@fellowship/sync/call/call'
import type { Database } from '../../db/connection.ts'
import { openArchive } from '../../machine/zip/unzip.ts'
import { zipLayout } from '../../machine/zip/zip.ts'
import { changedBackup, savedBackup, type Tables } from '../../testing/changed-backup.ts'
import { plainPng } from '../../testing/sample-pictures.ts'
import { testDevice } from '../../testing/push-device.ts'
import { addRecordedTeaching } from '../../testing/recorded-teaching.ts'
import { testApp } from '../../testing/test-app.ts'
import { changedAfter } from '../../testing/test-db.ts'
import { seedSitePassages } from '../passages/passages.ts'
import { pushKeys, subscribe } from '../push/push.ts'
import { sftpPassword } from '../sftp/sftp.ts'
import { backupHistory, dailyBackup, weeklyBackup } from './backup.ts'
import { backedUpTables, endBackup } from './backup.sql.ts'
import { validatedTables } from './validate-rows.ts'
import { planBackup } from './backup-plan.ts'
import { manifest } from './manifest.ts'
import { restore } from './restore.ts'

const run = promisify(execFile)
const folder = await mkdtemp(path.join(tmpdir(), 'backup-refusals-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const app = await testApp({ BACKUP_DIR: path.join(folder, 'weekly') })
const admin = await app.signedIn('admin')
const { context } = app
const address = `${app.url}/api/backup/create-manual`
await addRecordedTeaching(app, { title: 'Hope' }, 1_000_000)
beforeEach(() => app.clock.advance(60_000))

const saved = (name: string) => savedBackup(admin, path.join(folder, name))
const history = () => call(backup.history, {}, admin)
const photoOf = (width: number) => new Blob([new Uint8Array(plainPng(width, 1250))])
const device = testDevice().subscription
const aUuid = '6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e01'
/** A row in each table that the product fills by itself. */
async function fillSmallTables() {
  const { sql } = context
  await seedSitePassages(context)
  await sql`insert into podcast (guid, feed_address) values (${aUuid}, 'https://example.org/feed.xml')
    on conflict do nothing`
  await sftpPassword(context)
  const [old, now] = ['ab', 'cd'].map((pair) => pair.repeat(32))
  await sql`insert into audio_moved (old_sha256, new_sha256) values (${old!}, ${now!}) on conflict do nothing`
  await sql`insert into series (slug, title, teachings) values ('hope', 'Hope', array[${aUuid}::uuid])
    on conflict do nothing`
  await sql`insert into listening_accounts (user_id) select min(id) from users on conflict do nothing`
  await sql`insert into listening_rows (user_id, kind, key, rev, content)
    select min(id), 'marks', ${aUuid}, 1, ${sql.json({ uid: aUuid, heard: { on: true, at: 1 } })} from users
    on conflict do nothing`
  await pushKeys(context)
  await subscribe(context, { subscription: device, every: 'week' })
}
async function addElder(name: string) {
  const body = { name, role: 'Elder', shortBio: 'Short', extendedBio: 'Long', displayOrder: 1 }
  const { id } = await call(elders.create, { body }, admin)
  return (await call(elders.photo, { params: { id }, files: { photo: photoOf(1000) } }, admin)).elder
}

describe('a resumed download', () => {
  test('a Range without id or If-Range gets the whole file', async () => {
    const response = await admin.fetch(address, { headers: { range: 'bytes=1000-' } })
    expect([response.status, response.headers.get('content-range')]).toEqual([200, null])
    expect((await response.arrayBuffer()).byteLength).toBe(Number(response.headers.get('content-length')))
  })

  test('curl resumes to a whole archive after three cuts', async () => {
    const { id, bytes } = await call(backup.prepare, {}, admin)
    const file = path.join(folder, 'by-curl.zip')
    const cookie = [...admin.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const curl = () => run('curl', ['-sSf', '-C', '-', '-b', cookie, '-o', file, `${address}?id=${id}`])
    await curl()
    for (const length of [1, 700_000, bytes - 30]) {
      await truncate(file, length)
      await curl()
    }
    expect((await stat(file)).size).toBe(bytes)
    expect((await run('unzip', ['-t', file])).stdout).toContain('No errors detected')
  })

  test('a download is complete when every byte was sent', async () => {
    const part = async (id: string, range: string) => {
      const response = await admin.fetch(`${address}?id=${id}`, { headers: { range: `bytes=${range}` } })
      return (await response.arrayBuffer()).byteLength
    }
    const resultOf = async (id: string) => (await history()).backups.find((line) => line.id === id)!.result
    const before = (await history()).lastCompleteAt
    app.clock.advance(60_000)
    const { id, bytes } = await call(backup.prepare, {}, admin)
    expect(await part(id, '-1')).toBe(1)
    expect(await part(id, '100-99999')).toBe(99_900)
    expect([await resultOf(id), (await history()).lastCompleteAt]).toEqual(['running', before])
    await part(id, '100000-')
    expect(await resultOf(id)).toBe('running')
    expect(await part(id, '0-200')).toBe(201)
    await expect.poll(() => resultOf(id)).toBe('complete')
    expect(bytes).toBeGreaterThan(100_000)
  })

  test('a displaced plan is recorded as interrupted', async () => {
    const { id } = await call(backup.prepare, {}, admin)
    for (let count = 0; count < 4; count += 1) {
      app.clock.advance(60_000)
      await call(backup.prepare, {}, admin)
    }
    expect((await admin.fetch(`${address}?id=${id}`)).status).toBe(404)
    expect((await history()).backups.find((line) => line.id === id)!.result).toBe('interrupted')
  })
})

describe('photos', () => {
  test('a photo replaced while planning is in the backup', async () => {
    const { id, imageUrl } = await addElder('Ana')
    const { storage } = context
    let replaced: string | null = null
    const plan = await planBackup({
      ...context,
      storage: {
        ...storage,
        // While the files of the recordings are being checked.
        stat: async (kind, name) => {
          replaced ??= (await call(elders.photo, { params: { id }, files: { photo: photoOf(900) } }, admin))
            .elder.imageUrl
          return storage.stat(kind, name)
        },
      },
    })
    expect(replaced).not.toBe(imageUrl)
    expect(plan.missing).toEqual([])
    const names = plan.layout.parts.map(({ source }) =>
      'content' in source ? source.content.toString('latin1') : '',
    )
    expect(names.some((text) => text.includes(`photos/${path.basename(imageUrl!)}`))).toBe(true)
  })

  test('reports missing photos before and after the backup', async () => {
    const { id, imageUrl } = await addElder('Ben')
    const name = path.basename(imageUrl!)
    await rm(path.join(app.dataDir, 'images', name))
    const gap = `photos/${name}`
    expect((await call(backup.prepare, {}, admin)).missing).toEqual([gap])
    app.clock.advance(60_000)
    const archive = await openArchive(await saved('gap.zip'))
    expect(manifest.parse(JSON.parse((await archive.read('manifest.json', 1e8)).toString())).missing).toEqual(
      [gap],
    )
    archive.close()
    await expect.poll(async () => (await history()).backups[0]!.sentence).toContain(gap)

    app.clock.set('2027-01-20T00:00:00Z')
    expect(await weeklyBackup(context)).toBe(true)
    expect((await history()).backups[0]).toMatchObject({ kind: 'weekly', result: 'complete' })
    const mails = await readdir(path.join(app.dataDir, 'outgoing'))
    expect(mails).toHaveLength(1)
    const mail = await readFile(path.join(app.dataDir, 'outgoing', mails[0]!), 'utf8')
    expect(mail.replaceAll('=\r\n', '').replaceAll('\r\n', ' ')).toContain(
      '1 file of the library is not in this backup',
    )
    await call(elders.remove, { params: { id } }, admin)
  })
})

describe('a restore is refused, with nothing written,', async () => {
  const target = await testApp()
  /** A sparse file whose entries have their declared sizes without taking disk space. */
  async function archiveOf(name: string, entries: { name: string; bytes: number }[]): Promise<string> {
    const file = path.join(folder, name)
    const source = { open: async () => undefined }
    const layout = zipLayout(entries.map((entry) => ({ ...entry, crc32: 0, modified: new Date(), source })))
    const handle = await open(file, 'w')
    for (const { at, source: part } of layout.parts) {
      if ('content' in part) await handle.write(part.content, 0, part.content.length, at)
    }
    await handle.close()
    return file
  }
  let good: Promise<string> | undefined
  async function goodBackup() {
    await addElder('Cara')
    await fillSmallTables()
    return saved('good.zip')
  }
  const withRows = async (name: string, change: (tables: Tables) => void) =>
    changedBackup(await (good ??= goodBackup()), path.join(folder, name), ({ tables }) => change(tables))

  test('rows of every table are validated', async () => {
    expect(validatedTables.toSorted()).toEqual(
      (await backedUpTables(context.sql, { copies: true })).toSorted(),
    )
  })

  test('accepts the rows of a product in use', async () => {
    await fillSmallTables()
    const report = await restore(target.context, await saved('in-use.zip'), { dryRun: true })
    const counts =
      'passages podcast series sftp_settings audio_moved audit_log listening_accounts listening_rows push_keys push_subscriptions'
    for (const table of counts.split(' ')) expect(report.rows[table], table).toBeGreaterThan(0)
  })

  test("accepts rows of earlier releases outside today's limits", async () => {
    const file = await withRows('earlier.zip', ({ elders: rows, users }) => {
      rows![0]!['display_order'] = 1_000_001
      users![0]!['email'] = 'josé@example.org'
    })
    expect((await restore(target.context, file, { dryRun: true })).rows['elders']).toBeGreaterThan(0)
  })

  test('a manifest of gigabytes is refused unread', async () => {
    const file = await archiveOf('huge.zip', [{ name: 'manifest.json', bytes: 3e9 }])
    const before = process.memoryUsage().rss
    await expect(restore(target.context, file)).rejects.toThrow('manifest.json has 3000000000 bytes')
    expect(process.memoryUsage().rss - before).toBeLessThan(200e6)
  })

  test.each<[string, (tables: Tables) => void, RegExp]>([
    [
      'a photo elsewhere',
      ({ elders: rows }) => (rows![0]!['image_url'] = 'https://evil.example/x.webp'),
      /elders \d+, imageUrl/,
    ],
    [
      'the picture of a series elsewhere',
      ({ series: rows }) => (rows![0]!['image_url'] = 'https://evil.example/x.webp'),
      /series [0-9a-f-]+, imageUrl/,
    ],
    [
      'a script as photo',
      ({ elders: rows }) => (rows![0]!['image_url'] = 'javascript:alert(1)'),
      /elders \d+, imageUrl/,
    ],
    [
      'a recording elsewhere',
      ({ teachings: rows }) => (rows![0]!['audio_url'] = '//evil.example/a.mp3'),
      /teachings \d+, audio_url/,
    ],
    [
      'the recording of another',
      ({ teachings: rows }) => (rows![0]!['audio_url'] = `/audio/${'ab'.repeat(32)}.mp3`),
      /teachings \d+, audio_url/,
    ],
    [
      'an impossible date',
      ({ teachings: rows }) => (rows![0]!['date'] = '2026-02-30'),
      /teachings \d+, date/,
    ],
    [
      'a title with a control character',
      ({ teachings: rows }) => (rows![0]!['title'] = 'A\u0007B'),
      /teachings \d+, title/,
    ],
    ['an address that is none', ({ users: rows }) => (rows![0]!['email'] = 'a b@c.nz'), /users \d+, email/],
    ['an unknown role', ({ users: rows }) => (rows![0]!['role'] = 'owner'), /users \d+, role/],
    ['a uid that is none', ({ teachings: rows }) => (rows![0]!['uid'] = 'x'), /teachings \d+, uid/],
    [
      'a passage of no verses',
      ({ passages: rows }) => (rows![0]!['reference'] = 'Hesitations 3:1'),
      /passages \d+, reference/,
    ],
    [
      'a passage with a control character',
      ({ passages: rows }) => (rows![0]!['text'] = 'For God\u0000 so loved'),
      /passages \d+, text/,
    ],
    [
      'a series at no address',
      ({ series: rows }) => (rows![0]!['slug'] = '../admin'),
      /series [0-9a-f-]{36}, slug/,
    ],
    [
      'a series of what is no teaching',
      ({ series: rows }) => (rows![0]!['teachings'] = ['<b>x</b>']),
      /series [0-9a-f-]{36}, teachings/,
    ],
    [
      'a note of 3,000 characters',
      ({ listening_rows: rows }) =>
        Object.assign(rows![0]!, {
          kind: 'note',
          content: {
            id: aUuid,
            uid: aUuid,
            seconds: 1,
            text: 'x'.repeat(3000),
            createdAt: 1,
            changedAt: 1,
            removed: false,
          },
        }),
      /listening_rows [0-9a-f-]{36}, change.row.text/,
    ],
    [
      'listening under another key',
      ({ listening_rows: rows }) => (rows![0]!['key'] = '00000000-0000-4000-8000-000000000000'),
      /listening_rows [0-9a-f-]{36}, key/,
    ],
    [
      'an account of listening in no state',
      ({ listening_accounts: rows }) => (rows![0]!['generation'] = 'x'),
      /listening_accounts .*generation/,
    ],
    [
      'a device in a private network',
      ({ push_subscriptions: rows }) => (rows![0]!['endpoint'] = 'https://10.0.0.1/x'),
      /push_subscriptions [0-9a-f-]{36}, endpoint/,
    ],
    [
      'a device with a damaged key',
      ({ push_subscriptions: rows }) => (rows![0]!['p256dh'] = 'B'),
      /push_subscriptions [0-9a-f-]{36}, keys.p256dh/,
    ],
    [
      'a key of no server',
      ({ push_keys: rows }) => (rows![0]!['public_key'] = 'x'),
      /push_keys .*public_key/,
    ],
    [
      'a feed that is a script',
      ({ podcast: rows }) => (rows![0]!['feed_address'] = 'javascript:alert(1)'),
      /podcast .*feed_address/,
    ],
    [
      'a port that does not exist',
      ({ sftp_settings: rows }) => (rows![0]!['port'] = 70_000),
      /sftp_settings .*port/,
    ],
    [
      'a recording that moved out of the library',
      ({ audio_moved: rows }) => (rows![0]!['new_sha256'] = '../../etc/passwd'),
      /audio_moved .*new_sha256/,
    ],
    [
      'a line of the log whose action is markup',
      ({ audit_log: rows }) => (rows![0]!['action'] = '<b>x</b>'),
      /audit_log \d+, action/,
    ],
  ])('refuses %s among the rows', async (_, change, sentence) => {
    await expect(restore(target.context, await withRows('rows.zip', change))).rejects.toThrow(sentence)
    expect(await target.context.sql`select 1 from teachings`).toHaveLength(0)
    expect(await readdir(path.join(target.dataDir, 'audio'))).toEqual([])
  })

  test('refuses files that exceed the disk', async () => {
    const full = { ...target.context.storage, freeBytes: () => Promise.resolve(1000) }
    await expect(restore({ ...target.context, storage: full }, await saved('big.zip'))).rejects.toThrow(
      'Free space first',
    )
  })
})

test('daily files of the rows expire and can be restored', async () => {
  const days = Array.from({ length: 16 }, (_, at) => `2027-02-${String(at + 1).padStart(2, '0')}`)
  for (const day of days) {
    app.clock.set(`${day}T09:00:00+13:00`)
    expect(await dailyBackup(context)).toBe(true)
    app.clock.set(`${day}T23:00:00+13:00`)
    expect(await dailyBackup(context)).toBe(false)
  }
  const names = (await readdir(path.join(folder, 'weekly')))
    .filter((name) => name.includes('database'))
    .toSorted()
  expect(names).toEqual(days.slice(2).map((day) => `fellowship-database-${day}.zip`))
  const newest = path.join(folder, 'weekly', names.at(-1)!)
  const { size, mode } = await stat(newest)
  expect([size < 200_000, mode & 0o077]).toEqual([true, 0])

  const audio = await readdir(path.join(app.dataDir, 'audio'))
  await context.sql`update teachings set title = 'Overwritten by mistake'`
  const report = await restore(context, newest, { replace: true })
  expect(report).toMatchObject({ written: true, scope: 'database', recordings: 0, rows: { teachings: 1 } })
  expect(await context.sql`select title from teachings`).toEqual([{ title: 'Hope' }])
  expect(await readdir(path.join(app.dataDir, 'audio'))).toEqual(audio)
})

test('daily files do not count as a whole backup', async () => {
  const plain = await testApp()
  const person = await plain.signedIn('admin')
  expect(await dailyBackup(plain.context)).toBe(true)
  const { overdue, lastCompleteAt, daily, backups } = await call(backup.history, {}, person)
  expect({ overdue, lastCompleteAt, kind: backups[0]!.kind }).toEqual({
    overdue: true,
    lastCompleteAt: null,
    kind: 'daily',
  })
  expect(daily).toMatchObject({ folder: path.join(plain.dataDir, 'backups'), keep: 14 })
  expect(await readdir(daily.folder)).toEqual([backups[0]!.fileName])
})

test('a backup that completes meanwhile is not listed beside a warning', async () => {
  const plain = await testApp()
  const { id } = await call(backup.prepare, {}, await plain.signedIn('admin'))
  const { sql, clock } = plain.context
  const complete = () => endBackup(sql, id, { result: 'complete', at: clock.now() })
  const seenBy = async (database: Database) => {
    const { backups, overdue } = await backupHistory({ ...plain.context, sql: database })
    return { result: backups[0]!.result, overdue }
  }
  expect(await seenBy(changedAfter(sql, /from backups/, complete))).toEqual({
    result: 'running',
    overdue: true,
  })
  expect(await seenBy(sql)).toEqual({ result: 'complete', overdue: false })
})
