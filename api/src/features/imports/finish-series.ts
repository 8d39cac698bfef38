import { createHash } from 'node:crypto'
import { elderPhoto } from '@fellowship/schema/elders/elders.limits'
import type { IncomingSeries } from '@fellowship/schema/imports/incoming-teaching'
import { seriesLimits } from '@fellowship/schema/series/series.limits'
import type { Series } from '@fellowship/schema/series/series.schema'
import { Problem } from '@fellowship/schema/problem'
import { foldText } from '@fellowship/schema/text-folding'
import type { Context } from '../../context.ts'
import { GuestRefused, type Guest } from '../../machine/guest-fetch.ts'
import { changePicture, createSeries, editSeries, listSeries } from '../series/series.ts'
import { placeOf } from './archives.ts'
import { SourceRefused } from './incoming.ts'
import { importItems, updateImport, type ImportRow, type ItemRow } from './imports.sql.ts'
import { openFileIn } from './source-folder.ts'

/** A series that the source names, with teachings that were moved in, in order. */
interface Wanted {
  /** Tells two series of one title apart. */
  readonly key: string
  readonly title: string
  readonly description: string
  readonly teachings: readonly string[]
  /** An address, or a path in the folder; empty if there is none. */
  readonly picture: string
}

/**
 * Puts the teachings of an import into the series that the source names. A series of that title is continued, else one begins,
 * with the description and the picture of the source. Can be repeated: after a kill it finds the series that it began.
 */
export async function finishSeries(context: Context, job: ImportRow, guest: Guest): Promise<void> {
  const items = await importItems(context.sql, job.id)
  const wanted = job.facts.wanted?.length ? seriesOfExport(job.facts.wanted, items) : seriesOfItems(items)
  const present = await listSeries(context)
  const byUid = new Map(present.map((series) => [series.uid, series]))
  const byTitle = new Map(present.map((series) => [foldText(series.title), series]))
  const plans = wanted.map((each) => {
    const uid = uidOf(job.id, each.key)
    return { ...each, uid, known: byUid.get(uid) ?? byTitle.get(foldText(each.title)) }
  })
  const began = plans.flatMap(({ uid, known }) => (known === undefined || known.uid === uid ? [uid] : []))
  // Noted before they exist, so that undoing the import finds them after a kill too.
  await updateImport(context.sql, job.id, {
    facts: { ...job.facts, series: [...new Set([...(job.facts.series ?? []), ...began])] },
  })
  for (const plan of plans) {
    try {
      const series = await writeSeries(context, job, plan)
      if (plan.picture !== '' && series.imageUrl === null)
        await takePicture(context, { job, guest, series, picture: plan.picture })
    } catch (error) {
      // A series is an addition: if there is no room for it, the teachings are in the library all the same.
      const isRefusal =
        error instanceof Problem || error instanceof GuestRefused || error instanceof SourceRefused
      if (!isRefusal) throw error
      context.log.warn({ title: plan.title, why: error.message }, 'a series could not be moved in')
    }
  }
}

/** In the order of the export, also series without teachings. */
function seriesOfExport(series: readonly IncomingSeries[], items: readonly ItemRow[]): Wanted[] {
  const imported = new Map(
    items.flatMap(({ guid, outcome, teaching }) =>
      outcome === 'imported' && teaching !== null ? [[guid, teaching] as const] : [],
    ),
  )
  return series.map(({ title, description, picture, guids }, at) => ({
    key: `${at} ${title}`,
    title,
    description,
    picture,
    teachings: guids.flatMap((guid) => imported.get(guid) ?? []),
  }))
}

/** By the items, oldest first. The picture that most of them have is that of the series. */
function seriesOfItems(items: readonly ItemRow[]): Wanted[] {
  const found = new Map<string, { title: string; teachings: string[]; pictures: string[] }>()
  for (const { incoming, outcome, teaching } of items) {
    if (incoming.series === '' || outcome !== 'imported' || teaching === null) continue
    const key = foldText(incoming.series)
    const series = found.get(key) ?? { title: incoming.series, teachings: [], pictures: [] }
    series.teachings.push(teaching)
    if (incoming.picture !== '') series.pictures.push(incoming.picture)
    found.set(key, series)
  }
  return [...found].map(([key, { title, teachings, pictures }]) => ({
    key,
    title,
    description: '',
    teachings,
    picture: mostFrequent(pictures),
  }))
}

function mostFrequent(values: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? ''
}

async function writeSeries(
  context: Context,
  job: ImportRow,
  { uid, known, title, description, teachings }: Wanted & { uid: string; known: Series | undefined },
): Promise<Series> {
  const by = { actor: { id: job.byId, name: job.byName }, key: undefined }
  const all = [...new Set([...(known?.teachings ?? []), ...teachings])].slice(0, seriesLimits.teachings)
  if (!known) return createSeries(context, { uid, title, description, teachings: all }, by)
  if (all.length === known.teachings.length) return known
  return editSeries(context, known.uid, { teachings: all, baseRev: known.rev }, by)
}

/** @throws GuestRefused, SourceRefused, Problem if it is none */
async function takePicture(
  context: Context,
  { job, guest, series, picture }: { job: ImportRow; guest: Guest; series: Series; picture: string },
): Promise<void> {
  const staged = await context.storage.stage()
  try {
    if (/^https?:/.test(picture)) {
      const { bytes } = await guest.read(picture, { maxBytes: elderPhoto.maxBytes, totalMs: pictureMs })
      await staged.write([bytes])
    } else
      for await (const chunk of await openFileIn(placeOf(context, job), picture)) {
        await staged.write([chunk as Buffer])
        if (staged.bytes > elderPhoto.maxBytes) throw new Problem('too_large')
      }
    await staged.finish()
    await changePicture(context, series.uid, { path: staged.path }, { id: job.byId, name: job.byName })
  } finally {
    await staged.discard()
  }
}

const pictureMs = 60_000

/** The same for every repetition of the work. */
function uidOf(importId: string, key: string): string {
  const hex = createHash('sha256').update(`${importId} ${key}`).digest('hex')
  // Version 8: made by a rule of one's own (RFC 9562).
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
