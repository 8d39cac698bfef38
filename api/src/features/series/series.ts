import { Problem } from '@fellowship/schema/problem'
import { seriesFields, seriesTextOf } from '@fellowship/schema/series/series-words'
import { freeSlug, slugBase } from '@fellowship/schema/series/series-slug'
import { seriesLimits } from '@fellowship/schema/series/series.limits'
import type { NewSeries, Series, SeriesEdit } from '@fellowship/schema/series/series.schema'
import { seriesTexts as texts } from '@fellowship/schema/series/series.texts'
import { refusalFor } from '@fellowship/sync/server/mutation'
import type { Context } from '../../context.ts'
import { writeAudit, type Actor } from '../../db/audit-log.ts'
import type { Transaction } from '../../db/connection.ts'
import { lockForWriting, once, type MutationKey } from '../teachings/teachings.ts'
import {
  binSeries,
  countSeries,
  findSeries,
  insertSeries,
  liveSeries,
  slugsLike,
  updateSeries,
  type SeriesRow,
} from './series.sql.ts'

export { listBinnedSeries, purgeSeriesBin, restoreSeries } from './series-bin.ts'
export { changePicture, removePicture } from './series-picture.ts'
export { liveSeries } from './series.sql.ts'
export { mutationKey } from '../teachings/teachings.ts'

/** All series by title. */
export const listSeries = ({ sql }: Pick<Context, 'sql'>): Promise<Series[]> => liveSeries(sql)

/** A change, by whom, and its idempotency key where the client sent one. */
interface By {
  actor: Actor
  key: MutationKey | undefined
}

/**
 * Begins a series.
 *
 * @throws Problem `invalid_input` where there are too many, `revision_conflict` (with `current`) where there is one with
 * this uid, `not_found` where that one was deleted, or `idempotency_mismatch`
 */
export function createSeries(context: Context, wanted: NewSeries, { actor, key }: By): Promise<Series> {
  return change(context, key, async (tx) => {
    const known = wanted.uid === undefined ? undefined : await findSeries(tx, wanted.uid)
    if (known?.deletedAt) throw new Problem('not_found', texts.gone)
    if (known) throw conflict(known)
    const { uid, title, teachings } = wanted
    await checkRoom(tx, { series: 1, teachings: teachings.length })
    const slug = freeSlug(title, await slugsLike(tx, slugBase(title)))
    const made = await insertSeries(tx, seriesTextOf(wanted), { slug, uid })
    const details = { uid: made.uid, teachings: teachings.length }
    await writeAudit(tx, { actor, action: 'series.created', subject: title, details }, context.clock.now())
    return made
  })
}

/**
 * Changes the given fields of a series.
 *
 * @throws Problem `not_found`, `revision_conflict` (with `current`), `idempotency_mismatch`, or `invalid_input` where all
 * series together hold too many teachings
 */
export function editSeries(
  context: Context,
  uid: string,
  { baseRev, ...edit }: SeriesEdit,
  { actor, key }: By,
): Promise<Series> {
  return change(context, key, async (tx) => {
    const current = await targetOf(tx, uid, baseRev, texts.gone)
    const more = (edit.teachings ?? current.teachings).length - current.teachings.length
    if (more > 0) await checkRoom(tx, { series: 0, teachings: more })
    const changed = await updateSeries(tx, uid, { ...seriesTextOf(current), ...edit })
    const details = { uid, changed: differences(current, changed) }
    const entry = { actor, action: 'series.edited', subject: changed.title, details }
    await writeAudit(tx, entry, context.clock.now())
    return changed
  })
}

/**
 * Moves a series to the bin; its teachings stay.
 *
 * @returns the revision of the deletion
 * @throws Problem `not_found`, `revision_conflict` (with `current`) or `idempotency_mismatch`
 */
export function removeSeries(
  context: Context,
  uid: string,
  baseRev: number | undefined,
  { actor, key }: By,
): Promise<{ rev: number }> {
  return change(context, key, async (tx) => {
    const current = await targetOf(tx, uid, baseRev, texts.alreadyGone)
    const rev = await binSeries(tx, uid)
    const details = { uid, teachings: current.teachings.length }
    const entry = { actor, action: 'series.deleted', subject: current.title, details }
    await writeAudit(tx, entry, context.clock.now())
    return { rev }
  })
}

/** Runs a change in its transaction, once for an idempotency key, and tells the devices of it. */
async function change<Answer extends object>(
  { sql, changes }: Context,
  key: MutationKey | undefined,
  work: (tx: Transaction) => Promise<Answer>,
): Promise<Answer> {
  const answer = (await sql.begin(async (tx) => {
    await lockForWriting(tx)
    return once(tx, key, () => work(tx))
  })) as Answer
  changes.announce()
  return answer
}

/** @throws Problem `invalid_input` where there would be too many with so many more */
async function checkRoom(tx: Transaction, more: { series: number; teachings: number }): Promise<void> {
  const there = await countSeries(tx)
  if (more.series > 0 && there.all + more.series > seriesLimits.all)
    throw new Problem('invalid_input', texts.tooMany)
  if (more.teachings > 0 && there.teachings + more.teachings > seriesLimits.allTeachings)
    throw new Problem('invalid_input', texts.allFull)
}

/** The live series that a change was made for. */
async function targetOf(
  tx: Transaction,
  uid: string,
  baseRev: number | undefined,
  gone: string,
): Promise<SeriesRow> {
  const found = await findSeries(tx, uid)
  const current = found?.deletedAt === null ? found : undefined
  const refusal = refusalFor(current, { uid, baseRev })
  if (!current || refusal === 'not_found') throw new Problem('not_found', gone)
  if (refusal) throw conflict(current)
  return current
}

function conflict(row: SeriesRow): Problem {
  const { deletedAt: _, ...current } = row
  return new Problem('revision_conflict', texts.changed, { current })
}

/** What an edit changed, for the audit log. */
const differences = (before: Series, after: Series): string[] =>
  seriesFields.filter((field) => String(before[field]) !== String(after[field]))
