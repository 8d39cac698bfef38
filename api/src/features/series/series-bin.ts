import { Problem } from '@fellowship/schema/problem'
import type { BinnedSeries } from '@fellowship/schema/series/series.contract'
import { seriesBinDays } from '@fellowship/schema/series/series.limits'
import type { Series } from '@fellowship/schema/series/series.schema'
import { seriesTexts } from '@fellowship/schema/series/series.texts'
import type { Context } from '../../context.ts'
import { maySweep } from '../../db/age-sweeps.ts'
import { writeAudit, type Actor } from '../../db/audit-log.ts'
import { assertOwnDeletion, lockForWriting } from '../teachings/teachings.ts'
import { binnedSeries, findSeries, purgeBinnedSeries, seriesBinCounts, unbinSeries } from './series.sql.ts'

/** Deleted series that can still be restored, also those that are due to be removed. */
export async function listBinnedSeries({ sql }: Pick<Context, 'sql'>): Promise<BinnedSeries[]> {
  const rows = await binnedSeries(sql)
  return rows.map(({ deletedAt, ...row }) => ({
    ...row,
    deletedAt: deletedAt.toISOString(),
    goneAt: new Date(deletedAt.getTime() + seriesBinDays * dayMs).toISOString(),
  }))
}

/**
 * Restores a deleted series at its old address; devices receive it as a new row.
 *
 * @param own the actor may restore only what they have just deleted
 * @throws Problem `not_found`, `forbidden`
 */
export async function restoreSeries(
  { sql, clock, changes }: Context,
  uid: string,
  actor: Actor,
  { own = false } = {},
): Promise<Series> {
  const restored = (await sql.begin(async (tx) => {
    await lockForWriting(tx)
    const binned = await findSeries(tx, uid)
    if (!binned?.deletedAt) throw new Problem('not_found', seriesTexts.notInBin)
    if (own) await assertOwnDeletion(tx, { action: 'series.deleted', details: { uid } }, actor, clock.now())
    const row = await unbinSeries(tx, uid)
    const entry = { actor, action: 'series.restored', subject: row.title, details: { uid } }
    await writeAudit(tx, entry, clock.now())
    return row
  })) as Series
  changes.announce()
  return restored
}

/** Deletes series for good that have been in the bin for more than 30 days; returns how many. */
export async function purgeSeriesBin({ sql }: Pick<Context, 'sql'>): Promise<number> {
  const counts = await seriesBinCounts(sql, seriesBinDays)
  return (await maySweep(sql, { name: 'series', ...counts })) ? purgeBinnedSeries(sql, seriesBinDays) : 0
}

const dayMs = 24 * 60 * 60_000
