import 'fake-indexeddb/auto'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { expect, onTestFinished, test } from 'vitest'
import { AppDatabase } from '../database/app-database.ts'
import { turnOn } from './listening-accounts.ts'
import { notePosition, readMyListening, readPosition, readPositions, writeMark } from './listening.store.ts'
import { writeNote } from './notes.store.ts'

const uid = (digit: number) => `6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e0${digit}`
const [a, b] = [uid(1), uid(2)]
const duration = 2_400

/** A device whose listening is kept with an account; nothing waits to be sent. */
async function device(): Promise<AppDatabase> {
  const db = new AppDatabase(`positions-${Math.random()}`)
  onTestFinished(() => db.delete())
  await turnOn(db, 7)
  return db
}

test('ignores the first seconds and unknown durations', async () => {
  const db = await device()
  expect(await notePosition(a, { seconds: 3, duration, at: 1_000 }, db)).toBeUndefined()
  expect(await notePosition(a, { seconds: 900, duration: NaN, at: 1_000 }, db)).toBeUndefined()
  expect([await readPositions(db), await db.unsentListening.count()]).toEqual([[], 0])
})

test('ignores an older moment of another tab', async () => {
  const db = await device()
  await notePosition(a, { seconds: 900, duration, at: 2_000 }, db)
  await db.unsentListening.clear()
  await notePosition(a, { seconds: 2_390, duration, at: 1_999 }, db)
  expect(await readPosition(a, db)).toMatchObject({ seconds: 900, listenedAt: 2_000 })
  expect([await db.unsentListening.count(), await db.marks.count()]).toEqual([0, 0])
})

test('saves listening after the clock was set back', async () => {
  const db = await device()
  const ahead = Date.now() + 86_400_000
  await notePosition(a, { seconds: 120, duration, at: ahead }, db)
  await db.unsentListening.clear()
  const [first, second] = [Date.now() - 2_000, Date.now() - 1_000]
  await notePosition(a, { seconds: 150, duration, at: first }, db)
  expect(await readPosition(a, db)).toMatchObject({ seconds: 150, listenedAt: ahead + 1 })
  await notePosition(a, { seconds: 900, duration, at: second }, db)
  expect(await readPosition(a, db)).toMatchObject({
    seconds: 900,
    listenedAt: ahead + 2,
    earlier: [{ seconds: 150, listenedAt: ahead + 1 }],
  })
  // The server may have the place of the wrong clock; the ages of the others are right.
  expect(await db.unsentListening.toArray()).toMatchObject([
    {
      kind: 'position',
      key: a,
      base: ahead,
      own: [
        { moment: ahead + 1, at: first },
        { moment: ahead + 2, at: second },
      ],
    },
  ])
})

test('lists the last place first and marks its base', async () => {
  const db = await device()
  await notePosition(a, { seconds: 900, duration, at: 2_000 }, db)
  await notePosition(b, { seconds: 100, duration, at: 3_000 }, db)
  expect((await readPositions(db)).map((row) => row.uid)).toEqual([b, a])
  await db.unsentListening.clear()
  await notePosition(a, { seconds: 930, duration, at: 4_000 }, db)
  expect((await readPositions(db)).map((row) => row.uid)).toEqual([a, b])
  expect(await db.unsentListening.toArray()).toMatchObject([{ kind: 'position', key: a, base: 2_000 }])
})

test('marks a teaching as heard near its end', async () => {
  const db = await device()
  await notePosition(a, { seconds: 900, duration, at: 2_000 }, db)
  expect(await db.marks.count()).toBe(0)
  await notePosition(a, { seconds: 2_390, duration, at: 4_000 }, db)
  expect(await db.marks.toArray()).toMatchObject([{ uid: a, heard: { on: true, at: 4_000 } }])
})

test('lists favourites, heard and notes last first', async () => {
  const db = await device()
  const chosen: [number, number][] = [
    [1, 2_000],
    [2, 3_000],
    [3, 1_000],
  ]
  for (const [digit, at] of chosen) {
    await db.teachings.add(aTeaching({ id: digit, uid: uid(digit) }))
    await writeMark(uid(digit), 'favourite', true, at, db)
    await writeMark(uid(digit), 'heard', true, at, db)
    await writeNote({ uid: uid(digit), seconds: 60, text: 'Look up' }, at, db)
  }
  const { favourites, heard, notes } = await readMyListening(db)
  const lists = [favourites, heard, notes.map(({ teaching }) => teaching)]
  const lastFirst = [uid(2), uid(1), uid(3)]
  expect(lists.map((list) => list.map((teaching) => teaching.uid))).toEqual(lists.map(() => lastFirst))
})
