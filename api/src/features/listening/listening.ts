import { listeningLimits as limits } from '@fellowship/schema/listening/listening.limits'
import {
  keyOfChange,
  type ListeningChange,
  type ListeningChoice,
  type ListeningPage,
} from '@fellowship/schema/listening/listening.schema'
import { listeningTexts as texts } from '@fellowship/schema/listening/listening.texts'
import { Problem } from '@fellowship/schema/problem'
import { decodeCursor, encodeCursor } from '@fellowship/sync/protocol/cursor'
import { goesOn, isSameRow, mergeChanges, withMoments } from '@fellowship/sync/protocol/listening-changes'
import { isOrderKey } from '@fellowship/sync/protocol/up-next'
import { canContinue } from '@fellowship/sync/server/change-feed'
import type { Context } from '../../context.ts'
import { writeAudit, type Actor } from '../../db/audit-log.ts'
import type { Transaction } from '../../db/connection.ts'
import {
  deleteAccount,
  disableAccount,
  enableAccount,
  findAccount,
  lockAccount,
  rowsAfter,
  rowsWithKeys,
  writeRows,
} from './listening.sql.ts'

/** What changed in a person's listening since a cursor; from the beginning where that cannot be continued. */
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
  const goesOn = canContinue(cursor, { epoch, rev, floor: 0 })
  const after = goesOn ? cursor.rev : 0
  const rows = await rowsAfter(sql, userId, { after, upTo: rev, limit: limits.page })
  const more = rows.length >= limits.page && rows.at(-1)!.rev < rev
  return {
    on: true,
    anew: !goesOn,
    changes: rows.map(({ change }) => change),
    next: encodeCursor({ epoch, rev: more ? rows.at(-1)!.rev : rev }),
    more,
    held,
    serverTime,
  }
}

/**
 * Merges rows of a device into what the account holds. Repeating it changes nothing.
 *
 * @returns the rows as they are now, one for each change
 * @throws Problem `not_found` where the account keeps nothing, `too_large` where it holds all it can, `invalid_input`
 */
export async function mergeListening(
  { sql, clock }: Context,
  userId: number,
  changes: readonly ListeningChange[],
): Promise<{ rows: ListeningChange[]; held: number }> {
  const wrong = changes.find((each) => each.kind === 'upNext' && !isOrderKey(each.row.order))
  if (wrong) throw new Problem('invalid_input', texts.badOrder)
  const now = clock.now().getTime()
  // A device whose clock is fast would win over every later change of the others.
  const given = changes.map((change) => withMoments(change, (at) => Math.min(at, now)))
  return inTransaction(sql, async (tx) => {
    await lockAccount(tx, userId)
    const account = await findAccount(tx, userId)
    if (!account?.enabled) throw new Problem('not_found', texts.isOff)
    const keys = given.map((change) => ({ kind: change.kind, key: keyOfChange(change) }))
    const stored = await rowsWithKeys(tx, userId, keys)
    const before = new Map(stored.map((row) => [nameOf(row), row]))
    const merged = new Map(before)
    for (const change of given) {
      const known = merged.get(nameOf(change)) ?? change
      // Merged with itself it is as it will be after every later merge.
      merged.set(nameOf(change), mergeChanges(goesOn(known, change) ? change : known, change))
    }
    const changed = [...merged].filter(([name, row]) => !isSame(before.get(name), row))
    const held = account.held + merged.size - before.size
    if (held > limits.rows && held > account.held) throw new Problem('too_large', texts.full)
    if (changed.length > 0) {
      const rows = changed.map(([, change]) => ({ key: keyOfChange(change), change }))
      await writeRows(tx, userId, rows)
    }
    return { rows: given.map((change) => merged.get(nameOf(change))!), held }
  })
}

/** Turns keeping it with the account on or off; `remove` deletes what is held. */
export async function chooseListening(
  { sql, clock }: Context,
  actor: Actor,
  { on, remove }: ListeningChoice,
): Promise<{ on: boolean; held: number }> {
  return inTransaction(sql, async (tx) => {
    const audit = (action: string) => writeAudit(tx, { actor, action, subject: 'My listening' }, clock.now())
    const isChanged = await (on ? enableAccount : disableAccount)(tx, actor.id)
    if (isChanged) await audit(on ? 'listening.turned_on' : 'listening.turned_off')
    if (remove && (await deleteAccount(tx, actor.id)) > 0) await audit('listening.deleted')
    return { on, held: (await findAccount(tx, actor.id))?.held ?? 0 }
  })
}

const nameOf = (change: ListeningChange): string => `${change.kind} ${keyOfChange(change)}`

const isSame = (before: ListeningChange | undefined, now: ListeningChange): boolean =>
  before !== undefined && isSameRow(before, now)

async function inTransaction<T>(sql: Context['sql'], work: (tx: Transaction) => Promise<T>): Promise<T> {
  const done = await sql.begin(async (tx) => ({ value: await work(tx) }))
  return (done as { value: T }).value
}
