import { listeningLimits as limits } from '@fellowship/schema/listening/listening.limits'
import {
  keyOfChange,
  listeningEvent,
  type ListeningChange,
  type ListeningChoice,
  type ListeningEvent,
  type ListeningPage,
  type ListeningResult,
} from '@fellowship/schema/listening/listening.schema'
import { listeningTexts as texts } from '@fellowship/schema/listening/listening.texts'
import { Problem } from '@fellowship/schema/problem'
import { decodeCursor, encodeCursor } from '@fellowship/sync/protocol/cursor'
import {
  continuesFrom,
  isSameRow,
  mergeChanges,
  stampEvent,
} from '@fellowship/sync/protocol/listening-changes'
import { isOrderKey } from '@fellowship/sync/protocol/up-next'
import { canContinue } from '@fellowship/sync/server/change-feed'
import type { Context } from '../../context.ts'
import { writeAudit, type Actor } from '../../db/audit-log.ts'
import { inTransaction, type Transaction } from '../../db/connection.ts'
import type { ListeningHint } from '../../machine/changes.ts'
import {
  allBytes,
  deleteAccount,
  disableAccount,
  enableAccount,
  findAccount,
  keyBytes,
  lockAccount,
  rowsAfter,
  rowsWithKeys,
  writeRows,
} from './listening.sql.ts'

export { countBytes, healRevisions } from './listening.sql.ts'

/** The changes of a person's listening since a cursor; from the beginning if that cannot be continued. */
export async function listeningSince(
  { sql, clock }: Context,
  userId: number,
  since: string | undefined,
): Promise<ListeningPage> {
  const account = await findAccount(sql, userId)
  const serverTime = clock.now().getTime()
  if (!account?.enabled) return { on: false, held: account?.held ?? 0, serverTime }
  const { rev, epoch, held } = account
  const cursor = decodeCursor(since)
  const isContinued = canContinue(cursor, { epoch, rev, floor: 0 })
  const after = isContinued ? cursor.rev : 0
  const rows = await rowsAfter(sql, userId, { after, upTo: rev, limit: limits.page })
  const more = rows.length >= limits.page && rows.at(-1)!.rev < rev
  return {
    on: true,
    anew: !isContinued,
    changes: rows.map(({ change }) => change),
    next: encodeCursor({ epoch, rev: more ? rows.at(-1)!.rev : rev }),
    more,
    held,
    serverTime,
  }
}

/**
 * Stamps events of a device and merges them into the rows of the account, each by itself. Repeating it changes nothing.
 *
 * @param reject makes the result of a rejected event; an error that it throws refuses all of them
 * @returns for each event the row as it is now, or the reason of its rejection
 * @throws Problem `not_found` if the account keeps no listening
 */
export async function mergeListening(
  context: Context,
  userId: number,
  { sender, events }: { sender: string; events: readonly unknown[] },
  reject = (problem: Problem): ListeningResult => ({ rejected: problem.message }),
): Promise<{ results: ListeningResult[]; held: number }> {
  const given = events.map(parseEvent)
  const now = context.clock.now().getTime()
  const { isChanged, ...answer } = await inTransaction(context.sql, async (tx) => {
    await lockAccount(tx, userId)
    const account = await findAccount(tx, userId)
    if (!account?.enabled) throw new Problem('not_found', texts.isOff)
    const keys = given.flatMap((each) =>
      each instanceof Problem ? [] : { kind: each.kind, key: keyOfChange(each) },
    )
    const stored = await rowsWithKeys(tx, userId, keys)
    const before = new Map(stored.map((row) => [nameOf(row), row]))
    const merged = new Map(before)
    const held = () => account.held + merged.size - before.size
    const room = roomOf(account.bytes, await allBytes(tx))
    const results = given.map((event) => {
      if (event instanceof Problem) return () => reject(event)
      const name = nameOf(event)
      if (!merged.has(name) && held() >= limits.rows)
        return () => reject(new Problem('too_large', texts.full))
      const change = stampEvent(event, merged.get(name), now)
      const earlier = merged.get(name)
      const known = earlier ?? change
      // Merged with itself it is as it will be after every later merge.
      const row = mergeChanges(continuesFrom(known, change) ? change : known, change)
      // Places and marks of known teachings are small, and go on.
      const isBounded = earlier !== undefined && row.kind !== 'note'
      const full = isBounded ? undefined : room.take(bytesOf(row) - (earlier ? bytesOf(earlier) : 0))
      if (full !== undefined) return () => reject(new Problem('too_large', full))
      merged.set(name, row)
      return () => merged.get(name)!
    })
    const answers = results.map((result) => result())
    const changed = [...merged].filter(([name, row]) => !isSame(before.get(name), row))
    if (changed.length > 0) {
      const rows = changed.map(([, change]) => ({ key: keyOfChange(change), change }))
      await writeRows(tx, userId, rows)
      await tellOthers(context, tx, { userId, sender })
    }
    return { results: answers, held: held(), isChanged: changed.length > 0 }
  })
  if (isChanged) context.changes.hint({ userId, sender })
  return answer
}

const bytesOf = ({ row }: ListeningChange): number => Buffer.byteLength(JSON.stringify(row)) + keyBytes

/** Counts the bytes that are added; what makes rows smaller is always taken. */
function roomOf(own: number, all: number) {
  let added = 0
  return {
    /** Returns the reason if there is no room. */
    take(bytes: number): string | undefined {
      const [ownThen, allThen] = [own + added + bytes, all + added + bytes]
      if (bytes > 0 && ownThen > limits.bytes) return texts.fullOfBytes
      const isShared = allThen > limits.allBytes && ownThen > limits.fewBytes
      if (bytes > 0 && (isShared || allThen > limits.mostBytes)) return texts.serverFull
      added += bytes
      return undefined
    },
  }
}

function parseEvent(given: unknown): ListeningEvent | Problem {
  const { data, success } = listeningEvent.safeParse(given)
  if (!success) return new Problem('invalid_input', texts.cannotBeKept)
  const isPlaced = data.kind !== 'upNext' || isOrderKey(data.row.order)
  return isPlaced ? data : new Problem('invalid_input', texts.badOrder)
}

/** Passes hints of other processes on the same database to the devices that are connected to this one. */
export async function listenForHints({ node, changes }: Context): Promise<void> {
  await node.listen('listening', (about) => {
    const { from, ...hint } = JSON.parse(about) as ListeningHint & { from: string }
    if (from !== node.process) changes.hint(hint)
  })
}

const tellOthers = ({ node }: Context, tx: Transaction, hint: ListeningHint): Promise<void> =>
  node.tell('listening', JSON.stringify({ ...hint, from: node.process }), tx)

/** Turns keeping it with the account on or off; `remove` deletes the rows. */
export async function chooseListening(
  context: Context,
  actor: Actor,
  { on, remove }: ListeningChoice,
): Promise<{ on: boolean; held: number }> {
  const { sql, clock, changes } = context
  const hint = { userId: actor.id, sender: '' }
  const answer = await inTransaction(sql, async (tx) => {
    const audit = (action: string) => writeAudit(tx, { actor, action, subject: 'My listening' }, clock.now())
    const isChanged = await (on ? enableAccount : disableAccount)(tx, actor.id)
    if (isChanged) await audit(on ? 'listening.turned_on' : 'listening.turned_off')
    if (remove && (await deleteAccount(tx, actor.id)) > 0) await audit('listening.deleted')
    await tellOthers(context, tx, hint)
    return { on, held: (await findAccount(tx, actor.id))?.held ?? 0 }
  })
  changes.hint(hint)
  return answer
}

const nameOf = (change: ListeningEvent): string => `${change.kind} ${keyOfChange(change)}`

const isSame = (before: ListeningChange | undefined, now: ListeningChange): boolean =>
  before !== undefined && isSameRow(before, now)
