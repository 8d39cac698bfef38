import {
  keyOfChange,
  type ListeningChange,
  type ListeningKind,
} from '@fellowship/schema/listening/listening.schema'
import { mapStamps, mergeChanges } from '../../protocol/listening-changes.ts'
import { uuidv7 } from '../../protocol/uuid.ts'
import {
  appDatabase,
  signedInKey,
  type AppDatabase,
  type InactiveListening,
  type OwnStamp,
  type UnsentListening,
} from '../database/app-database.ts'
import { noBackoff, type Backoff } from '../engine/backoff.ts'

/*
 * A device stores one set of listening for each person, and one for the time when no user is signed in. It shows the set of the
 * signed-in user, or the one without an owner. The other sets are inactive. Two sets are merged only if a person asks for that.
 * Earlier builds stored rows without an owner even if a user was signed in.
 */

/** The person whose listening the device shows; 0 if it belongs to none. */
export async function readOwner(db: AppDatabase): Promise<number> {
  const row = await db.meta.get(ownerKey)
  return typeof row?.value === 'number' ? row.value : 0
}

/** Inside a transaction of the caller. */
export const writeOwner = (db: AppDatabase, owner: number): PromiseLike<unknown> =>
  db.meta.put({ key: ownerKey, value: owner })

/** The state of an account's listening on this device. */
export interface ListeningAccount extends Backoff {
  /** Another one each time it is turned on or off: earlier requests are void then. */
  session: string
  /** Whether it is kept with the account; undefined until the server has answered that. */
  on?: boolean
  /** How far this device has read. */
  cursor?: string
  /** Rows that the server holds. */
  held: number
  /** When the server is asked next, epoch milliseconds of the device. */
  askAt: number
  /** When everything was sent and read the last time. */
  syncedAt?: number
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

/** Ends the session of an account and reads it from its beginning again. Inside a transaction of the caller. */
export async function readAgain(db: AppDatabase, userId: number): Promise<void> {
  const { cursor: _, ...account } = { ...newAccount(), ...(await readAccount(db, userId)) }
  await writeAccount(db, userId, { ...account, ...newAccount(), held: account.held })
}

/** All accounts that were signed in here. For live queries. */
export const readAccounts = (db: AppDatabase) =>
  db.meta.where('key').startsWith(accountKey('')).toArray() as PromiseLike<
    { key: string; value: ListeningAccount }[]
  >

/** How the listening on this device stands with an account. */
export interface ListeningStatus {
  /** The person whose listening is shown; 0 if it belongs to none. */
  owner: number
  /** Whether the device also stores listening of other people, which it does not show. */
  hasOthers: boolean
  /** Of the given user; undefined while this device has no state of it. */
  account: ListeningAccount | undefined
  /** Changes that wait to be sent. */
  unsent: number
  /** The server's reasons for the changes that it has rejected. */
  rejected: readonly string[]
}

/** For live queries. */
export async function readListeningStatus(
  userId: number | undefined,
  db: AppDatabase = appDatabase(),
): Promise<ListeningStatus> {
  return db.transaction('r', [db.meta, db.unsentListening, db.inactiveListening], async () => {
    const owner = await readOwner(db)
    const marks = await db.unsentListening.toArray()
    return {
      owner,
      hasOthers: (await db.inactiveListening.where('owner').above(0).count()) > 0,
      account: userId === undefined ? undefined : await readAccount(db, userId),
      unsent: (await readUnsent(db, userId)).length,
      rejected: marks.flatMap(({ refused }) => refused ?? []),
    }
  })
}

/** The rows to be sent for a user; none unless theirs are shown and kept with the account. */
export async function readUnsent(db: AppDatabase, userId: number | undefined): Promise<UnsentListening[]> {
  if (userId === undefined || (await readOwner(db)) !== userId) return []
  if (!(await readAccount(db, userId))?.on) return []
  return db.unsentListening.filter(({ refused }) => refused === undefined).toArray()
}

/** Shows the listening of a signed-in user, whether it is kept with the account or not, and never that of another one. */
export async function startSession(db: AppDatabase, userId: number): Promise<void> {
  await db.transaction('rw', everyTable(db), async () => {
    await db.meta.put({ key: signedInKey, value: userId })
    // An account that an earlier build stored has no session.
    const account = { ...newAccount(), ...(await readAccount(db, userId)), ...noBackoff, askAt: 0 }
    await writeAccount(db, userId, account)
    await show(db, userId)
  })
}

/** No user is signed in: shows the listening without an owner. That of the last user is stored until they sign in again. */
export async function endSession(db: AppDatabase): Promise<void> {
  await db.transaction('rw', everyTable(db), async () => {
    await db.meta.put({ key: signedInKey, value: undefined })
    await show(db, 0)
  })
}

/** Keeps a person's listening with the account from now on. Anonymous rows are added only by `claimAnonymous`. */
export async function turnOn(db: AppDatabase, userId: number): Promise<void> {
  await db.transaction('rw', everyTable(db), async () => {
    await show(db, userId)
    await writeAccount(db, userId, { ...newAccount(), on: true })
    await markAll(db)
  })
}

/** Stops keeping it with the account; it stays on this device. */
export async function turnOff(db: AppDatabase, userId: number, held: number): Promise<void> {
  await db.transaction('rw', everyTable(db), async () => {
    if ((await readOwner(db)) === userId) await mergeClaimed(db)
    await writeAccount(db, userId, { ...newAccount(), on: false, held })
  })
}

/** Removes a person's listening from this device, with the changes that were not sent. */
export async function removePerson(db: AppDatabase, userId: number): Promise<void> {
  await db.transaction('rw', everyTable(db), async () => {
    if ((await readOwner(db)) === userId) {
      await clearShown(db)
      await writeOwner(db, 0)
      await takeOver(db, 0)
    }
    await db.inactiveListening.where('owner').equals(userId).delete()
    await db.meta.delete(accountKey(userId))
  })
}

/** Adds the anonymous rows of this device to the shown listening of a person, who has seen them listed. */
export async function claimAnonymous(db: AppDatabase, userId: number): Promise<void> {
  await db.transaction('rw', everyTable(db), async () => {
    if ((await readOwner(db)) !== userId) return
    await takeOver(db, 0)
    if (!(await readAccount(db, userId))?.on) await mergeClaimed(db)
    await markAll(db)
  })
}

/** Every table that holds listening. */
export const everyTable = (db: AppDatabase) => [
  ...db.listeningTables,
  ...db.unsentTables,
  db.inactiveListening,
]

/** Shows the rows of an account, or those without one; the shown rows become inactive. Inside a transaction of the caller. */
export async function show(db: AppDatabase, owner: number): Promise<void> {
  const shown = await readOwner(db)
  if (shown === owner) return
  const changes = await readChanges(db)
  const unsent = await db.unsentListening.toArray()
  const marks = new Map(unsent.map((mark) => [`${mark.kind} ${mark.key}`, mark]))
  await db.inactiveListening.bulkPut(
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

export async function readChange(
  db: AppDatabase,
  kind: ListeningKind,
  key: string,
): Promise<ListeningChange | undefined> {
  const row = await db.listeningTableOf(kind).get(key)
  return row === undefined ? undefined : ({ kind, row } as ListeningChange)
}

export const putChange = (db: AppDatabase, { kind, row }: ListeningChange): PromiseLike<unknown> =>
  db.listeningTableOf(kind).put(row)

/** Every row that the device shows. */
export async function readChanges(db: AppDatabase): Promise<ListeningChange[]> {
  const changes: ListeningChange[] = []
  // One after the other: after several async functions at once Dexie may lose the transaction.
  for (const kind of kinds)
    for (const row of await db.listeningTableOf(kind).toArray())
      changes.push({ kind, row } as ListeningChange)
  return changes
}

/**
 * Marks rows as changed, also without an account: they are sent once they are kept with one. Call it inside the transaction
 * of the change.
 *
 * @param changed keys, each with the moment in its row that this change has written, if any
 * @param at when it was changed, epoch milliseconds of the device
 * @param base the moment of the place that a listening continues from
 * @param atOnce playback has stopped at this place
 */
export async function markUnsent(
  db: AppDatabase,
  kind: ListeningKind,
  changed: readonly { key: string; moment?: number }[],
  {
    at = 0,
    base,
    atOnce = false,
  }: { at?: number; base?: number | undefined; atOnce?: boolean | undefined } = {},
): Promise<void> {
  if (changed.length === 0) return
  const known = await db.unsentListening.bulkGet(changed.map(({ key }) => [kind, key]))
  const marks: UnsentListening[] = []
  for (const [index, { key, moment }] of changed.entries()) {
    const before = known[index]
    const own = before?.own?.length ? await presentStamps(db, before) : []
    const from = before ? before.base : base
    marks.push({
      kind,
      key,
      own: moment === undefined ? own : [...own.filter((stamp) => stamp.moment !== moment), { moment, at }],
      nonce: uuidv7(Date.now()),
      ...(from !== undefined && { base: from }),
      ...(atOnce && { atOnce }),
      ...(before?.claimed && { claimed: before.claimed }),
    })
  }
  await db.unsentListening.bulkPut(marks)
}

/** Marks every row that is shown as unsent. Inside a transaction of the caller. */
export async function markAll(db: AppDatabase): Promise<void> {
  const changes = await readChanges(db)
  for (const kind of kinds) {
    const ofKind = changes.filter((change) => change.kind === kind)
    await markUnsent(
      db,
      kind,
      ofKind.map((change) => ({ key: keyOfChange(change) })),
    )
  }
}

/** Merges claimed rows here once no server will do it. Inside a transaction of the caller. */
export async function mergeClaimed(db: AppDatabase): Promise<void> {
  for (const { claimed, ...mark } of await db.unsentListening.toArray()) {
    if (!claimed) continue
    const change = { kind: mark.kind, row: claimed.row } as ListeningChange
    const present = await readChange(db, mark.kind, mark.key)
    await putChange(db, present ? mergeChanges(present, change) : change)
    await db.unsentListening.put({ ...mark, own: [...(mark.own ?? []), ...claimed.own] })
  }
}

const kinds: readonly ListeningKind[] = ['position', 'marks', 'note', 'upNext']

/** The device's stamps that are still in the row: an earlier place has left it at some time. */
async function presentStamps(db: AppDatabase, { kind, key, own = [] }: UnsentListening): Promise<OwnStamp[]> {
  const change = await readChange(db, kind, key)
  const moments = new Set<unknown>()
  if (change)
    mapStamps(change, (stamp) => {
      moments.add(stamp)
      return stamp
    })
  return own.filter(({ moment }) => moments.has(moment))
}

const newAccount = (): ListeningAccount => ({
  ...noBackoff,
  session: uuidv7(Date.now()),
  held: 0,
  askAt: 0,
})

/** Adds the inactive rows of an owner to the shown ones. */
async function takeOver(db: AppDatabase, owner: number): Promise<void> {
  const inactive = await db.inactiveListening.where('owner').equals(owner).toArray()
  for (const each of inactive) {
    const { kind, key, row, unsent } = each
    const present = await readChange(db, kind, key)
    if (present) await claim(db, each, await db.unsentListening.get([kind, key]))
    else {
      await putChange(db, { kind, row } as ListeningChange)
      if (unsent) await db.unsentListening.put(unsent)
    }
  }
  await db.inactiveListening.bulkDelete(inactive.map(({ kind, key }) => [owner, kind, key]))
}

/**
 * Two rows of one key: that of the person is shown, and the anonymous one is sent beside it. The server merges them, as this
 * device cannot order its own stamps and the server's.
 */
async function claim(
  db: AppDatabase,
  { kind, key, row, unsent }: InactiveListening,
  own: UnsentListening | undefined,
): Promise<void> {
  const { refused: _, claimed, ...mark }: UnsentListening = own ?? { kind, key, nonce: '' }
  const joined = claimed
    ? mergeChanges({ kind, row: claimed.row } as ListeningChange, { kind, row } as ListeningChange).row
    : row
  await db.unsentListening.put({
    ...mark,
    own: mark.own ?? [],
    nonce: uuidv7(Date.now()),
    claimed: { row: joined, own: [...(claimed?.own ?? []), ...(unsent?.own ?? [])] },
  })
}

async function clearShown(db: AppDatabase): Promise<void> {
  for (const table of [...db.listeningTables, db.unsentListening]) await table.clear()
  await db.meta.delete(playedKey)
}

/** The teachings that played before the open one, in `meta`. */
export const playedKey = 'playedBefore'

const ownerKey = 'listeningOwner'
const accountKey = (userId: number | '') => `listeningAccount:${userId}`
