import 'fake-indexeddb/auto'
import { parseListeningFile } from '@fellowship/schema/listening/listening-file'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { describe, expect, test } from 'vitest'
import { AppDatabase } from '../database/app-database.ts'
import { turnOn } from './listening-accounts.ts'
import { deleteListening, exportListening, importListening } from './listening-file.store.ts'
import { notePosition, readPositions, readMarks, writeMark, readMyListening } from './listening.store.ts'
import { readNotes, removeNote, writeNote } from './notes.store.ts'
import { notePlayed, readUpNext, writeUpNext } from './up-next.store.ts'

const uid = (digit: number) => `6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e0${digit}`
const [a, b, c] = [uid(1), uid(2), uid(3)]

/** A device with the library. */
async function device(name: string): Promise<AppDatabase> {
  const db = new AppDatabase(name)
  await db.teachings.bulkPut(
    [a, b, c].map((each, at) => aTeaching({ id: at + 1, uid: each, title: `Study ${at}` })),
  )
  return db
}

/** One that was listened on: a in its middle, b to its end, c a favourite with a note, and waiting with a. */
async function used(name: string): Promise<AppDatabase> {
  const db = await device(name)
  await notePosition(a, { seconds: 900, duration: 2400, at: 1000 }, db)
  await notePosition(b, { seconds: 2350, duration: 2400, at: 2000 }, db)
  await writeMark(c, 'favourite', true, 3000, db)
  await writeNote({ uid: c, seconds: 760, text: 'The vine' }, 4000, db)
  await writeUpNext({ type: 'addToEnd', uids: [c, a] }, 5000, db)
  return db
}

const everything = async (db: AppDatabase) => ({
  positions: await readPositions(db),
  marks: await readMarks(db),
  notes: await readNotes(c, db),
  upNext: (await readUpNext(db)).teachings.map((each) => each.uid),
})
const file = async (db: AppDatabase) => {
  const text = JSON.stringify(await exportListening(9000, db))
  return parseListeningFile(text, text.length)
}

describe('an import refuses, and changes nothing of,', () => {
  const text = async () => JSON.stringify(await exportListening(9000, await used('refused')))
  test.each([
    ['a file that is no JSON', (good: string) => good.slice(1), /^This is no file of My listening/],
    ['another file', () => '{"format":"podcasts","version":1}', /^This is no file of My listening/],
    ['one of a newer version', (good: string) => good.replace('"version":1', '"version":2'), /newer version/],
    [
      'a place before the beginning',
      (good: string) => good.replace('"seconds":900', '"seconds":-1'),
      /damaged/,
    ],
    ['a teaching without an id', (good: string) => good.replaceAll(a, 'a'), /damaged/],
  ])('%s', async (_, spoil, sentence) => {
    const spoilt = spoil(await text())
    expect(() => parseListeningFile(spoilt, spoilt.length)).toThrow(sentence)
  })

  test('one that is too large', () => {
    expect(() => parseListeningFile('{}', 20_000_001)).toThrow(/larger than 20 MB/)
  })
})

test('an import restores a deleted export', async () => {
  const db = await used('same')
  const [before, exported] = [await everything(db), await file(db)]
  await deleteListening(db)
  expect(await everything(db)).toEqual({ positions: [], marks: [], notes: [], upNext: [] })
  expect(await importListening(exported, 9000, db)).toEqual({ positions: 2, marks: 2, notes: 1, upNext: 2 })
  expect(await everything(db)).toEqual(before)
  expect(await importListening(exported, 9000, db)).toEqual({ positions: 0, marks: 0, notes: 0, upNext: 0 })
})

test('an import is sent to the account', async () => {
  const exported = await file(await used('source'))
  const db = await device('kept')
  await turnOn(db, 7)
  await importListening(exported, 9000, db)
  const unsent = (await db.unsentListening.toArray()).map(({ kind, key }) => `${kind} ${key}`)
  const wanted = [
    `position ${a}`,
    `position ${b}`,
    `marks ${b}`,
    `marks ${c}`,
    `note ${exported.notes[0]!.id}`,
  ]
  expect(unsent.sort()).toEqual([...wanted, `upNext ${a}`, `upNext ${c}`].sort())
})

test('deletes the played teachings, but not the library', async () => {
  const db = await used('deleted')
  await notePlayed(a, db)
  await deleteListening(db)
  expect((await readUpNext(db)).playedBefore).toEqual([])
  expect(await db.teachings.count()).toBe(3)
})

describe('an import', () => {
  test('keeps later listening and removals', async () => {
    const db = await used('later')
    const old = await file(db)
    await notePosition(a, { seconds: 1500, duration: 2400, at: 7000 }, db)
    await removeNote((await readNotes(c, db))[0]!.id, 7000, db)
    await writeMark(c, 'favourite', false, 7000, db)
    await importListening(old, 9000, db)
    expect((await readPositions(db))[0]).toMatchObject({ uid: a, seconds: 1500 })
    expect(await readNotes(c, db)).toEqual([])
    expect((await readMyListening(db)).favourites).toEqual([])
  })

  test('brings what is later in the file', async () => {
    const db = await used('earlier')
    const later = await used('later file')
    await notePosition(a, { seconds: 1500, duration: 2400, at: 7000 }, later)
    await writeMark(c, 'favourite', false, 7000, later)
    await importListening(await file(later), 9000, db)
    expect((await readPositions(db))[0]).toMatchObject({ uid: a, seconds: 1500 })
    expect((await readMyListening(db)).favourites).toEqual([])
  })

  test('moves future moments to now', async () => {
    const db = await device('fast')
    await notePosition(a, { seconds: 900, duration: 2400, at: 1_000_000 }, db)
    const fast = await file(db)
    await deleteListening(db)
    await importListening(fast, 5000, db)
    await notePosition(a, { seconds: 1000, duration: 2400, at: 6000 }, db)
    expect((await readPositions(db))[0]).toMatchObject({ seconds: 1000, listenedAt: 6000 })
  })

  test('moves a note from the future to now', async () => {
    const db = await device('fast note')
    await writeNote({ uid: a, seconds: 5, text: 'Early' }, 1_000_000, db)
    const fast = await file(db)
    await deleteListening(db)
    await importListening(fast, 5_000, db)
    expect(await readNotes(a, db)).toMatchObject([{ createdAt: 5_000, changedAt: 5_000 }])
  })

  test('adds to the end of Up next', async () => {
    const from = await file(await used('from'))
    const db = await device('into')
    await writeUpNext({ type: 'addToEnd', uids: [b, c] }, 1, db)
    await importListening(from, 9000, db)
    expect((await everything(db)).upNext).toEqual([b, c, a])
  })
})

describe('my listening', () => {
  test('omits teachings that have left the library', async () => {
    const db = await used('left')
    await db.teachings.clear()
    expect(await readMyListening(db)).toEqual({ unfinished: [], favourites: [], notes: [], heard: [] })
  })

  test('lists begun, favourite, noted and heard teachings', async () => {
    const { unfinished, favourites, notes, heard } = await readMyListening(await used('lists'))
    expect(unfinished.map(({ teaching }) => teaching.uid)).toEqual([a])
    expect(favourites.map((each) => each.uid)).toEqual([c])
    expect(notes).toMatchObject([{ teaching: { uid: c }, notes: [{ seconds: 760, text: 'The vine' }] }])
    expect(heard.map((each) => each.uid)).toEqual([b])
  })

  test('a manual mark holds until the next listening', async () => {
    const db = await used('again')
    await writeMark(b, 'heard', false, 6000, db)
    await notePosition(b, { seconds: 2360, duration: 2400, at: 7000 }, db)
    expect((await readMyListening(db)).heard).toEqual([])
    await notePosition(b, { seconds: 100, duration: 2400, at: 8000 }, db)
    await notePosition(b, { seconds: 2300, duration: 2400, at: 9000 }, db)
    expect((await readMyListening(db)).heard.map((each) => each.uid)).toEqual([b])
  })
})

describe('a note', () => {
  test.each([
    ['without words', ' \n ', /Write something/],
    ['longer than 2,000 characters', 'a'.repeat(2001), /at most 2,000 characters/],
    ['with a control character', 'a\u0000', /control characters/],
  ])('%s is refused', async (_, text, sentence) => {
    const db = await device('refuses')
    await expect(writeNote({ uid: a, seconds: 1, text }, 1, db)).rejects.toThrow(sentence)
    expect(await readNotes(a, db)).toEqual([])
  })

  test('a note keeps its second when it is changed', async () => {
    const db = await device('changes')
    await writeNote({ uid: a, seconds: 760, text: 'One' }, 1, db)
    const [written] = await readNotes(a, db)
    await writeNote({ ...written!, text: 'Two' }, 2, db)
    const removed = await removeNote(written!.id, 3, db)
    expect(await readNotes(a, db)).toEqual([])
    expect((await db.notes.get(written!.id))?.text).toBe('')
    await writeNote(removed!, 4, db)
    expect(await readNotes(a, db)).toMatchObject([{ seconds: 760, text: 'Two', createdAt: 1 }])
  })
})
