import { z } from 'zod'
import { plainLine, plainLines } from '../plain-text.ts'
import { seriesLimits as limits } from './series.limits.ts'
import { seriesTexts as texts } from './series.texts.ts'

/** A series as everyone sees it. */
export const seriesRow = z.object({
  /** Its key in sync and in addresses of the API. */
  uid: z.uuid(),
  rev: z.int(),
  /** Its part of the address `/series/<slug>`; stays when the title changes. */
  slug: z.string(),
  title: z.string(),
  /** Empty where there is none. */
  description: z.string(),
  /** Teachings by uid, in order. One that was deleted stays in the list, as it may be restored; readers skip it. */
  teachings: z.array(z.string()),
  /** The middle size of its picture, `/images/…`; null where it has none, also from a server that knows of none. */
  imageUrl: z.string().nullable().default(null),
})
export type Series = z.infer<typeof seriesRow>

/** A uid as the database writes it. */
export const seriesUid = z.uuid().toLowerCase()

/** What people write. Without defaults: an edit leaves absent fields unchanged. */
const fields = z.object({
  title: plainLine('Title').min(1, { error: texts.titleRequired }).max(limits.title),
  description: plainLines('Description').max(limits.description),
  teachings: z
    .array(z.uuid().toLowerCase())
    .max(limits.teachings, { error: texts.tooLong })
    .refine((uids) => new Set(uids).size === uids.length, { error: texts.twice }),
})

export const newSeries = z.object({
  /** Made by the device, so that what it does next, offline, can name the series. */
  uid: seriesUid.optional(),
  title: fields.shape.title,
  description: fields.shape.description.default(''),
  teachings: fields.shape.teachings.default([]),
})
export type NewSeries = z.infer<typeof newSeries>

export const seriesEdit = fields.partial().extend({
  /** The revision the edit started from; without it the last writer wins. */
  baseRev: z.int().min(0).optional(),
})
export type SeriesEdit = z.infer<typeof seriesEdit>
