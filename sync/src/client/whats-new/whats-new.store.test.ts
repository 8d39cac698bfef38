import 'fake-indexeddb/auto'
import { newUids, visitGapMs } from '@fellowship/schema/whats-new/whats-new'
import type { Change, SyncPage } from '@fellowship/schema/sync/sync.schema'
import { anElder, aTeaching } from '@fellowship/schema/testing/builders'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { toColumns } from '../../protocol/columns.ts'
import { AppDatabase } from '../database/app-database.ts'
import { applyPage } from '../replica/apply-page.ts'
import { readSyncState } from '../replica/sync-state.ts'
import { noteLook, readNews } from './whats-new.store.ts'

let db: AppDatabase
let names = 0
beforeEach(() => {
  db = new AppDatabase(`arrivals-${(names += 1)}`)
})
afterEach(() => db.delete())

const uid = (n: number) => `00000000-0000-4000-8000-00000000000${n}`
const rows = (...numbers: number[]) =>
  numbers.map((n) => aTeaching({ id: n, uid: uid(n), rev: n, title: `Teaching ${n}` }))

const frame = () => ({
  next: `cursor-${(names += 1)}`,
  more: false as const,
  head: { rev: 1 },
  serverTime: '2026-11-23T00:00:00.000Z',
  minClientSchema: 1,
})
const snapshot = (teachings: Teaching[]): SyncPage => ({
  mode: 'snapshot',
  tables: { teaching: toColumns(teachings) },
  ...frame(),
})
const delta = (...changes: Change[]): SyncPage => ({ mode: 'delta', changes, ...frame() })
const put = (row: { uid: string; rev: number }, kind = 'teaching'): Change => ({
  kind,
  uid: row.uid,
  rev: row.rev,
  op: 'put',
  row: { ...row },
})

const apply = async (page: SyncPage) => applyPage(db, await readSyncState(db), page, 1)

/** What a visit marks that begins a day after the one in which the device got its library. */
async function markedOnNextVisit(): Promise<string[]> {
  await noteLook(2 * visitGapMs, db)
  const { arrivals, visits } = await readNews(db)
  return newUids(arrivals, visits)
}

test('the first library marks nothing, nor do edits, elders, and rows of another build of the page', async () => {
  await apply(snapshot(rows(1, 2)))
  await noteLook(0, db)
  await apply(delta(put({ ...rows(1)[0]!, rev: 9 }), put(anElder({ uid: uid(7) }), 'elder')))
  await apply(snapshot(rows(1, 2)))
  expect(await markedOnNextVisit()).toEqual([])
})

test('marks what came in a page of changes and in a later snapshot, not what was stale', async () => {
  await apply(snapshot(rows(1, 2)))
  await noteLook(0, db)
  await apply(delta(put(rows(1)[0]!), put(rows(3)[0]!)))
  await apply(snapshot(rows(1, 2, 3, 4)))
  expect(await applyPage(db, { cursor: 'another' }, delta(put(rows(5)[0]!)), 1)).toBe('stale')
  expect(await markedOnNextVisit()).toEqual([uid(3), uid(4)])
})

test('a teaching that comes back out of the bin is not new', async () => {
  await apply(snapshot(rows(1, 2, 3)))
  await noteLook(0, db)
  await apply(delta({ kind: 'teaching', uid: uid(1), rev: 8, op: 'del' }))
  await apply(snapshot(rows(3)))
  await apply(delta(put(rows(1)[0]!), put(rows(2)[0]!)))
  expect(await markedOnNextVisit()).toEqual([])
})
