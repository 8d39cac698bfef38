import 'fake-indexeddb/auto'
import { keyOfChange } from '@fellowship/schema/listening/listening.schema'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { describe, expect, onTestFinished, test } from 'vitest'
import { AppDatabase } from '../database/app-database.ts'
import {
  claimAnonymous,
  everyTable,
  markUnsent,
  readAccount,
  readChanges,
  readListeningStatus,
  readOwner,
  readUnsent,
  removePerson,
  show,
  startSession,
  turnOff,
  turnOn,
  writeAccount,
} from './listening-accounts.ts'
import { readAnonymous } from './anonymous.store.ts'
import { writeMark } from './listening.store.ts'
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

/** The owner of the shown rows, their teachings, the rows to be sent, and the inactive rows with their owners. */
async function shown(db: AppDatabase) {
  const about = (key: string) => ['nobody', 'a', 'b', 'c'][Number(key.at(-1))] ?? key
  const owner = await readOwner(db)
  return {
    owner,
    rows: (await readChanges(db)).map((change) => about(keyOfChange(change))).sort(),
    unsent: (await readUnsent(db, owner)).map(({ key }) => about(key)).sort(),
    inactive: (await db.inactiveListening.toArray()).map(({ owner, key }) => `${owner} ${about(key)}`).sort(),
  }
}

/** A device that shows the rows of Ana's account: a, which is sent, and b, which is not. */
async function devicesOfAna(): Promise<AppDatabase> {
  const db = device()
  await turnOn(db, ana)
  await favourite(db, a)
  await db.unsentListening.clear()
  await favourite(db, b)
  return db
}

test('tells how much is unsent, and why the server refused some', async () => {
  const db = await devicesOfAna()
  expect(await readListeningStatus(ana, db)).toMatchObject({
    owner: ana,
    hasOthers: false,
    account: { on: true },
    unsent: 1,
    rejected: [],
  })
  await db.unsentListening.toCollection().modify({ refused: 'No.' })
  expect(await readListeningStatus(ana, db)).toMatchObject({ unsent: 0, rejected: ['No.'] })
  await startSession(db, ben)
  expect(await readListeningStatus(ben, db)).toMatchObject({ owner: ben, hasOthers: true, unsent: 0 })
  expect((await readListeningStatus(undefined, db)).account).toBeUndefined()
})

describe('a second person', () => {
  test('sees and sends nothing of the first', async () => {
    const db = await devicesOfAna()
    await startSession(db, ben)
    expect(await shown(db)).toEqual({ owner: ben, rows: [], unsent: [], inactive: [`${ana} a`, `${ana} b`] })
    expect(await db.signedInUser()).toBe(ben)
    await favourite(db, c)
    expect((await shown(db)).unsent).toEqual([])
  })

  test('turns it on without the rows of the first', async () => {
    const db = await devicesOfAna()
    await turnOn(db, ben)
    expect(await shown(db)).toEqual({ owner: ben, rows: [], unsent: [], inactive: [`${ana} a`, `${ana} b`] })
  })

  test('turns it off without changing the shown rows', async () => {
    const db = await devicesOfAna()
    await turnOff(db, ben, 3)
    expect(await shown(db)).toMatchObject({ owner: ana, rows: ['a', 'b'], unsent: ['b'] })
    expect(await readAccount(db, ben)).toMatchObject({ on: false, held: 3 })
  })

  test('is removed with their inactive rows alone', async () => {
    const db = await devicesOfAna()
    await startSession(db, ben)
    await turnOn(db, ben)
    await favourite(db, c)
    await removePerson(db, ana)
    expect(await shown(db)).toEqual({ owner: ben, rows: ['c'], unsent: ['c'], inactive: [] })
    expect([await readAccount(db, ana), (await readAccount(db, ben))?.on]).toEqual([undefined, true])
  })

  test('cannot claim anonymous rows while another is shown', async () => {
    const db = device()
    await favourite(db, b)
    await turnOn(db, ana)
    await favourite(db, a)
    await claimAnonymous(db, ben)
    expect(await shown(db)).toEqual({ owner: ana, rows: ['a'], unsent: ['a'], inactive: ['0 b'] })
  })
})

describe('a returning person', () => {
  test('finds their rows and their unsent marks', async () => {
    const db = await devicesOfAna()
    const [before, marks] = [await readChanges(db), await db.unsentListening.toArray()]
    await startSession(db, ben)
    await startSession(db, ana)
    expect([await readChanges(db), await db.unsentListening.toArray()]).toEqual([before, marks])
    expect(await shown(db)).toEqual({ owner: ana, rows: ['a', 'b'], unsent: ['b'], inactive: [] })
    expect(await db.signedInUser()).toBe(ana)
  })

  test('keeps the session and asks at once after a failure', async () => {
    const db = await devicesOfAna()
    const account = (await readAccount(db, ana))!
    const failed = { attempts: 3, nextAttemptAt: 9_000, notBefore: 9_000, askAt: 9_000 }
    await writeAccount(db, ana, { ...account, ...failed, cursor: 'read so far', held: 4 })
    await startSession(db, ana)
    expect(await readAccount(db, ana)).toEqual({ ...account, cursor: 'read so far', held: 4 })
    expect(account).toMatchObject({ attempts: 0, nextAttemptAt: 0, notBefore: 0, askAt: 0 })
  })

  test('keeps the played list while their rows are shown', async () => {
    const db = await devicesOfAna()
    await db.teachings.put(aTeaching({ uid: a }))
    await notePlayed(a, db)
    await startSession(db, ana)
    expect((await readUpNext(db)).playedBefore).toHaveLength(1)
    await startSession(db, ben)
    expect((await readUpNext(db)).playedBefore).toEqual([])
  })

  test('finds displaced rows after turning it off', async () => {
    const db = device()
    await turnOn(db, ben)
    await favourite(db, b)
    await turnOff(db, ben, 1)
    await startSession(db, ben)
    expect(await shown(db)).toEqual({ owner: ben, rows: ['b'], unsent: [], inactive: [] })
    await turnOn(db, ana)
    await startSession(db, ben)
    expect(await shown(db)).toEqual({ owner: ben, rows: ['b'], unsent: [], inactive: [] })
  })

  test('finds private rows after turning it off', async () => {
    const db = await devicesOfAna()
    await turnOff(db, ana, 2)
    await turnOn(db, ben)
    await removePerson(db, ben)
    await favourite(db, c)
    expect(await shown(db)).toMatchObject({ owner: 0, rows: ['c'] })
    await startSession(db, ana)
    expect(await shown(db)).toEqual({ owner: ana, rows: ['a', 'b'], unsent: [], inactive: ['0 c'] })
    await startSession(db, ben)
    expect(await shown(db)).toMatchObject({ owner: ben, rows: [] })
  })
})

describe('turning it on', () => {
  test('shows and sends their inactive rows in a new session', async () => {
    const db = await devicesOfAna()
    await favourite(db, c)
    await startSession(db, ben)
    const { session } = (await readAccount(db, ana))!
    await turnOn(db, ana)
    expect(await shown(db)).toEqual({
      owner: ana,
      rows: ['a', 'b', 'c'],
      unsent: ['a', 'b', 'c'],
      inactive: [],
    })
    const account = await readAccount(db, ana)
    expect(account).toMatchObject({ on: true, held: 0, askAt: 0 })
    expect(account!.session).not.toBe(session)
  })

  test('adds no anonymous rows', async () => {
    const db = device()
    await favourite(db, a)
    await turnOn(db, ana)
    expect(await shown(db)).toEqual({ owner: ana, rows: [], unsent: [], inactive: ['0 a'] })
  })

  test('shows and sends all their own rows again', async () => {
    const db = await devicesOfAna()
    await turnOn(db, ben)
    await favourite(db, c)
    await turnOn(db, ana)
    expect(await shown(db)).toEqual({
      owner: ana,
      rows: ['a', 'b'],
      unsent: ['a', 'b'],
      inactive: [`${ben} c`],
    })
  })
})

test('turning it off keeps the rows and sends none', async () => {
  const db = await devicesOfAna()
  const { session } = (await readAccount(db, ana))!
  await turnOff(db, ana, 2)
  expect(await shown(db)).toEqual({ owner: ana, rows: ['a', 'b'], unsent: [], inactive: [] })
  const account = await readAccount(db, ana)
  expect(account).toMatchObject({ on: false, held: 2 })
  expect(account!.session).not.toBe(session)
  await favourite(db, c)
  expect((await shown(db)).unsent).toEqual([])
})

/** A device of Ana that also holds what `make` does before anybody has signed in. */
async function devicesOfAnaAfter(make: (db: AppDatabase) => Promise<void>): Promise<AppDatabase> {
  const db = device()
  await make(db)
  await turnOn(db, ana)
  await favourite(db, a)
  await favourite(db, b)
  return db
}

test('removing a person leaves the anonymous rows', async () => {
  const db = await devicesOfAnaAfter((early) => favourite(early, c))
  await notePlayed(a, db)
  await removePerson(db, ana)
  expect(await shown(db)).toEqual({ owner: 0, rows: ['c'], unsent: [], inactive: [] })
  expect(await readAccount(db, ana)).toBeUndefined()
  await db.teachings.put(aTeaching({ uid: a }))
  expect((await readUpNext(db)).playedBefore).toEqual([])
})

test('claiming adds the anonymous rows and sends them', async () => {
  const db = await devicesOfAnaAfter((early) => favourite(early, c))
  await db.unsentListening.clear()
  expect(await readAnonymous(db)).toHaveLength(1)
  await claimAnonymous(db, ana)
  expect(await shown(db)).toEqual({
    owner: ana,
    rows: ['a', 'b', 'c'],
    unsent: ['a', 'b', 'c'],
    inactive: [],
  })
  expect(await readAnonymous(db)).toEqual([])
})

describe('a row of an account and an anonymous row of one key', () => {
  const heard = { uid: a, heard: { on: true, at: 3_000 } }

  async function claimed(on = true): Promise<AppDatabase> {
    const db = await devicesOfAnaAfter((early) => writeMark(a, 'heard', true, 3_000, early))
    if (!on) await turnOff(db, ana, 0)
    await claimAnonymous(db, ana)
    return db
  }

  test('shows the account’s row and sends both', async () => {
    const db = await claimed()
    expect((await db.marks.get(a))!).toEqual({ uid: a, favourite: { on: true, at: 1_000 } })
    expect(await db.unsentListening.get(['marks', a])).toMatchObject({ claimed: { row: heard } })
  })

  test('merges them at once without the account', async () => {
    const db = await claimed(false)
    expect((await db.marks.get(a))!).toEqual({ ...heard, favourite: { on: true, at: 1_000 } })
    expect((await db.unsentListening.get(['marks', a]))!.claimed).toBeUndefined()
  })

  test('claims a row without stamps of this device', async () => {
    const db = await devicesOfAnaAfter((early) => writeMark(a, 'heard', true, 3_000, early))
    await db.inactiveListening.toCollection().modify((row) => void Reflect.deleteProperty(row, 'unsent'))
    await claimAnonymous(db, ana)
    expect((await db.unsentListening.get(['marks', a]))!.claimed).toEqual({ row: heard, own: [] })
  })

  test('a second claim is merged into the first', async () => {
    const db = await claimed()
    await db.transaction('rw', everyTable(db), () => show(db, 0))
    await writeMark(a, 'heard', false, 4_000, db)
    await startSession(db, ana)
    await claimAnonymous(db, ana)
    expect((await db.unsentListening.get(['marks', a]))!.claimed).toEqual({
      row: { uid: a, heard: { on: false, at: 4_000 } },
      own: [
        { moment: 3_000, at: 3_000 },
        { moment: 4_000, at: 4_000 },
      ],
    })
  })

  test('turning it off merges them on the device', async () => {
    const db = await claimed()
    await turnOff(db, ana, 2)
    expect((await db.marks.get(a))!).toEqual({ ...heard, favourite: { on: true, at: 1_000 } })
    const mark = (await db.unsentListening.get(['marks', a]))!
    expect(mark.claimed).toBeUndefined()
    expect(mark.own).toContainEqual({ moment: 3_000, at: 3_000 })
  })
})

test('a mark forgets stamps that have left the row', async () => {
  const db = device()
  for (const at of [1_000, 2_000, 3_000]) await writeMark(a, 'heard', true, at, db)
  await writeMark(a, 'favourite', true, 4_000, db)
  expect((await db.unsentListening.get(['marks', a]))!.own).toEqual([
    { moment: 3_000, at: 3_000 },
    { moment: 4_000, at: 4_000 },
  ])
})

test('a moved stamp keeps its clock', async () => {
  const db = device()
  await favourite(db, a, 5_000)
  await favourite(db, a, 1_000)
  expect((await db.unsentListening.get(['marks', a]))!.own).toEqual([{ moment: 5_001, at: 1_000 }])
})

test('marking without a moment keeps the stamps', async () => {
  const db = device()
  await favourite(db, a, 5_000)
  await markUnsent(db, 'marks', [{ key: a }])
  expect((await db.unsentListening.get(['marks', a]))!.own).toEqual([{ moment: 5_000, at: 5_000 }])
})
