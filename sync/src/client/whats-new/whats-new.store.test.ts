import 'fake-indexeddb/auto'
import { newUids, sessionGapMs } from '@fellowship/schema/whats-new/whats-new'
import type { Change, SyncPage } from '@fellowship/schema/sync/sync.schema'
import { anElder, aTeaching } from '@fellowship/schema/testing/builders'
import type { Elder } from '@fellowship/schema/elders/elders.schema'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { toColumns } from '../../protocol/columns.ts'
import { AppDatabase } from '../database/app-database.ts'
import { applyPage } from '../replica/apply-page.ts'
import { readSyncState } from '../replica/sync-state.ts'
import { readWhatsNew, recordPageView } from './whats-new.store.ts'

let db: AppDatabase
let names = 0
beforeEach(() => {
  db = new AppDatabase(`whats-new-${(names += 1)}`)
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
const snapshot = (teachings: Teaching[], elders: Elder[] = []): SyncPage => ({
  mode: 'snapshot',
  tables: { teaching: toColumns(teachings), elder: toColumns(elders) },
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

/** The new teachings of a session that starts long after the one that fetched the library. */
async function markedInNextSession(): Promise<string[]> {
  await recordPageView(2 * sessionGapMs, db)
  const { whatsNew, sessions } = await readWhatsNew(db)
  return newUids(whatsNew, sessions)
}

test.each(['before', 'after'])('a view %s the first library, edits and elders mark nothing', async (view) => {
  if (view === 'before') await recordPageView(0, db)
  await apply(snapshot(rows(1, 2)))
  if (view === 'after') await recordPageView(0, db)
  await apply(delta(put({ ...rows(1)[0]!, rev: 9 }), put(anElder({ uid: uid(7) }), 'elder')))
  await apply(snapshot(rows(1, 2), [anElder({ uid: uid(8) })]))
  expect(await markedInNextSession()).toEqual([])
})

test('marks teachings of deltas and later snapshots, not stale ones', async () => {
  await apply(snapshot(rows(1, 2)))
  await recordPageView(0, db)
  await apply(delta(put(rows(1)[0]!), put(rows(3)[0]!)))
  await apply(snapshot(rows(1, 2, 3, 4)))
  expect(await applyPage(db, { cursor: 'another' }, delta(put(rows(5)[0]!)), 1)).toBe('stale')
  expect(await markedInNextSession()).toEqual([uid(3), uid(4)])
})

test('a teaching restored from the bin is not new', async () => {
  await apply(snapshot(rows(1, 2, 3)))
  await recordPageView(0, db)
  await apply(delta({ kind: 'teaching', uid: uid(1), rev: 8, op: 'del' }))
  await apply(snapshot(rows(3)))
  await apply(delta(put(rows(1)[0]!), put(rows(2)[0]!)))
  expect(await markedInNextSession()).toEqual([])
})
