import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { testDatabase } from '../testing/test-db.ts'

const { sql } = await testDatabase({ max: 20 })

const rev = async () => (await sql<{ rev: number }[]>`select rev from sync_clock`)[0]!.rev
const change = async (uid: string) =>
  (await sql`select kind, op, rev from sync_change where uid = ${uid}`)[0] as
    | { kind: string; op: string; rev: number }
    | undefined
const insert = async (title = 'Grace') => {
  const [row] = await sql<{ id: number; uid: string; rev: number }[]>`
    insert into teachings (title, speaker, date, year) values (${title}, 'A', '2026-11-22', 2026) returning id, uid, rev`
  return row!
}

test('every synced table has all three triggers, enabled', async () => {
  const rows = await sql<{ table: string; triggers: number }[]>`
    select c.relname as table, count(t.*) filter (where t.tgenabled = 'O')::int as triggers
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'rev' and a.attnum > 0
    join pg_attribute u on u.attrelid = c.oid and u.attname = 'uid'
    left join pg_trigger t on t.tgrelid = c.oid and t.tgname like 'sync\\_%'
    where c.relkind = 'r' and c.relname <> 'sync_change' group by 1 order by 1`
  expect(rows.map((row) => row.table)).toEqual(expect.arrayContaining(['elders', 'teachings']))
  expect(rows.filter((row) => row.triggers !== 3)).toEqual([])
})

test('equal writes and rollbacks make no change entries', async () => {
  const row = await insert()
  await sql`update teachings set title = title where id = ${row.id}`
  expect((await change(row.uid))?.rev).toBe(row.rev)
  const before = await rev()
  await sql
    .begin(async (tx) => {
      await tx`update teachings set title = 'x' where id = ${row.id}`
      throw new Error('rolled back')
    })
    .catch(() => undefined)
  expect(await rev()).toBe(before)
})

test('rows of one transaction share a revision across tables', async () => {
  const uids = await sql.begin(async (tx) => {
    const a = await tx<{ uid: string }[]>`
      insert into teachings (title, speaker, date, year) values ('T', 'A', '2026-01-02', 2026) returning uid`
    const b = await tx<{ uid: string }[]>`
      insert into elders (name, role, short_bio, extended_bio) values ('E', 'Elder', 's', 'l') returning uid`
    return [a[0]!.uid, b[0]!.uid]
  })
  const changes = await Promise.all(uids.map(change))
  expect(changes).toEqual([
    { kind: 'teaching', op: 'put', rev: await rev() },
    { kind: 'elder', op: 'put', rev: await rev() },
  ])
})

test('deletions sync as tombstones, a restored row as an update', async () => {
  const row = await insert()
  await sql`update teachings set deleted_at = now() where id = ${row.id}`
  expect(await change(row.uid)).toMatchObject({ op: 'del' })
  await sql`update teachings set deleted_at = null where id = ${row.id}`
  expect(await change(row.uid)).toMatchObject({ op: 'put' })
  await sql`delete from teachings where id = ${row.id}`
  expect(await change(row.uid)).toMatchObject({ op: 'del', rev: await rev() })
})

test('notifies listeners of a commit, not of a rollback', async () => {
  const heard: string[] = []
  const listening = await sql.listen('sync', (text) => heard.push(text))
  await sql
    .begin(async (tx) => {
      await tx`update sync_clock set floor = floor`
      await tx`select sync_alloc()`
      throw new Error('rolled back')
    })
    .catch(() => undefined)
  const row = await insert()
  for (let tries = 0; tries < 400 && heard.length === 0; tries++) await delay(25)
  expect(heard).toEqual([String(row.rev)])
  await listening.unlisten()
})

test('readers miss no change of many concurrent writers', async () => {
  const uids = Array.from({ length: 12 }, () => randomUUID())
  const pick = () => uids[Math.floor(Math.random() * uids.length)]!
  const failures: string[] = []
  const writer = async () => {
    for (let round = 0; round < 15; round++) {
      await sql
        .begin(async (tx) => {
          for (let step = 0; step < 3; step++) {
            const uid = pick()
            if (Math.random() < 0.25) await tx`delete from teachings where uid = ${uid}`
            else
              await tx`insert into teachings (uid, title, speaker, date, year)
                values (${uid}, ${randomUUID()}, 'A', '2026-01-01', 2026)
                on conflict (uid) do update set title = excluded.title`
          }
          if (Math.random() < 0.1) throw new Error('rolled back')
        })
        .catch((error: Error) => error.message === 'rolled back' || failures.push(error.message))
    }
  }
  let done = false
  const reader = async () => {
    const device = new Map<string, string>()
    let cursor = 0
    for (let last = false; !last;) {
      last = done
      await sql.begin('isolation level repeatable read read only', async (tx) => {
        const [head] = await tx<{ rev: number }[]>`select rev from sync_clock`
        const rows = await tx<{ uid: string; op: string; title: string | null }[]>`
          select c.uid, c.op, t.title from sync_change c left join teachings t on t.uid = c.uid
          where c.kind = 'teaching' and c.rev > ${cursor} and c.rev <= ${head!.rev} order by c.rev`
        for (const { uid, op, title } of rows) {
          if (op === 'put') device.set(uid, title!)
          else device.delete(uid)
        }
        cursor = head!.rev
      })
      await delay(2)
    }
    return device
  }
  const readers = [reader(), reader()]
  await Promise.all(Array.from({ length: 6 }, writer))
  done = true
  const devices = await Promise.all(readers)
  const truth = new Map(
    (
      await sql<{ uid: string; title: string }[]>`select uid, title from teachings where uid in ${sql(uids)}`
    ).map((row) => [row.uid, row.title]),
  )
  expect(failures).toEqual([])
  for (const device of devices) {
    expect(new Map([...device].filter(([uid]) => uids.some((known) => known === uid)))).toEqual(truth)
  }
})
