import { Problem } from '@fellowship/schema/problem'
import { freeSlug, slugBase } from '@fellowship/schema/series/series-address'
import { seriesFields, seriesTextOf } from '@fellowship/schema/series/series-words'
import type { BinnedSeries } from '@fellowship/schema/series/series.contract'
import { seriesBinDays, seriesLimits } from '@fellowship/schema/series/series.limits'
import {
  type NewSeries,
  type Series,
  type SeriesEdit,
  seriesUid,
} from '@fellowship/schema/series/series.schema'
import { seriesTexts, seriesTexts as texts } from '@fellowship/schema/series/series.texts'
import { refusalFor } from '@fellowship/sync/server/mutation'
import type { Context } from '../../context.ts'
import { maySweep } from '../../db/age-sweeps.ts'
import { type Actor, type AuditActor, writeAudit } from '../../db/audit-log.ts'
import type { Transaction } from '../../db/connection.ts'
import { binCounts, changeRows } from '../../db/synced-rows.ts'
import { removeUnusedPicture, savePicture, type UploadedPicture } from '../pictures/pictures.ts'
import { assertOwnDeletion, type MutationKey, once } from '../teachings/teachings.ts'
import {
  binnedSeries,
  binSeries,
  countSeries,
  findSeries,
  insertSeries,
  liveSeries,
  purgeBinnedSeries,
  type SeriesRow,
  slugsLike,
  unbinSeries,
  updatePicture,
  updateSeries,
} from './series.sql.ts'

export { liveSeries } from './series.sql.ts'
export { mutationKey } from '../teachings/teachings.ts'

/** All series by title. */
export const listSeries = ({ sql }: Pick<Context, 'sql'>): Promise<Series[]> => liveSeries(sql)

/** The actor of a change, and its idempotency key if the client sent one. */
interface By {
  actor: AuditActor
  key: MutationKey | undefined
}

/**
 * Begins a series.
 *
 * @throws Problem `invalid_input` if there are too many, `revision_conflict` (with `current`) if there is one with
 * this uid, `not_found` if that one was deleted, or `idempotency_mismatch`
 */
export function createSeries(context: Context, wanted: NewSeries, { actor, key }: By): Promise<Series> {
  return change(context, key, async (tx) => {
    const known = wanted.uid === undefined ? undefined : await findSeries(tx, wanted.uid)
    if (known?.deletedAt) throw new Problem('not_found', texts.gone)
    if (known) throw conflict(known)
    const { uid, title, teachings } = wanted
    await checkRoom(tx, { series: 1, teachings: teachings.length, words: bytesOf(seriesTextOf(wanted)) })
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
 * @throws Problem `not_found`, `revision_conflict` (with `current`), `idempotency_mismatch`, or `invalid_input` if all
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
    const wanted = { ...seriesTextOf(current), ...edit }
    const words = bytesOf(wanted) - bytesOf(current)
    if (more > 0 || words > 0) await checkRoom(tx, { series: 0, teachings: more, words })
    const changed = await updateSeries(tx, uid, wanted)
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

/** Runs a change in its transaction, once per idempotency key, and notifies devices. */
const change = <Answer extends object>(
  context: Context,
  key: MutationKey | undefined,
  work: (tx: Transaction) => Promise<Answer>,
): Promise<Answer> => changeRows(context, (tx) => once(tx, key, () => work(tx)))

/** @throws Problem `invalid_input` if that many more would exceed a limit */
async function checkRoom(
  tx: Transaction,
  more: { series: number; teachings: number; words: number },
): Promise<void> {
  const there = await countSeries(tx)
  if (more.series > 0 && there.all + more.series > seriesLimits.all)
    throw new Problem('invalid_input', texts.tooMany)
  if (more.teachings > 0 && there.teachings + more.teachings > seriesLimits.allTeachings)
    throw new Problem('invalid_input', texts.allFull)
  if (more.words > 0 && there.words + more.words > seriesLimits.allWords)
    throw new Problem('invalid_input', texts.wordsFull)
}

const bytesOf = ({ title, description }: Pick<Series, 'title' | 'description'>) =>
  Buffer.byteLength(title) + Buffer.byteLength(description)

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

/** The fields that an edit changed, for the audit log. */
const differences = (before: Series, after: Series): string[] =>
  seriesFields.filter((field) => String(before[field]) !== String(after[field]))

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
 * @param own the actor may restore only their own recent deletion
 * @throws Problem `not_found`, `forbidden`
 */
export function restoreSeries(
  context: Context,
  uid: string,
  actor: Actor,
  { own = false } = {},
): Promise<Series> {
  const { clock } = context
  return changeRows(context, async (tx) => {
    const binned = await findSeries(tx, uid)
    if (!binned?.deletedAt) throw new Problem('not_found', seriesTexts.notInBin)
    if (own) await assertOwnDeletion(tx, { action: 'series.deleted', details: { uid } }, actor, clock.now())
    const row = await unbinSeries(tx, uid)
    const entry = { actor, action: 'series.restored', subject: row.title, details: { uid } }
    await writeAudit(tx, entry, clock.now())
    return row
  })
}

/** Deletes series for good that have been in the bin for more than 30 days; returns how many. */
export async function purgeSeriesBin({ sql }: Pick<Context, 'sql'>): Promise<number> {
  const counts = await binCounts(sql, 'series', seriesBinDays)
  return (await maySweep(sql, { name: 'series', ...counts })) ? purgeBinnedSeries(sql, seriesBinDays) : 0
}

const dayMs = 24 * 60 * 60_000

/**
 * Replaces the picture of a series. The old files are deleted after the new ones are committed: a crash in between leaves
 * files for the sweep, never a dead link.
 *
 * @param uid as it came in the address
 * @throws Problem `not_found`, `unsupported_media`, `invalid_input`
 */
export async function changePicture(
  context: Context,
  uid: string,
  picture: UploadedPicture,
  actor: AuditActor,
): Promise<Series> {
  // If the series does not exist, no picture is converted.
  const known = seriesUid.safeParse(uid)
  const [present] = known.success ? await liveSeries(context.sql, [known.data]) : []
  if (!present) throw new Problem('not_found', seriesTexts.gone)
  return savePicture(context, picture, 'series', (imageUrl) =>
    replace(context, present.uid, imageUrl, { actor, action: 'series.picture_changed' }),
  )
}

/**
 * Removes the picture of a series; nothing changes if it has none.
 *
 * @throws Problem `not_found`
 */
export const removePicture = (context: Context, uid: string, actor: Actor): Promise<Series> =>
  replace(context, uid, null, { actor, action: 'series.picture_removed' })

async function replace(
  context: Context,
  uid: string,
  imageUrl: string | null,
  note: { actor: AuditActor; action: string },
): Promise<Series> {
  const { before, after } = await changeRows(context, async (tx) => {
    const present = await presentIn(tx, uid)
    const changed = (await updatePicture(tx, uid, imageUrl))!
    if (changed.rev !== present.rev)
      await writeAudit(tx, { ...note, subject: changed.title, details: { uid } }, context.clock.now())
    return { before: present, after: changed }
  })
  if (after.imageUrl !== before.imageUrl) await removeUnusedPicture(context, before.imageUrl)
  return after
}

async function presentIn(tx: Transaction, uid: string): Promise<Series> {
  const [present] = await liveSeries(tx, [uid])
  if (!present) throw new Problem('not_found', seriesTexts.gone)
  return present
}
