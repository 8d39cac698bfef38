import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { backup } from '@fellowship/schema/backup/backup.contract'
import { elders } from '@fellowship/schema/elders/elders.contract'
import { users } from '@fellowship/schema/users/users.contract'
import { call } from '@fellowship/sync/call/call'
import { changedBackup, savedBackup, type Tables } from '../../testing/changed-backup.ts'
import { testDevice } from '../../testing/push-device.ts'
import { plainPng } from '../../testing/sample-pictures.ts'
import { addRecordedTeaching } from '../../testing/recorded-teaching.ts'
import { testApp } from '../../testing/test-app.ts'
import { refusal } from '../../testing/test-client.ts'
import { dailyBackup, weeklyBackup } from './backup.ts'
import { planBackup } from './backup-plan.ts'
import { restore } from './restore.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'restore-changed-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const app = await testApp({ BACKUP_DIR: path.join(folder, 'weekly') })
const target = await testApp()
const { context } = app
const { sql } = context
const admin = await app.signedIn('admin')
for (const title of ['Hope', 'Grace']) await addRecordedTeaching(app, { title }, 3_000 + title.length)
await addElder()
const device = testDevice().subscription
await sql`insert into push_subscriptions (endpoint, p256dh, auth, every, created_at)
  values (${device.endpoint}, ${device.keys.p256dh}, ${device.keys.auth}, 'week', now())`
await sql`insert into audit_archive (first_id, last_id, from_at, to_at, lines) values (1, 2, now(), now(), '[]')`
await sql`insert into listening_accounts (user_id) select min(id) from users`
await sql`insert into listening_rows (user_id, kind, key, rev, content)
  select user_id, 'marks', key, 1, jsonb_build_object('uid', key, 'heard', jsonb_build_object('on', true, 'at', 1))
  from listening_accounts, gen_random_uuid() as key`
beforeEach(() => app.clock.advance(60_000))

async function addElder() {
  const body = { name: 'Ana', role: 'Elder', shortBio: 'Short', extendedBio: 'Long', displayOrder: 1 }
  const { id } = await call(elders.create, { body }, admin)
  const photo = new Blob([new Uint8Array(plainPng(1000, 1250))])
  await call(elders.photo, { params: { id }, files: { photo } }, admin)
}
const saved = () => savedBackup(admin, path.join(folder, 'saved.zip'))
const changed = async (change: Parameters<typeof changedBackup>[2]) =>
  changedBackup(await saved(), path.join(folder, 'changed.zip'), change)
const audit = (tables: Tables) => tables['audit_log']![0]!
const history = async () => (await call(backup.history, {}, admin)).backups

describe('a changed backup', () => {
  test.each<[string, Parameters<typeof changedBackup>[2], RegExp]>([
    [
      'the bytes of one recording under the name of another',
      ({ about, contents }) => {
        const [first, second] = about.files.filter(({ kind }) => kind === 'audio')
        contents.set(first!.name, contents.get(second!.name)!)
      },
      /is named after another recording/,
    ],
    [
      'a script as picture',
      ({ about, contents }) =>
        contents.set(about.files.find(({ kind }) => kind === 'images')!.name, Buffer.from('<script>')),
      /photos\/.* is no picture/,
    ],
    [
      'a length that is not that of the recording',
      ({ tables }) => (tables['teachings']![0]!['audio_bytes'] = 7),
      /teachings \d+, audio_bytes: its recording has \d+ bytes/,
    ],
    ['a moment in words', ({ tables }) => (audit(tables)['at'] = 'tomorrow'), /audit_log \d+, at/],
    ['an unknown column', ({ tables }) => (audit(tables)['ip'] = '10.0.0.1'), /audit_log \d+, ip/],
    [
      'a missing value',
      ({ tables }) => (audit(tables)['action'] = null),
      /audit_log \d+, action: is missing/,
    ],
    [
      'a text beyond its column',
      ({ tables }) => (tables['teachings']![0]!['audio_mime'] = `audio/${'x'.repeat(100)}`),
      /teachings \d+, audio_mime: has more than 100 characters/,
    ],
    [
      'a value that breaks a constraint',
      ({ tables }) => (tables['teachings']![0]!['audio_crc32'] = -1),
      /teachings \d+, .*violates check constraint/,
    ],
    [
      'two rows with one key',
      ({ tables }) => tables['audit_log']!.push({ ...audit(tables) }),
      /audit_log \d+, duplicate key/,
    ],
    [
      'a row of an absent account',
      ({ tables }) => (tables['listening_rows']![0]!['user_id'] = 77_777),
      /listening_rows .*, user_id: refers to a row of users that is not there/,
    ],
    [
      'no administrator',
      ({ tables }) => tables['users']!.forEach((row) => (row['role'] = 'user')),
      /No account in this backup is an active administrator/,
    ],
    ['a table of no release', ({ tables }) => (tables['secrets'] = [{ id: 1 }]), /it has rows of secrets/],
    [
      'the migration of a newer release',
      ({ about }) => (about.migration += 1),
      /of a newer release: its database has migration \d+, and this release has migrations up to \d+/,
    ],
  ])('a restore refuses %s untouched', async (_, change, sentence) => {
    await expect(restore(target.context, await changed(change))).rejects.toThrow(sentence)
    expect(await target.context.sql`select 1 from users`).toHaveLength(0)
    expect(await readdir(path.join(target.dataDir, 'audio'))).toEqual([])
  })

  test('numbers and moments far outside restore to usable ones', async () => {
    // No other row refers to its number.
    await sql`insert into users (email, password, name) values ('far@example.org', 'x', 'x')`
    await sql`update users set lock_until = 'infinity' where email = 'far@example.org'`
    const file = await changed(({ tables, about }) => {
      for (const [table, rows] of Object.entries(tables)) if (rows.length > 0) damage(table, rows.at(-1)!)
      about.createdAt = '2026-11-28T00:00:00.000Z'
    })
    const { rows } = await restore(target.context, file, { replace: true, withAccounts: true })
    const damaged = [
      'audit_archive',
      'audit_log',
      'elders',
      'listening_rows',
      'push_subscriptions',
      'teachings',
      'users',
    ]
    expect(damaged.filter((table) => !rows[table])).toEqual([])
    const { sql: restored } = target.context
    expect(
      await restored`select * from (
          select at as moment from audit_log union all select lock_until from users
          union all select created_at from users union all select deleted_at from teachings) moments
        where moment > '2027-01-01'`,
    ).toEqual([])
    expect(await restored`select 1 from teachings where audio_bytes > 1e6`).toEqual([])
    expect(await restored`select 1 from audit_log where id > 1e9`).toEqual([])
    expect(await restored`select 1 from push_subscriptions where failures > 0`).toEqual([])
    expect(await restored`select 1 from audit_archive where last_id > 1e9`).toEqual([])
    expect(await restored`select 1 from listening_rows where content::text like '%9007199254740%'`).toEqual(
      [],
    )
    const [account] = await restored<{ rev: number; most: number }[]>`
      select rev, (select max(rev) from listening_rows) as most from listening_accounts`
    expect(account!.rev).toBeLessThan(1_000)
    expect(account!.most).toBeLessThanOrEqual(account!.rev)
    for (const { context: from } of [app, target]) {
      const plan = await planBackup(from)
      expect(plan.refused).toBeUndefined()
      await plan.release()
    }
    await expectUsable(target)
  })
})

/** Gives each number and moment a value that nothing of the product writes, in the database's JSON. */
function damage(table: string, row: Record<string, unknown>): void {
  const far = 9_007_199_254_740_000
  const references = ['user_id', 'year', 'display_order', 'scripture_start', 'scripture_end', 'audio_crc32']
  for (const [name, value] of Object.entries(row)) {
    if (references.includes(name)) continue
    if (/(?:^at|_at|_until|_expires)$/.test(name)) row[name] = 'infinity'
    // Of serial columns; those of four bytes cannot be farther.
    else if (name === 'id' && table !== 'series') row[name] = table === 'audit_log' ? far : 2_147_483_647
    else if (name === 'login_attempts' || name === 'failures') row[name] = 2_147_483_647
    else if (typeof value === 'number') row[name] = far
    else if (name === 'content') row[name] = JSON.parse(JSON.stringify(value).replaceAll(/:\d+/g, `:${far}`))
  }
}

async function expectUsable({ url, context: { sql: rows } }: typeof app) {
  const answer = await fetch(`${url}/api/sync`)
  expect(answer.status).toBe(200)
  const { rev } = (await rows<{ rev: number }[]>`select max(rev) as rev from teachings`)[0]!
  expect(rev).toBeLessThan(Date.parse('2100-01-01'))
  const [added] = await rows<{ id: number }[]>`
    insert into users (email, password, name) values (${randomBytes(6).toString('hex')}, 'x', 'x') returning id`
  expect(added!.id).toBeLessThan(1_000_000)
}

test('a good backup heals a damaged database', async () => {
  const file = await saved()
  await restore(target.context, file, { replace: true, withAccounts: true })
  await target.context.sql`update sync_clock set rev = 9007199254740993`
  await target.context.sql`select setval('users_id_seq', 2147483640)`
  await restore(target.context, file, { replace: true, withAccounts: true })
  await expectUsable(target)
})

test('accounts that differ from those of today come back inactive', async () => {
  const [removed, deactivated, renewed, demoted] = await Promise.all(
    ['user', 'user', 'user', 'admin'].map((role) => app.signedIn(role as 'user')),
  )
  const same = await app.signedIn('user')
  const file = await saved()
  const idOf = async ({ email }: { email: string }) =>
    (await call(users.list, {}, admin)).find((user) => user.email === email)!.id
  const update = async (of: { email: string }, body: object) =>
    call(users.update, { params: { id: await idOf(of) }, body }, admin)
  await call(users.remove, { params: { id: await idOf(removed!) } }, admin)
  await update(deactivated!, { isActive: false })
  await update(renewed!, { password: 'Other-horse-1' })
  await update(demoted!, { role: 'user' })

  const report = await restore(context, file, { replace: true })
  const expected = [
    [removed, 'deleted since'],
    [deactivated, 'deactivated since'],
    [renewed, 'another password today'],
    [demoted, 'another role today'],
  ] as const
  expect(report.accounts.toSorted((a, b) => (a.email < b.email ? -1 : 1))).toEqual(
    expected
      .map(([of, change]) => ({ email: of!.email, change, isInactive: true }))
      .toSorted((a, b) => (a.email < b.email ? -1 : 1)),
  )
  const signIn = ({ email, password }: typeof same) =>
    call(auth.login, { body: { email, password } }, app.client())
  for (const person of [removed, deactivated, renewed, demoted])
    expect((await refusal(signIn(person!))).status).toBe(403)
  await signIn(same)

  expect((await restore(context, file, { replace: true, withAccounts: true })).accounts[0]).toMatchObject({
    isInactive: false,
  })
  await signIn(removed!)
  await call(auth.login, { body: { email: admin.email, password: admin.password } }, admin)
})

test('a restore without any active administrator is refused', async () => {
  const file = await saved()
  await sql`update users set password = 'another' where role = 'admin'`
  await expect(restore(context, file, { replace: true })).rejects.toThrow(
    /No administrator would remain active: .*--with-accounts/,
  )
  expect(await sql`select 1 from users where password = 'another'`).not.toHaveLength(0)
})

describe('a plan', () => {
  test('a plan too large to restore names the largest table', async () => {
    await expect(planBackup(context, { databaseBytes: 2_000 })).rejects.toThrow(
      /more than the 1 MB that a restore accepts; the table \w+ alone has 1 MB/,
    )
  })

  test('a failed plan is in the history and mailed', async () => {
    const { storage } = context
    const broken = {
      ...context,
      storage: { ...storage, stat: () => Promise.reject(new Error('The disk is away.')) },
    }
    app.clock.set('2027-03-03T00:00:00Z')
    expect(await weeklyBackup(broken)).toBe(false)
    expect(await dailyBackup({ ...broken, sql: failing() })).toBe(false)
    const lines = await history()
    expect(lines.slice(0, 2).map(({ kind, result, sentence }) => [kind, result, sentence])).toEqual(
      expect.arrayContaining([
        ['weekly', 'failed', 'The disk is away.'],
        ['daily', 'failed', 'The database is away.'],
      ]),
    )
    const administrators = await sql`select 1 from users where role = 'admin' and is_active`
    const mails = () => readdir(path.join(app.dataDir, 'outgoing'))
    expect(await mails()).toHaveLength(2 * administrators.length)
    app.clock.advance(60 * 60_000)
    expect(await dailyBackup({ ...broken, sql: failing() })).toBe(false)
    expect(await dailyBackup(context)).toBe(true)
    expect(await mails()).toHaveLength(2 * administrators.length)
  })

  test('a backup with a row that restores refuse is failed', async () => {
    const [row] = await sql<{ id: number }[]>`
      insert into audit_log (actor, action) values ('Tester', 'no action') returning id`
    app.clock.set('2027-03-20T00:00:00Z')
    expect(await weeklyBackup(context)).toBe(true)
    const [line] = await history()
    expect([line!.kind, line!.result, line!.sentence]).toEqual([
      'weekly',
      'failed',
      expect.stringMatching(new RegExp(`^A restore would refuse .*: audit_log ${row!.id}, action: `)),
    ])
    await sql`delete from audit_log where id = ${row!.id}`
  })

  test('many rows are written from a file and restored', async () => {
    await sql`insert into listening_rows (user_id, kind, key, rev, content)
      select user_id, 'note', key, 1, jsonb_build_object('id', key, 'uid', key, 'seconds', 1, 'text', repeat('“{\\"}', 400),
        'createdAt', 1, 'changedAt', 1, 'removed', false)
      from listening_accounts, lateral (select gen_random_uuid() as key from generate_series(1, 1500)) as keys`
    const file = await saved()
    expect((await readdir(app.dataDir)).filter((name) => name.startsWith('.database'))).toEqual([])
    const report = await restore(target.context, file, { replace: true, withAccounts: true })
    expect(report.rows['listening_rows']).toBe(1501)
    const rows = (from: typeof app) =>
      from.context.sql`select md5(string_agg(content::text, '' order by key)) as sum from listening_rows`
    expect(await rows(target)).toEqual(await rows(app))
  })
})

/** A database whose transactions fail. */
function failing(): typeof sql {
  return new Proxy(sql, {
    get: (of, name) =>
      name === 'begin'
        ? () => Promise.reject(new Error('The database is away.'))
        : (Reflect.get(of, name) as unknown),
  })
}
