import { Problem } from '@fellowship/schema/problem'
import type { BinnedTeaching } from '@fellowship/schema/teachings/teachings.contract'
import { binDays, undoMinutes } from '@fellowship/schema/teachings/teachings.limits'
import { binTexts } from '@fellowship/schema/teachings/teachings.texts'
import { textOf } from '@fellowship/schema/teachings/teaching-words'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { Context } from '../../context.ts'
import { maySweep } from '../../db/age-sweeps.ts'
import { type Actor, lastUserOf, writeAudit } from '../../db/audit-log.ts'
import type { Sql } from '../../db/connection.ts'
import { binCounts, changeRows } from '../../db/synced-rows.ts'
import { findDuplicate } from './edit-teaching.ts'
import { binnedTeachings, findBinned, findTeaching, purgeBinned, unbinTeaching } from './teachings.sql.ts'

/** Deleted teachings that can still be restored, also those that are due to be removed. */
export async function listBin({ sql }: Context): Promise<BinnedTeaching[]> {
  const rows = await binnedTeachings(sql)
  return rows.map(({ deletedAt, ...row }) => ({
    ...row,
    deletedAt: deletedAt.toISOString(),
    goneAt: goneAt(deletedAt).toISOString(),
  }))
}

/**
 * Restores a deleted teaching; devices receive it as a new row.
 *
 * @param own the actor may restore only their own recent deletion
 * @throws Problem `not_found`, `forbidden`, or `duplicate` if the library has the same teaching again
 */
export function restoreTeaching(
  context: Context,
  id: number,
  actor: Actor,
  { own = false } = {},
): Promise<Teaching> {
  const { clock } = context
  return changeRows(context, async (tx) => {
    const binned = await findBinned(tx, id)
    if (!binned) throw new Problem('not_found', binTexts.gone)
    if (own) await assertOwnDeletion(tx, { action: 'teaching.deleted', details: { id } }, actor, clock.now())
    const candidate = textOf(binned)
    const sha256 = binned.audioSha256
    if (await findDuplicate(tx, candidate, sha256 === null ? {} : { sha256 })) {
      throw new Problem('duplicate', binTexts.doubled)
    }
    await unbinTeaching(tx, id)
    const entry = { actor, action: 'teaching.restored', subject: binned.title, details: { id } }
    await writeAudit(tx, entry, clock.now())
    return (await findTeaching(tx, id))!
  })
}

const goneAt = (deletedAt: Date) => new Date(deletedAt.getTime() + binDays * dayMs)

const dayMs = 24 * 60 * 60_000

/**
 * Deletes teachings for good that have been in the bin for more than 30 days.
 *
 * @returns the file names of their recordings
 */
export async function purgeBin({ sql }: Pick<Context, 'sql'>): Promise<string[]> {
  const counts = await binCounts(sql, 'teachings', binDays)
  return (await maySweep(sql, { name: 'bin', ...counts })) ? purgeBinned(sql, binDays) : []
}

/** The deletion of a teaching or a series, as the audit log has it. */
export type Deletion =
  | { action: 'teaching.deleted'; details: { id: number } }
  | { action: 'series.deleted'; details: { uid: string } }

/**
 * Allows the deleting user to restore it for ten minutes; after that only an administrator may.
 *
 * @throws Problem `forbidden`
 */
export async function assertOwnDeletion(tx: Sql, deletion: Deletion, actor: Actor, now: Date): Promise<void> {
  const since = new Date(now.getTime() - undoMinutes * 60_000)
  if ((await lastUserOf(tx, { ...deletion, since })) !== actor.id)
    throw new Problem('forbidden', binTexts.undoLate)
}
