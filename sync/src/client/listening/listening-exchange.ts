import { actingUserHeader } from '@fellowship/schema/endpoint'
import { listening } from '@fellowship/schema/listening/listening.contract'
import { listeningLimits as limits } from '@fellowship/schema/listening/listening.limits'
import {
  isAccepted,
  isRejected,
  keyOfChange,
  type ListeningChange,
  type ListeningEvent,
  type ListeningPage,
  type ListeningResult,
} from '@fellowship/schema/listening/listening.schema'
import { isSameRow, mapStamps, mergeChanges } from '../../protocol/listening-changes.ts'
import { call, type Transport } from '../../call/call.ts'
import type { AppDatabase, OwnStamp, UnsentListening } from '../database/app-database.ts'
import {
  everyTable,
  markAll,
  markUnsent,
  mergeClaimed,
  putChange,
  readAccount,
  readChange,
  readOwner,
  readUnsent,
  show,
  writeAccount,
  type ListeningAccount,
} from './listening-accounts.ts'

/** Reads the rows of the account and sends those that it lacks, for one user and one session. */
export interface Exchange {
  db: AppDatabase
  userId: number
  session: string
  transport: Transport
  /** Epoch milliseconds of the device. */
  now: () => number
  signal: AbortSignal
  /** Called after each request that succeeded. */
  onProgress: () => void
}

/**
 * One round: reads first, then sends. Changes made meanwhile are sent by the next batch. Ends early if the user has signed out
 * or turned it off.
 *
 * @throws the error of the request that failed
 */
export async function exchange(round: Exchange): Promise<void> {
  let page = await readPage(round)
  while (page?.on && page.more) page = await readPage(round)
  // Empty if it is turned off, or the session is over.
  for (let batch = await takeBatch(round); batch.length > 0; batch = await takeBatch(round))
    await sendBatch(round, batch)
}

/** Undefined if the answer came too late, after the user has signed out. */
async function readPage(round: Exchange): Promise<ListeningPage | undefined> {
  const { db, userId, transport, signal, onProgress } = round
  const account = await readAccount(db, userId)
  if (account?.session !== round.session) return undefined
  const query = { ...(account.cursor !== undefined && { since: account.cursor }) }
  const page = await call(listening.pull, { query, headers: acting(userId), signal }, transport)
  const isApplied = await applyPage(round, page)
  onProgress()
  return isApplied ? page : undefined
}

/** The header by which the server refuses a request of a page that has not noticed another sign-in. */
export const acting = (userId: number) => ({ [actingUserHeader]: String(userId) })

function applyPage(round: Exchange, page: ListeningPage): Promise<boolean> {
  const { db, userId } = round
  return ifSessionCurrent(round, async (account) => {
    if (!page.on) {
      if ((await readOwner(db)) === userId) await mergeClaimed(db)
      const { cursor: _, ...others } = account
      await writeAccount(db, userId, { ...others, on: false, held: page.held })
      return
    }
    await writeAccount(db, userId, { ...account, on: true, cursor: page.next, held: page.held })
    await show(db, userId)
    // The server may lack rows that this device has: it was restored, or it was turned off for a while.
    if (page.anew) await markAll(db)
    for (const change of page.changes) await take(db, change)
  })
}

/** Stores a row of the server; marks it as unsent if the server lacks some of it. */
async function take(db: AppDatabase, change: ListeningChange): Promise<void> {
  const key = keyOfChange(change)
  const [mine, mark] = await Promise.all([
    readChange(db, change.kind, key),
    db.unsentListening.get([change.kind, key]),
  ])
  // The server merges it with this device's changes when they are sent, as it alone can order them.
  const isSentSoon = mark && mark.refused === undefined && (mark.own?.length || mark.claimed)
  if (mine && isSentSoon) return
  const merged = mine && !(isPassed(mine, change) && !mark) ? mergeChanges(mine, change) : change
  if (!mine || !isSameRow(mine, merged)) await putChange(db, merged)
  if (isSameRow(merged, change)) await db.unsentListening.delete([change.kind, key])
  else if (!mark) await markUnsent(db, change.kind, [{ key }])
}

/** Whether the server's place is newer than the one it had before: listening went on elsewhere. */
const isPassed = (mine: ListeningChange, change: ListeningChange): boolean =>
  mine.kind === 'position' && change.kind === 'position' && mine.row.listenedAt <= change.row.listenedAt

interface Unsent {
  mark: UnsentListening
  /** The row, and the claimed one beside it. */
  events: ListeningEvent[]
}

/** The next changes to send: as many as fit into a request. */
async function takeBatch(round: Exchange): Promise<Unsent[]> {
  const { db, userId, now } = round
  const batch: Unsent[] = []
  await ifSessionCurrent(round, async () => {
    let [count, bytes] = [0, 0]
    for (const mark of await readUnsent(db, userId)) {
      const { kind, key, own, base, claimed } = mark
      const shown = await readChange(db, kind, key)
      if (!shown) {
        await db.unsentListening.delete([kind, key])
        continue
      }
      const row = { ...shown, ...(base !== undefined && { after: base }) } as ListeningChange
      const events = [eventOf(row, own, now())]
      if (claimed) events.push(eventOf({ kind, row: claimed.row } as ListeningChange, claimed.own, now()))
      count += events.length
      bytes += new TextEncoder().encode(JSON.stringify(events)).length
      if (batch.length > 0 && (count > limits.changes || bytes > limits.pushBytes)) break
      batch.push({ mark, events })
    }
  })
  return batch
}

/** The row with the age of each moment that this device has stamped; a clock that was set back makes no negative age. */
function eventOf(change: ListeningChange, own: readonly OwnStamp[] = [], now: number): ListeningEvent {
  const ageOf = new Map<unknown, number>(own.map(({ moment, at }) => [moment, Math.max(0, now - at)]))
  return mapStamps(change, (stamp) => {
    const age = ageOf.get(stamp)
    return age === undefined ? stamp : { age }
  })
}

async function sendBatch(round: Exchange, batch: readonly Unsent[]): Promise<void> {
  const { userId, session, transport, signal, onProgress } = round
  const body = { sender: session, events: batch.flatMap(({ events }) => events) }
  const answer = await call(listening.send, { body, headers: acting(userId), signal }, transport)
  if (answer.results.length !== body.events.length) throw new TypeError('Not as many results as events')
  onProgress()
  await ifSessionCurrent(round, (account) => acknowledge(round, account, { batch, ...answer }))
}

async function acknowledge(
  { db, userId }: Exchange,
  account: ListeningAccount,
  { batch, results, held }: { batch: readonly Unsent[]; results: readonly ListeningResult[]; held: number },
): Promise<void> {
  await writeAccount(db, userId, { ...account, held })
  if ((await readOwner(db)) !== userId) return
  let at = 0
  for (const { mark, events } of batch) {
    const answers = results.slice(at, (at += events.length))
    const now = await db.unsentListening.get([mark.kind, mark.key])
    const rejection = answers.find(isRejected)
    const row = answers.findLast(isAccepted)
    if (!now) continue
    if (now.nonce !== mark.nonce) {
      // Changed since: it is sent again as it is now.
      const { base: _, ...others } = now
      const base = row && sentPlace(events[0]!, row)
      await db.unsentListening.put({ ...others, ...(base !== undefined && { base }) })
    } else if (rejection) await db.unsentListening.put({ ...mark, refused: rejection.rejected })
    else if (row) {
      await putChange(db, row)
      await db.unsentListening.delete([mark.kind, mark.key])
    }
  }
}

/** The server's moment of the sent place if the server has that one now: later listening continues from it. */
const sentPlace = (sent: ListeningEvent, row: ListeningChange): number | undefined =>
  sent.kind === 'position' && row.kind === 'position' && sent.row.seconds === row.row.seconds
    ? row.row.listenedAt
    : undefined

/** Runs `work` in a transaction while the session lasts; returns false if it is over. */
async function ifSessionCurrent(
  { db, userId, session }: Pick<Exchange, 'db' | 'userId' | 'session'>,
  work: (account: ListeningAccount) => Promise<void>,
): Promise<boolean> {
  return db.transaction('rw', everyTable(db), async () => {
    const account = await readAccount(db, userId)
    if (account?.session !== session || (await db.signedInUser()) !== userId) return false
    await work(account)
    return true
  })
}
