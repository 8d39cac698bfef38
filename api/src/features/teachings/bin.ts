import { textOf } from '@fellowship/schema/teachings/teaching-words'
import { Problem } from '@fellowship/schema/problem'
import type { BinnedTeaching } from '@fellowship/schema/teachings/bin.contract'
import { binDays } from '@fellowship/schema/teachings/bin.limits'
import { binTexts } from '@fellowship/schema/teachings/bin.texts'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { Context } from '../../context.ts'
import { writeAudit, type Actor } from '../../db/audit-log.ts'
import { binnedTeachings, findBinned, unbinTeaching } from './bin.sql.ts'
import { findDuplicate } from './teachings.ts'
import { assertOwnDeletion } from './undo-deletion.ts'
import { findTeaching, lockForWriting } from './teachings.sql.ts'

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
 * @param own the actor may restore only what they have just deleted
 * @throws Problem `not_found`, `forbidden`, or `duplicate` where the library has the same teaching again
 */
export async function restoreTeaching(
  { sql, clock, changes }: Context,
  id: number,
  actor: Actor,
  { own = false } = {},
): Promise<Teaching> {
  const restored = (await sql.begin(async (tx) => {
    await lockForWriting(tx)
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
  })) as Teaching
  changes.announce()
  return restored
}

const goneAt = (deletedAt: Date) => new Date(deletedAt.getTime() + binDays * dayMs)

const dayMs = 24 * 60 * 60_000
