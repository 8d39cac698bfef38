import { keyOfChange, type ListeningChange } from '@fellowship/schema/listening/listening.schema'
import { mergeChanges } from '../../protocol/listening-changes.ts'
import { uuidv7 } from '../../protocol/uuid.ts'
import type { AppDatabase } from '../database/app-database.ts'
import { noBackoff } from '../engine/backoff.ts'
import { stamped } from './listening-clock.ts'
import {
  forgetAccount,
  readAccount,
  readOwner,
  writeAccount,
  writeOwner,
  setLastSignedInUser,
  type ListeningAccount,
} from './listening-owner.ts'
import { markUnsent, putChange, readChange, readChanges } from './listening-rows.ts'
import { forgetAllPlayed } from './up-next.store.ts'

/*
 * Whose listening a device holds. One set of rows is shown; those of other people, and what was made without an account,
 * are put aside and never mixed with it unless a person asks for that.
 */

/** A person is signed in: their listening is shown where it is kept with the account, and never that of another person. */
export async function startSession(db: AppDatabase, userId: number): Promise<void> {
  await db.transaction('rw', everyTable(db), async () => {
    await setLastSignedInUser(db, userId)
    const known = await readAccount(db, userId)
    const account = known ?? newAccount()
    await writeAccount(db, userId, { ...account, ...noBackoff, askAt: 0 })
    // Also where it is off: what stayed here when it was turned off was put aside if others came in between.
    await show(db, account.on ? userId : await ownOrNobodys(db, userId))
  })
}

/** It is kept with the account from now on: what the device shows becomes this person's. */
export async function turnOn(db: AppDatabase, userId: number, now: number): Promise<void> {
  await db.transaction('rw', everyTable(db), async () => {
    const shown = await readOwner(db)
    if (shown === 0) {
      await writeOwner(db, userId)
      await takeOver(db, userId)
    } else await show(db, userId)
    await writeAccount(db, userId, { ...newAccount(), on: true })
    await markAll(db, await stamped(db, now))
  })
}

/** It is no longer kept with the account; on this device it stays. */
export async function turnOff(db: AppDatabase, userId: number, held: number): Promise<void> {
  await db.transaction('rw', everyTable(db), async () => {
    if ((await readOwner(db)) === userId) await db.unsentListening.clear()
    await writeAccount(db, userId, { ...newAccount(), on: false, held })
  })
}

/** Removes a person's listening from this device, and what was not sent yet with it. */
export async function removePerson(db: AppDatabase, userId: number): Promise<void> {
  await db.transaction('rw', everyTable(db), async () => {
    if ((await readOwner(db)) === userId) {
      await clearShown(db)
      await writeOwner(db, 0)
      await takeOver(db, 0)
    }
    await db.keptListening.where('owner').equals(userId).delete()
    await forgetAccount(db, userId)
  })
}

/** Adds what was made on this device without an account to the listening of the person who is shown. */
export async function adoptNobodys(db: AppDatabase, userId: number, now: number): Promise<void> {
  await db.transaction('rw', everyTable(db), async () => {
    if ((await readOwner(db)) !== userId) return
    await takeOver(db, 0)
    await markAll(db, await stamped(db, now))
  })
}

/** How many rows were made on this device without an account, while another set is shown. */
export async function countNobodys(db: AppDatabase): Promise<number> {
  return db.keptListening.where('owner').equals(0).count()
}

/** Every table that holds somebody's listening. */
export const everyTable = (db: AppDatabase) => [...db.listeningTables, ...db.unsentTables, db.keptListening]

/** Shows the listening of a person, or what belongs to nobody; puts what is shown aside. Inside a transaction of the caller. */
export async function show(db: AppDatabase, owner: number): Promise<void> {
  const shown = await readOwner(db)
  if (shown === owner) return
  const [changes, unsent] = await Promise.all([readChanges(db), db.unsentListening.toArray()])
  const marks = new Map(unsent.map((mark) => [`${mark.kind} ${mark.key}`, mark]))
  await db.keptListening.bulkPut(
    changes.map((change) => {
      const key = keyOfChange(change)
      const mark = marks.get(`${change.kind} ${key}`)
      return { owner: shown, kind: change.kind, key, row: change.row, ...(mark && { unsent: mark }) }
    }),
  )
  await clearShown(db)
  await writeOwner(db, owner)
  await takeOver(db, owner)
}

/** Marks every row that is shown as not sent. Inside a transaction of the caller. */
export async function markAll(db: AppDatabase, at: number): Promise<void> {
  const changes = await readChanges(db)
  for (const kind of ['position', 'marks', 'note', 'upNext'] as const) {
    const keys = changes.filter((change) => change.kind === kind).map(keyOfChange)
    await markUnsent(db, kind, keys, at)
  }
}

const newAccount = (): ListeningAccount => ({
  ...noBackoff,
  visit: uuidv7(Date.now()),
  held: 0,
  askAt: 0,
})

async function ownOrNobodys(db: AppDatabase, userId: number): Promise<number> {
  if ((await readOwner(db)) === userId) return userId
  return (await db.keptListening.where('owner').equals(userId).count()) > 0 ? userId : 0
}

/** Merges what was put aside of an owner into what is shown. */
async function takeOver(db: AppDatabase, owner: number): Promise<void> {
  const kept = db.keptListening.where('owner').equals(owner)
  for (const { kind, key, row, unsent } of await kept.toArray()) {
    const change = { kind, row } as ListeningChange
    const present = await readChange(db, kind, key)
    await putChange(db, present ? mergeChanges(present, change) : change)
    if (unsent) await db.unsentListening.put(unsent)
  }
  await kept.delete()
}

async function clearShown(db: AppDatabase): Promise<void> {
  for (const table of [...db.listeningTables, db.unsentListening]) await table.clear()
  await forgetAllPlayed(db)
}
