import 'fake-indexeddb/auto'
import { aTeaching } from '@fellowship/schema/testing/builders'
import type { Site } from '@fellowship/schema/site/site.contract'
import { textOf } from '@fellowship/schema/teachings/teaching-words'
import type { DeltaPage, SnapshotPage } from '@fellowship/schema/sync/sync.schema'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { expect, test } from 'vitest'
import { toColumns } from '../../protocol/columns.ts'
import { encodeCursor } from '../../protocol/cursor.ts'
import { AppDatabase } from '../database/app-database.ts'
import { acknowledge, appendDelete, appendEdit } from '../outbox/outbox.ts'
import { applyPage } from './apply-page.ts'
import { readSite } from './site.store.ts'
import { readSyncState, writeSyncState } from './sync-state.ts'

const epoch = '6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e09'
const cursorAt = (rev: number) => encodeCursor({ epoch, rev })
const row = aTeaching({ rev: 5 })
const author = { userId: 7, now: 0 }
const fields = (rev: number) => ({
  next: cursorAt(rev),
  head: { rev },
  serverTime: '2026-11-22T00:00:00.000Z',
  minClientSchema: 1,
  more: false as const,
})
const delta = (rows: Teaching[], rev: number): DeltaPage => ({
  mode: 'delta',
  changes: rows.map((each) => ({ op: 'put', kind: 'teaching', row: each, rev: each.rev }) as never),
  ...fields(rev),
})
const snapshot = (rows: Teaching[], rev: number): SnapshotPage => ({
  mode: 'snapshot',
  tables: { teaching: toColumns(rows.map((each) => ({ ...each }))) },
  ...fields(rev),
})

/** A device that has the row, has a change of it, and has asked for a page. */
async function device() {
  const db = new AppDatabase(`apply-${Math.random()}`)
  await db.teachings.put(row)
  await writeSyncState(db, { cursor: cursorAt(5) })
  return {
    db,
    asked: await readSyncState(db),
    titles: async () => (await db.teachings.toArray()).map(({ title }) => title),
  }
}

test.each([
  ['a page', delta([row], 6)],
  ['a snapshot', snapshot([row], 6)],
])('%s from before an acknowledgement undoes no edit', async (_, page) => {
  const { db, asked, titles } = await device()
  const entry = (await appendEdit(db, row, { ...textOf(row), title: 'Mine' }, author))!
  await acknowledge(db, entry, { op: 'edit', row: { ...row, title: 'Mine', rev: 7 } })
  expect(await applyPage(db, asked, page, 1)).toBe('stale')
  expect(await titles()).toEqual(['Mine'])
  // The next pull of it has a newer page.
  const renewed = await readSyncState(db)
  expect(renewed.cursor).toBe(asked.cursor)
  expect(await applyPage(db, renewed, delta([{ ...row, title: 'Mine', rev: 7 }], 7), 2)).toBe('applied')
  expect((await readSyncState(db)).cursor).toBe(cursorAt(7))
})

test('an older page restores no deleted row', async () => {
  const { db, asked, titles } = await device()
  await acknowledge(db, await appendDelete(db, row, author), { op: 'delete', rev: 7 })
  expect(await applyPage(db, asked, delta([row], 6), 1)).toBe('stale')
  expect(await titles()).toEqual([])
})

test.each([
  ['of the same epoch', cursorAt(8)],
  ['after a restore', encodeCursor({ epoch: '6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e0a', rev: 1 })],
])('ignores a page older than another tab’s: %s', async (_, cursor) => {
  const { db, asked, titles } = await device()
  await db.teachings.put({ ...row, title: 'Later', rev: 8 })
  await writeSyncState(db, { cursor })
  expect(await applyPage(db, asked, delta([row], 6), 1)).toBe('stale')
  expect(await titles()).toEqual(['Later'])
  expect((await readSyncState(db)).cursor).toBe(cursor)
})

test.each([
  [
    'a delta',
    { ...delta([], 6), changes: [{ kind: 'teaching', uid: row.uid, rev: 6, op: 'del' }] } as DeltaPage,
  ],
  ['a snapshot', snapshot([aTeaching({ uid: 'other', title: 'Other', rev: 6 })], 6)],
])('%s deletes a row that has left the library', async (_, page) => {
  const { db, asked, titles } = await device()
  expect(await applyPage(db, asked, page, 1)).toBe('applied')
  expect(await titles()).toEqual(page.mode === 'snapshot' ? ['Other'] : [])
})

test('a page stores the site that it has', async () => {
  const { db, asked } = await device()
  const site = { name: 'The Fellowship', rev: 6 } as unknown as Site
  expect(await applyPage(db, asked, { ...delta([], 6), site } as DeltaPage, 1)).toBe('applied')
  expect(await readSite(db)).toEqual(site)
})

const many = (count: number) =>
  Array.from({ length: count }, (_, at) => aTeaching({ uid: `t-${String(at).padStart(4, '0')}`, rev: 6 }))

test('a failed snapshot leaves the device unchanged', async () => {
  const { db, asked, titles } = await device()
  db.teachings.hook('creating', (uid) => {
    if (uid === 't-0600') throw new Error('The disk is full')
  })
  await expect(applyPage(db, asked, snapshot(many(1_000), 6), 1)).rejects.toThrow('The disk is full')
  expect(await titles()).toEqual([row.title])
  expect((await readSyncState(db)).cursor).toBe(asked.cursor)
})

test('writing a snapshot yields to the page', async () => {
  const { db, asked } = await device()
  let handedOver = 0
  db.teachings.hook('creating', () => void (handedOver += 1))
  const applied = applyPage(db, asked, snapshot(many(2_000), 6), 1)
  let seen = 0
  let most = 0
  while (seen < 2_000) {
    await new Promise(setImmediate)
    most = Math.max(most, handedOver - seen)
    seen = handedOver
  }
  expect(await applied).toBe('applied')
  expect(most).toBeLessThanOrEqual(500)
  expect(await db.teachings.count()).toBe(2_000)
})
