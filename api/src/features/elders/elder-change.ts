import type { Elder, ElderChanges } from '@fellowship/schema/elders/elders.schema'
import { elderTexts } from '@fellowship/schema/elders/elders.texts'
import { Problem } from '@fellowship/schema/problem'
import type { Context } from '../../context.ts'
import { writeAudit, type Actor } from '../../db/audit-log.ts'
import type { Transaction } from '../../db/connection.ts'
import { lockElders } from './elders.sql.ts'

/** Runs a change of the elders in a transaction of its own, one change at a time, and tells the devices of it. */
export async function changeElders<T>(
  { sql, changes }: Context,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const done = await sql.begin(async (tx) => {
    await lockElders(tx)
    return { value: await work(tx) }
  })
  changes.announce()
  return (done as { value: T }).value
}

/**
 * The elder of this id among all of them.
 *
 * @throws Problem `not_found`
 */
export function presentIn(all: readonly Elder[], id: number): Elder {
  const elder = all.find((other) => other.id === id)
  if (!elder) throw new Problem('not_found', elderTexts.gone)
  return elder
}

/** Writes a line of the audit log, with the names of the fields that an edit gave. */
export const noteChange = (
  tx: Transaction,
  { clock }: Context,
  actor: Actor,
  action: string,
  { id, name }: Elder,
  changes?: ElderChanges,
) =>
  writeAudit(
    tx,
    { actor, action, subject: name, details: { id, ...(changes && { fields: Object.keys(changes) }) } },
    clock.now(),
  )
