import 'fake-indexeddb/auto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { anElder } from '@fellowship/schema/testing/builders'
import { AppDatabase } from '../database/app-database.ts'
import { readCalendar, readElders, readPages, readPassages, readSeries } from './public.store.ts'
import { writeSyncState } from './sync-state.ts'

let db: AppDatabase
let names = 0
beforeEach(() => {
  db = new AppDatabase(`public-${(names += 1)}`)
})
afterEach(() => db.delete())

const uid = (n: number) => `00000000-0000-4000-8000-00000000000${n}`
const passage = (n: number, rev: number, translation: string) => ({
  uid: uid(n),
  rev,
  reference: 'Acts 2:42',
  text: translation,
  translation,
  copyrightLine: '',
})

test('distinguishes no pull from an empty one', async () => {
  const read = () =>
    Promise.all([readElders(db), readPassages(db), readSeries(db), readCalendar(db), readPages(db)])
  expect(await read()).toEqual([undefined, undefined, undefined, undefined, undefined])
  await writeSyncState(db, { cursor: 'x' })
  expect(await read()).toEqual([[], new Map(), [], { events: [], notices: [] }, undefined])
})

test('reads rows that were there before the first cursor', async () => {
  const row = { uid: uid(1), rev: 1 }
  for (const table of [db.events, db.pages]) await table.put(row as never)
  expect(await readCalendar(db)).toEqual({ events: [row], notices: [] })
  expect(await readPages(db)).toEqual([row])
})

test('reads elders in display order', async () => {
  await db.elders.bulkPut([
    anElder({ id: 3, uid: uid(1), name: 'Third', displayOrder: 7 }),
    anElder({ id: 2, uid: uid(2), name: 'Second', displayOrder: 1 }),
    anElder({ id: 1, uid: uid(3), name: 'First', displayOrder: 1 }),
  ])
  expect((await readElders(db))?.map(({ name }) => name)).toEqual(['First', 'Second', 'Third'])
})

test.each([
  ['stored in that order', ['hope', 'hope-2']],
  ['stored the other way round', ['hope-2', 'hope']],
])('sorts series by title, then address: %s', async (_, slugs) => {
  const titles = ['psalms 10', 'Psalms 9', 'Acts']
  const stored = [
    ...slugs.map((slug) => ({ slug, title: 'Hope' })),
    ...titles.map((title) => ({ slug: title, title })),
  ]
  await db.series.bulkPut(
    stored.map((each, at) => ({
      ...each,
      uid: uid(at),
      rev: 1,
      description: '',
      teachings: [],
      imageUrl: null,
    })),
  )
  expect((await readSeries(db))?.map(({ slug }) => slug)).toEqual([
    'Acts',
    'hope',
    'hope-2',
    'Psalms 9',
    'psalms 10',
  ])
})

test('reads the later of two translations, whichever is stored first', async () => {
  await db.passages.bulkPut([passage(1, 9, 'Imported'), passage(2, 4, 'At first start')])
  expect((await readPassages(db))?.get('Acts 2:42')?.translation).toBe('Imported')
  await db.passages.bulkPut([passage(1, 9, 'Imported'), passage(2, 12, 'Changed since')])
  expect((await readPassages(db))?.get('Acts 2:42')?.translation).toBe('Changed since')
})
