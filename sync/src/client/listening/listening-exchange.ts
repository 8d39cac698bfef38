import { actingUserHeader } from '@fellowship/schema/endpoint'
import { listening } from '@fellowship/schema/listening/listening.contract'
import { listeningLimits as limits } from '@fellowship/schema/listening/listening.limits'
import {
  keyOfChange,
  listeningChange,
  type ListeningChange,
  type ListeningPage,
} from '@fellowship/schema/listening/listening.schema'
import { listeningTexts } from '@fellowship/schema/listening/listening.texts'
import { goesOn, isSameRow, mergeChanges, withMoments } from '../../protocol/listening-changes.ts'
import { CallError, sentenceOfError } from '../../call/call-error.ts'
import { call, type Transport } from '../../call/call.ts'
import type { AppDatabase, UnsentListening } from '../database/app-database.ts'
import { verdictOf } from '../engine/verdict.ts'
import { measuredBehind, readBehind, stamped, writeBehind, type ClockReading } from './listening-clock.ts'
import {
  readAccount,
  readOwner,
  lastSignedInUser,
  writeAccount,
  type ListeningAccount,
} from './listening-owner.ts'
import { everyTable, markAll, show } from './listening-people.ts'
import { markUnsent, putChange, readChange, readChanges } from './listening-rows.ts'

/** Reads what the account holds and sends what it lacks, of one person and one visit. */
export interface Exchange {
  db: AppDatabase
  userId: number
  visit: string
  transport: Transport
  /** Epoch milliseconds of the device. */
  now: () => number
  signal: AbortSignal
  /** After a request that brought it forward. */
  onProgress: () => void
}

/**
 * One round: reads first, which also tells the time, then sends. What is written meanwhile is sent by the next one. Ends
 * early where the person has left, or turned it off.
 *
 * @throws the error of the request that failed
 */
export async function exchange(with_: Exchange): Promise<void> {
  let page = await readPage(with_)
  while (page?.on && page.more) page = await readPage(with_)
  // There is nothing to take where it is turned off, or the visit is over.
  for (let batch = await takeBatch(with_); batch.length > 0; batch = await takeBatch(with_))
    await sendBatch(with_, batch)
}

/** Undefined where the answer came too late: the person has left. */
async function readPage(with_: Exchange): Promise<ListeningPage | undefined> {
  const { db, userId, transport, now, signal, onProgress } = with_
  const account = await readAccount(db, userId)
  if (account?.visit !== with_.visit) return undefined
  const query = { ...(account.cursor !== undefined && { since: account.cursor }) }
  const sent = now()
  const page = await call(listening.pull, { query, headers: acting(userId), signal }, transport)
  const clock = { sent, received: now(), server: page.serverTime }
  const isApplied = await applyPage(with_, page, clock)
  onProgress()
  return isApplied ? page : undefined
}

const acting = (userId: number) => ({ [actingUserHeader]: String(userId) })

function applyPage(with_: Exchange, page: ListeningPage, clock: ClockReading): Promise<boolean> {
  const { db, userId } = with_
  return ifSessionCurrent(with_, async (account) => {
    if (!page.on) {
      if ((await readOwner(db)) === userId) await db.unsentListening.clear()
      const { cursor: _, ...others } = account
      await writeAccount(db, userId, { ...others, on: false, held: page.held })
      return
    }
    await writeAccount(db, userId, { ...account, on: true, cursor: page.next, held: page.held })
    await show(db, userId)
    await setClock(db, clock)
    // What this device has the server may lack: it was restored, or it was turned off for a while.
    const at = await stamped(db, clock.received)
    if (page.anew) await markAll(db, at)
    for (const change of page.changes) await take(db, change, at)
  })
}

/** Merges a row of the server; marks it where the server does not have all of it. */
async function take(db: AppDatabase, change: ListeningChange, at: number): Promise<void> {
  const key = keyOfChange(change)
  const [mine, mark] = await Promise.all([
    readChange(db, change.kind, key),
    db.unsentListening.get([change.kind, key]),
  ])
  // Listening went on here from the place that the server has.
  if (mine && mark?.base !== undefined && goesOn(change, { ...mine, after: mark.base } as ListeningChange))
    return
  const merged = mine && !(isPassed(mine, change) && !mark) ? mergeChanges(mine, change) : change
  if (!mine || !isSameRow(mine, merged)) await putChange(db, merged)
  if (isSameRow(merged, change)) await db.unsentListening.delete([change.kind, key])
  else if (!mark) await markUnsent(db, change.kind, [key], at)
}

/** Whether a place that the server had already is older than the one it has now: listening went on elsewhere. */
const isPassed = (mine: ListeningChange, change: ListeningChange): boolean =>
  mine.kind === 'position' && change.kind === 'position' && mine.row.listenedAt <= change.row.listenedAt

/** Corrects what was stamped by a clock that turns out to be wrong: all of it at first, then what was not sent yet. */
async function setClock(db: AppDatabase, reading: ClockReading): Promise<void> {
  const known = await readBehind(db)
  const behind = measuredBehind(known, reading)
  if (behind === known) return
  await writeBehind(db, behind)
  const by = behind - (known ?? 0)
  if (by === 0) return
  const moved = (since: number) => (at: number) => (at >= since ? Math.max(0, at + by) : at)
  if (known === undefined) {
    for (const change of await readChanges(db)) await putChange(db, withMoments(change, moved(0)))
    await db.keptListening.toCollection().modify((kept) => {
      kept.row = withMoments(kept as ListeningChange, moved(0)).row
    })
    await db.unsentListening.toCollection().modify((mark) => {
      mark.since = moved(0)(mark.since)
    })
    return
  }
  for (const { kind, key, since, ...mark } of await db.unsentListening.toArray()) {
    const change = await readChange(db, kind, key)
    if (change) await putChange(db, withMoments(change, moved(since)))
    await db.unsentListening.put({ kind, key, ...mark, since: Math.max(0, since + by) })
  }
}

interface Unsent {
  mark: UnsentListening
  change: ListeningChange
}

/** The next changes to send: as many as fit into a request. What no server takes is set aside with the reason. */
async function takeBatch({ db, userId, visit }: Exchange): Promise<Unsent[]> {
  const batch: Unsent[] = []
  await ifSessionCurrent({ db, userId, visit }, async (account) => {
    if (!account.on || (await readOwner(db)) !== userId) return
    let bytes = 0
    for (const mark of await db.unsentListening.filter(({ refused }) => refused === undefined).toArray()) {
      const row = await readChange(db, mark.kind, mark.key)
      const parsed = listeningChange.safeParse(row)
      if (row === undefined) await db.unsentListening.delete([mark.kind, mark.key])
      else if (!parsed.success)
        await db.unsentListening.put({ ...mark, refused: listeningTexts.cannotBeKept })
      else {
        const change = {
          ...parsed.data,
          ...(mark.base !== undefined && { after: mark.base }),
        } as ListeningChange
        bytes += new TextEncoder().encode(JSON.stringify(change)).length + 1
        if (batch.length >= (account.atOnce ?? limits.changes) || bytes > limits.pushBytes) break
        batch.push({ mark, change })
      }
    }
  })
  return batch
}

async function sendBatch(with_: Exchange, batch: readonly Unsent[]): Promise<void> {
  const { userId, transport, signal, onProgress } = with_
  const body = { changes: batch.map(({ change }) => change) }
  try {
    const answer = await call(listening.push, { body, headers: acting(userId), signal }, transport)
    if (answer.rows.length !== batch.length) throw new TypeError('Not as many rows as were sent')
    onProgress()
    await ifSessionCurrent(with_, (account) => acknowledge(with_, account, { batch, ...answer }))
  } catch (error) {
    if (!(error instanceof CallError) || verdictOf(error) !== 'refused') throw error
    onProgress()
    await ifSessionCurrent(with_, (account) => setAside(with_, account, { batch, error }))
  }
}

async function acknowledge(
  { db, userId }: Exchange,
  account: ListeningAccount,
  { batch, rows, held }: { batch: readonly Unsent[]; rows: readonly ListeningChange[]; held: number },
): Promise<void> {
  await writeAccount(db, userId, { ...account, held })
  if ((await readOwner(db)) !== userId) return
  for (const [index, { mark, change }] of batch.entries()) {
    const now = await db.unsentListening.get([mark.kind, mark.key])
    const row = rows[index]!
    if (now?.nonce === mark.nonce) {
      await putChange(db, row)
      await db.unsentListening.delete([mark.kind, mark.key])
    } else if (now) {
      // Changed since: it is sent again as it is now.
      const { base: _, ...others } = now
      const base = sentPlace(change, row)
      await db.unsentListening.put({ ...others, ...(base !== undefined && { base }) })
    }
  }
}

/** When the place was listened to that was sent, where the server has it now: what is heard since goes on from it. */
const sentPlace = (sent: ListeningChange, row: ListeningChange): number | undefined =>
  sent.kind === 'position' && row.kind === 'position' && sent.row.listenedAt === row.row.listenedAt
    ? row.row.listenedAt
    : undefined

/** After a refusal half as many are sent at once, until the bad row is found, so that it holds up no other. */
async function setAside(
  { db, userId }: Exchange,
  account: ListeningAccount,
  { batch, error }: { batch: readonly Unsent[]; error: CallError },
): Promise<void> {
  const [only] = batch
  const { atOnce: _, ...others } = account
  if (batch.length > 1 || !only) {
    await writeAccount(db, userId, { ...others, atOnce: Math.floor(batch.length / 2) })
    return
  }
  await writeAccount(db, userId, others)
  const { mark } = only
  const now = await db.unsentListening.get([mark.kind, mark.key])
  if (now?.nonce === mark.nonce) await db.unsentListening.put({ ...mark, refused: sentenceOfError(error) })
}

/** Runs `work` in a transaction while the visit lasts; false where it is over. */
async function ifSessionCurrent(
  { db, userId, visit }: Pick<Exchange, 'db' | 'userId' | 'visit'>,
  work: (account: ListeningAccount) => Promise<void>,
): Promise<boolean> {
  return db.transaction('rw', everyTable(db), async () => {
    const account = await readAccount(db, userId)
    if (account?.visit !== visit || (await lastSignedInUser(db)) !== userId) return false
    await work(account)
    return true
  })
}
