import 'fake-indexeddb/auto'
import type { ListeningKind } from '@fellowship/schema/listening/listening.schema'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { describe, expect, onTestFinished, test } from 'vitest'
import { AppDatabase } from '../database/app-database.ts'
import { readAnonymous } from './anonymous.store.ts'
import {
  claimAnonymous,
  endSession,
  readAccount,
  readChanges,
  readOwner,
  removePerson,
  startSession,
  turnOff,
  turnOn,
  writeAccount,
} from './listening-accounts.ts'
import { deleteListening } from './listening-file.store.ts'
import { notePosition, writeMark } from './listening.store.ts'
import { readNotes, removeNote, writeNote } from './notes.store.ts'
import { writeUpNext } from './up-next.store.ts'

const uid = '6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e01'
const [nobody, ana, ben] = [0, 7, 8]

function device(): AppDatabase {
  const db = new AppDatabase(`owners-${Math.random()}`)
  onTestFinished(() => db.delete())
  return db
}

const make: Record<ListeningKind, (db: AppDatabase) => Promise<unknown>> = {
  position: (db) => notePosition(uid, { seconds: 60, duration: 2_400, at: 1_000 }, db),
  marks: (db) => writeMark(uid, 'favourite', true, 1_000, db),
  note: (db) => writeNote({ uid, seconds: 60, text: 'Pray for my marriage' }, 1_000, db),
  upNext: (db) => writeUpNext({ type: 'addToEnd', uids: [uid] }, 1_000, db),
}

/** How a device comes to be when something is made on it, and the owner of that. */
const situations: [string, number, (db: AppDatabase) => Promise<unknown>][] = [
  ['before anybody signed in', nobody, async () => undefined],
  ['signed in, never asked', ana, (db) => startSession(db, ana)],
  ['signed in, kept with the account', ana, (db) => turnOn(db, ana)],
  [
    'signed in, turned off',
    ana,
    async (db) => {
      await turnOn(db, ana)
      await turnOff(db, ana, 1)
    },
  ],
  [
    'signed in after another person',
    ana,
    async (db) => {
      await turnOn(db, ben)
      await startSession(db, ana)
    },
  ],
  [
    'signed out, where the last person let it stay',
    nobody,
    async (db) => {
      await turnOn(db, ana)
      await endSession(db)
    },
  ],
  [
    'signed out, after the last person removed it',
    nobody,
    async (db) => {
      await turnOn(db, ana)
      await removePerson(db, ana)
      await endSession(db)
    },
  ],
]

const kinds = Object.keys(make) as ListeningKind[]
const shown = async (db: AppDatabase) => (await readChanges(db)).map(({ kind }) => kind)

describe.each(situations)('what is made %s', (_, owner, begin) => {
  test.each(kinds)('a %s reaches no other person unasked', async (kind) => {
    const db = device()
    await begin(db)
    await make[kind](db)
    expect(await readOwner(db)).toBe(owner)
    for (const on of [false, true]) {
      await startSession(db, ben)
      if (on) await turnOn(db, ben)
      expect(await shown(db)).toEqual([])
      expect((await readAnonymous(db)).map((entry) => entry.kind)).toEqual(owner === nobody ? [kind] : [])
    }
    await claimAnonymous(db, ben)
    expect(await shown(db)).toEqual(owner === nobody ? [kind] : [])
    await startSession(db, ana)
    expect(await shown(db)).toEqual(owner === ana ? [kind] : [])
  })
})

test('lists anonymous entries with titles, words and times', async () => {
  const db = device()
  await db.teachings.put(aTeaching({ uid, title: 'The True Vine' }))
  for (const [at, kind] of kinds.entries()) {
    await make[kind](db)
    if (kind === 'note') await db.notes.toCollection().modify({ changedAt: 5_000 + at })
  }
  await writeMark('gone', 'heard', true, 2_000, db)
  await writeMark('unset', 'heard', false, 2_000, db)
  await writeUpNext({ type: 'addToEnd', uids: ['removed'] }, 1_000, db)
  await writeUpNext({ type: 'remove', uids: ['removed'] }, 2_000, db)
  await writeNote({ uid, seconds: 1, text: 'Removed' }, 1_000, db)
  await removeNote((await readNotes(uid, db)).find(({ text }) => text === 'Removed')!.id, 2_000, db)
  expect(await readAnonymous(db)).toEqual([])
  await startSession(db, ana)
  const title = 'The True Vine'
  expect(await readAnonymous(db)).toMatchObject([
    { kind: 'note', at: 5_002, title, words: 'Pray for my marriage' },
    { kind: 'marks', at: 2_000, title: undefined },
    ...['marks', 'position', 'upNext'].map((kind) => ({ kind, at: 1_000, title })),
  ])
})

test('a note begun by one person stays theirs', async () => {
  const db = device()
  await startSession(db, ana)
  await make.note(db)
  const [note] = await readNotes(uid, db)
  const removed = await removeNote(note!.id, 2_000, db)
  await startSession(db, ben)
  await writeNote({ uid, seconds: 1, text: 'Begun by Ana', owner: ana }, 3_000, db)
  await writeNote(removed!, 3_000, db)
  expect([await readNotes(uid, db), await db.unsentListening.count()]).toEqual([[], 0])
  await turnOn(db, ana)
  expect((await readNotes(uid, db)).map(({ text }) => text)).toEqual(['Begun by Ana', note!.text])
  expect((await db.unsentListening.toArray()).map(({ own }) => own?.at(-1)?.at)).toEqual([3_000, 3_000])
})

test('what a person made is hidden from the sign-out until they return', async () => {
  const db = device()
  await startSession(db, ana)
  for (const kind of kinds) await make[kind](db)
  await endSession(db)
  expect([await shown(db), await readAnonymous(db)]).toEqual([[], []])
  await startSession(db, ana)
  expect((await shown(db)).sort()).toEqual([...kinds].sort())
})

describe('deleting all listening', () => {
  test('leaves later rows to the signed-in person', async () => {
    const db = device()
    await turnOn(db, ana)
    await writeAccount(db, ana, { ...(await readAccount(db, ana))!, cursor: 'read so far', held: 3 })
    await startSession(db, ana)
    await make.note(db)
    await deleteListening(db)
    expect([await shown(db), await readOwner(db)]).toEqual([[], ana])
    // The account's rows are read from the beginning.
    expect(await readAccount(db, ana)).toMatchObject({ on: true, held: 3, askAt: 0 })
    expect(await readAccount(db, ana)).not.toHaveProperty('cursor')
  })

  test('leaves that of others after a sign-out', async () => {
    const db = device()
    await turnOn(db, ana)
    await make.note(db)
    await endSession(db)
    await deleteListening(db)
    expect([await readOwner(db), (await readAccount(db, ana))?.on]).toEqual([nobody, true])
    await startSession(db, ana)
    expect(await shown(db)).toEqual(['note'])
  })
})

describe('an edit of a note', () => {
  async function edited(meanwhile: (db: AppDatabase, id: string) => Promise<unknown>) {
    const db = device()
    await make.note(db)
    const [note] = await readNotes(uid, db)
    await meanwhile(db, note!.id)
    const isBeside = await writeNote({ ...note!, text: 'Mine', seen: note!.text }, 5_000, db)
    return { isBeside, texts: (await readNotes(uid, db)).map(({ text }) => text).sort() }
  }

  test('leaves newer words beside it', async () => {
    const newer = (db: AppDatabase, id: string) => db.notes.update(id, { text: 'Newer', changedAt: 3_000 })
    expect(await edited(newer)).toEqual({ isBeside: true, texts: ['Mine', 'Newer'] })
  })

  test('does not bring a removed note back', async () => {
    expect(await edited((db, id) => removeNote(id, 3_000, db))).toEqual({ isBeside: true, texts: ['Mine'] })
  })

  test('replaces the words that were seen', async () => {
    const stamped = (db: AppDatabase, id: string) => db.notes.update(id, { changedAt: 3_000 })
    expect(await edited(stamped)).toEqual({ isBeside: false, texts: ['Mine'] })
  })

  test('adds no note with the same words', async () => {
    const same = (db: AppDatabase, id: string) => db.notes.update(id, { text: 'Mine' })
    expect(await edited(same)).toEqual({ isBeside: false, texts: ['Mine'] })
  })
})
