import type { AppDatabase } from '../database/app-database.ts'
import type { Backoff } from '../engine/backoff.ts'

/** Whose listening the device shows: an account's id, or 0 where it belongs to none. */
export async function readOwner(db: AppDatabase): Promise<number> {
  const row = await db.meta.get(ownerKey)
  return typeof row?.value === 'number' ? row.value : 0
}

/** Inside a transaction of the caller. */
export const writeOwner = (db: AppDatabase, owner: number): PromiseLike<unknown> =>
  db.meta.put({ key: ownerKey, value: owner })

/** Who was signed in on this device last: an answer for another person comes too late. */
export async function lastSignedInUser(db: AppDatabase): Promise<number | undefined> {
  return (await db.meta.get(visitorKey))?.value as number | undefined
}

/** Inside a transaction of the caller. */
export const setLastSignedInUser = (db: AppDatabase, userId: number): PromiseLike<unknown> =>
  db.meta.put({ key: visitorKey, value: userId })

/** What this device knows of an account's listening. */
export interface ListeningAccount extends Backoff {
  /** Another one with each sign-in, and each time it is turned on or off: what was asked before is void then. */
  visit: string
  /** Whether it is kept with the account; undefined until the server has said so. */
  on?: boolean
  /** How far this device has read. */
  cursor?: string
  /** Rows that the server holds. */
  held: number
  /** When the server is asked next, epoch milliseconds of the device. */
  askAt: number
  /** When everything was sent and read the last time. */
  syncedAt?: number
  /** Changes of a request at most, after one was refused: to find out which. */
  atOnce?: number
  lastError?: { code: string; sentence: string }
}

export async function readAccount(db: AppDatabase, userId: number): Promise<ListeningAccount | undefined> {
  return (await db.meta.get(accountKey(userId)))?.value as ListeningAccount | undefined
}

/** Inside a transaction of the caller. */
export const writeAccount = (
  db: AppDatabase,
  userId: number,
  account: ListeningAccount,
): PromiseLike<unknown> => db.meta.put({ key: accountKey(userId), value: account })

export const forgetAccount = (db: AppDatabase, userId: number): PromiseLike<void> =>
  db.meta.delete(accountKey(userId))

/** What is known of every account that was signed in here. For live queries. */
export const readAccounts = (db: AppDatabase) =>
  db.meta.where('key').startsWith(accountKey('')).toArray() as PromiseLike<
    { key: string; value: ListeningAccount }[]
  >

const ownerKey = 'listeningOwner'
const visitorKey = 'listeningVisitor'
const accountKey = (userId: number | '') => `listeningAccount:${userId}`
