import { beforeEach, expect, test } from 'vitest'
import type { DeltaPage, SyncPage } from '@fellowship/schema/sync/sync.schema'
import { decodeCursor, encodeCursor } from '@fellowship/sync/protocol/cursor'
import { readPage } from '@fellowship/sync/server/change-feed'
import { parseEnv } from '../../config/config.ts'
import { systemClock } from '../../machine/clock.ts'
import { letDaysPass, testDatabase } from '../../testing/test-db.ts'
import { feedOf, purgeTombstones, readClock, syncPages } from './sync.ts'

const { sql } = await testDatabase()
const config = parseEnv({})
const feed = feedOf({ sql, config })
const add = (name: string) => sql`
  insert into elders (name, role, short_bio, extended_bio) values (${name}, 'Elder', 's', 'l')`

beforeEach(async () => {
  await sql`delete from elders`
})

test('a page excludes commits made while it is read', async () => {
  await add('Before')
  await feed.consistently(async (view) => {
    const { rev } = await view.clock()
    await add('Meanwhile')
    const { elder } = await view.allRows()
    expect(elder.map(({ name }) => name)).toEqual(['Before'])
    expect(await view.changesAfter(rev, 10)).toEqual([])
    expect((await view.clock()).rev).toBe(rev)
  })
  expect((await readClock(sql)).rev).toBeGreaterThan(0)
})

test('a device that missed a purged tombstone takes a snapshot', async () => {
  await add('Stays')
  await add('Goes')
  const before = encodeCursor(await readClock(sql))
  await sql`delete from elders where name = 'Goes'`
  const after = encodeCursor(await readClock(sql))
  await letDaysPass(sql, 2)
  expect(await purgeTombstones(sql, 3)).toBe(0)
  expect((await readPage(feed, { since: before }, new Date())).mode).toBe('delta')
  expect(await purgeTombstones(sql, 1)).toBeGreaterThan(0)
  expect((await readPage(feed, { since: before }, new Date())).mode).toBe('snapshot')
  const rest = (await readPage(feed, { since: after }, new Date())) as DeltaPage
  expect([rest.mode, rest.changes]).toEqual(['delta', []])
})

test('a cached snapshot is not served in a later epoch', async () => {
  await add('Kept')
  const page = syncPages({ sql, config, clock: systemClock })
  const served = async () => {
    const { body } = await page({}, await readClock(sql), undefined, () => undefined)
    return decodeCursor((JSON.parse(body.toString()) as SyncPage).next)
  }
  const first = await served()
  await sql`update sync_clock set epoch = gen_random_uuid()`
  const { epoch, rev } = await readClock(sql)
  expect(rev).toBe(first!.rev)
  expect(await served()).toMatchObject({ epoch, rev })
})

test('a cached digest is not served in a later epoch', async () => {
  await add('Kept')
  const digest = () =>
    feed.consistently(async (view) => {
      const clock = await view.clock()
      return { rev: clock.rev, digests: await view.digests!(clock) }
    })
  const first = await digest()
  expect(await digest()).toEqual(first)
  // As another copy of the database: other rows under the same revision.
  await sql`update sync_change set uid = gen_random_uuid() where kind = 'elder' and op = 'put'`
  await sql`update sync_clock set epoch = gen_random_uuid()`
  const second = await digest()
  expect(second.rev).toBe(first.rev)
  expect(second.digests.digest).not.toEqual(first.digests.digest)
  await sql`delete from sync_change where kind = 'elder' and op = 'put'`
})

test('pages from many revisions are read once after an upload', async () => {
  const cursors: string[] = []
  for (let at = 0; at < 300; at++) {
    cursors.push(encodeCursor(await readClock(sql)))
    await add(`Number ${at}`)
  }
  let reads = 0
  const page = syncPages({ sql, config, clock: systemClock })
  const pull = async (since: string) => page({ since }, await readClock(sql), undefined, () => (reads += 1))
  for (const since of cursors.slice(100)) await pull(since)
  for (const since of cursors.slice(100)) await pull(since)
  expect(reads).toBe(200)
  // More than fit in the cache: the most requested stay.
  for (const since of cursors.slice(0, 100)) {
    await pull(since)
    await pull(cursors.at(-1)!)
  }
  expect(reads).toBe(300)
})
