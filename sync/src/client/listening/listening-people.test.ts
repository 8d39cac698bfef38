import 'fake-indexeddb/auto'
import { keyOfChange } from '@fellowship/schema/listening/listening.schema'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { describe, expect, onTestFinished, test } from 'vitest'
import { AppDatabase } from '../database/app-database.ts'
import { readAccount, readOwner, lastSignedInUser, writeAccount } from './listening-owner.ts'
import {
  adoptNobodys,
  startSession,
  countNobodys,
  removePerson,
  turnOff,
  turnOn,
} from './listening-people.ts'
import { readChanges } from './listening-rows.ts'
import { writeMark } from './marks.store.ts'
import { writeNote } from './notes.store.ts'
import { notePlayed, readUpNext } from './up-next.store.ts'

const uid = (digit: number) => `6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e0${digit}`
const [a, b, c] = [uid(1), uid(2), uid(3)]
const [ana, ben] = [7, 8]

function device(): AppDatabase {
  const db = new AppDatabase(`people-${Math.random()}`)
  onTestFinished(() => db.delete())
  return db
}

const favourite = (db: AppDatabase, teaching: string, at = 1_000) =>
  writeMark(teaching, 'favourite', true, at, db)

/** Whose listening is shown, the teachings it is about, those of them that are not sent yet, and what was put aside of whom. */
async function shown(db: AppDatabase) {
  const about = (key: string) => ['nobody', 'a', 'b', 'c'][Number(key.at(-1))] ?? key
  return {
    owner: await readOwner(db),
    rows: (await readChanges(db)).map((change) => about(keyOfChange(change))).sort(),
    unsent: (await db.unsentListening.toArray()).map(({ key }) => about(key)).sort(),
    aside: (await db.keptListening.toArray()).map(({ owner, key }) => `${owner} ${about(key)}`).sort(),
  }
}

/** A device that shows what Ana keeps with her account: a, which is sent, and b, which is not. */
async function devicesOfAna(): Promise<AppDatabase> {
  const db = device()
  await turnOn(db, ana, 500)
  await favourite(db, a)
  await db.unsentListening.clear()
  await favourite(db, b)
  return db
}

describe('another person', () => {
  test('who signs in sees nothing of who was here, and sends nothing of theirs', async () => {
    const db = await devicesOfAna()
    await startSession(db, ben)
    expect(await shown(db)).toEqual({ owner: 0, rows: [], unsent: [], aside: [`${ana} a`, `${ana} b`] })
    expect(await lastSignedInUser(db)).toBe(ben)
    await favourite(db, c)
    expect((await shown(db)).unsent).toEqual([])
  })

  test('who turns it on does not get what is shown of somebody else', async () => {
    const db = await devicesOfAna()
    await turnOn(db, ben, 2_000)
    expect(await shown(db)).toEqual({ owner: ben, rows: [], unsent: [], aside: [`${ana} a`, `${ana} b`] })
  })

  test('who turns it off leaves what is not sent of who is shown', async () => {
    const db = await devicesOfAna()
    await turnOff(db, ben, 3)
    expect(await shown(db)).toMatchObject({ owner: ana, rows: ['a', 'b'], unsent: ['b'] })
    expect(await readAccount(db, ben)).toMatchObject({ on: false, held: 3 })
  })

  test('who is removed leaves what is shown, and loses what was put aside of them', async () => {
    const db = await devicesOfAna()
    await startSession(db, ben)
    await turnOn(db, ben, 2_000)
    await favourite(db, c)
    await removePerson(db, ana)
    expect(await shown(db)).toEqual({ owner: ben, rows: ['c'], unsent: ['c'], aside: [] })
    expect([await readAccount(db, ana), (await readAccount(db, ben))?.on]).toEqual([undefined, true])
  })

  test('does not get what was made without an account while somebody else is shown', async () => {
    const db = device()
    await favourite(db, a)
    await turnOn(db, ana, 2_000)
    await startSession(db, ben)
    await favourite(db, b)
    await startSession(db, ana)
    expect(await countNobodys(db)).toBe(1)
    await adoptNobodys(db, ben, 3_000)
    expect(await shown(db)).toEqual({ owner: ana, rows: ['a'], unsent: ['a'], aside: ['0 b'] })
  })
})

describe('a person who comes back', () => {
  test('finds what they keep, with what is not sent yet and the same mark on it', async () => {
    const db = await devicesOfAna()
    const [before, marks] = [await readChanges(db), await db.unsentListening.toArray()]
    await startSession(db, ben)
    await startSession(db, ana)
    expect([await readChanges(db), await db.unsentListening.toArray()]).toEqual([before, marks])
    expect(await shown(db)).toEqual({ owner: ana, rows: ['a', 'b'], unsent: ['b'], aside: [] })
    expect(await lastSignedInUser(db)).toBe(ana)
  })

  test('is the same visitor, and is asked for at once though the last try has failed', async () => {
    const db = await devicesOfAna()
    const account = (await readAccount(db, ana))!
    const failed = { attempts: 3, nextAttemptAt: 9_000, notBefore: 9_000, askAt: 9_000 }
    await writeAccount(db, ana, { ...account, ...failed, cursor: 'read so far', held: 4 })
    await startSession(db, ana)
    expect(await readAccount(db, ana)).toEqual({ ...account, cursor: 'read so far', held: 4 })
    expect(account).toMatchObject({ attempts: 0, nextAttemptAt: 0, notBefore: 0, askAt: 0 })
  })

  test('while it is shown, still has what played before', async () => {
    const db = await devicesOfAna()
    await db.teachings.put(aTeaching({ uid: a }))
    await notePlayed(a, db)
    await startSession(db, ana)
    expect((await readUpNext(db)).playedBefore).toHaveLength(1)
    await startSession(db, ben)
    expect((await readUpNext(db)).playedBefore).toEqual([])
  })

  test('and has turned it off since, finds their own on this device, after somebody else was shown too', async () => {
    const db = device()
    await turnOn(db, ben, 500)
    await favourite(db, b)
    await turnOff(db, ben, 1)
    await startSession(db, ben)
    expect(await shown(db)).toEqual({ owner: ben, rows: ['b'], unsent: [], aside: [] })
    await turnOn(db, ana, 2_000)
    await startSession(db, ben)
    expect(await shown(db)).toEqual({ owner: ben, rows: ['b'], unsent: [], aside: [] })
  })

  test('and has turned it off since, finds their own, and nobody else sees it after them', async () => {
    const db = await devicesOfAna()
    await turnOff(db, ana, 2)
    await turnOn(db, ben, 2_000)
    await removePerson(db, ben)
    await favourite(db, c)
    expect(await shown(db)).toMatchObject({ owner: 0, rows: ['c'] })
    await startSession(db, ana)
    expect(await shown(db)).toEqual({ owner: ana, rows: ['a', 'b'], unsent: [], aside: ['0 c'] })
    await startSession(db, ben)
    expect(await shown(db)).toMatchObject({ owner: 0, rows: ['c'] })
  })
})

describe('turned on', () => {
  test('what was made without an account becomes theirs, with what was put aside of them, and none of it is sent', async () => {
    const db = await devicesOfAna()
    await startSession(db, ben)
    await writeMark(a, 'heard', true, 3_000, db)
    await writeNote({ uid: c, seconds: 5, text: 'The vine' }, 4_000, db)
    const [note] = await db.notes.toArray()
    const { visit } = (await readAccount(db, ana))!
    await turnOn(db, ana, 5_000)
    const { owner, aside } = await shown(db)
    expect([owner, aside]).toEqual([ana, []])
    expect(await db.marks.toArray()).toEqual([
      { uid: a, favourite: { on: true, at: 1_000 }, heard: { on: true, at: 3_000 } },
      { uid: b, favourite: { on: true, at: 1_000 } },
    ])
    expect((await db.unsentListening.toArray()).map(({ kind, key }) => [kind, key])).toEqual([
      ['marks', a],
      ['marks', b],
      ['note', note!.id],
    ])
    const account = await readAccount(db, ana)
    expect(account).toMatchObject({ on: true, held: 0, askAt: 0 })
    expect(account!.visit).not.toBe(visit)
  })

  test('while somebody else is shown, a person sees their own again, and sends all of it', async () => {
    const db = await devicesOfAna()
    await turnOn(db, ben, 2_000)
    await favourite(db, c)
    await turnOn(db, ana, 3_000)
    expect(await shown(db)).toEqual({ owner: ana, rows: ['a', 'b'], unsent: ['a', 'b'], aside: [`${ben} c`] })
  })
})

test('turned off it stays on the device, and is not sent any more; what was asked before is void', async () => {
  const db = await devicesOfAna()
  const { visit } = (await readAccount(db, ana))!
  await turnOff(db, ana, 2)
  expect(await shown(db)).toEqual({ owner: ana, rows: ['a', 'b'], unsent: [], aside: [] })
  const account = await readAccount(db, ana)
  expect(account).toMatchObject({ on: false, held: 2 })
  expect(account!.visit).not.toBe(visit)
  await favourite(db, c)
  expect((await shown(db)).unsent).toEqual([])
})

test('a person who is removed leaves nothing here but what was made without an account', async () => {
  const db = await devicesOfAna()
  await startSession(db, ben)
  await favourite(db, c)
  await startSession(db, ana)
  await notePlayed(a, db)
  await removePerson(db, ana)
  expect(await shown(db)).toEqual({ owner: 0, rows: ['c'], unsent: [], aside: [] })
  expect(await readAccount(db, ana)).toBeUndefined()
  await db.teachings.put(aTeaching({ uid: a }))
  expect((await readUpNext(db)).playedBefore).toEqual([])
})

test('a person takes over what was made without an account: it is added to theirs, and sent', async () => {
  const db = await devicesOfAna()
  await startSession(db, ben)
  await favourite(db, c)
  await startSession(db, ana)
  await db.unsentListening.clear()
  expect(await countNobodys(db)).toBe(1)
  await adoptNobodys(db, ana, 3_000)
  expect(await shown(db)).toEqual({ owner: ana, rows: ['a', 'b', 'c'], unsent: ['a', 'b', 'c'], aside: [] })
  expect(await countNobodys(db)).toBe(0)
})
