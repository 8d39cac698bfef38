import { z } from 'zod'
import { plainLine, plainLines } from '../plain-text.ts'
import { newShape, storedShape, text, writtenShape, type WrittenField } from '../sync/written-field.ts'
import type { SeriesText } from './series-words.ts'
import { seriesLimits as limits } from './series.limits.ts'
import { seriesTexts as texts } from './series.texts.ts'

/** The fields of a series that people write, each declared once. */
export const writtenSeries = {
  title: text(plainLine('Title').min(1, { error: texts.titleRequired }).max(limits.title)),
  /** Empty if there is none. */
  description: { ...text(plainLines('Description').max(limits.description)), initial: '' },
  /** Teachings by uid, in order. One that was deleted stays in the list, as it may be restored; readers skip it. */
  teachings: {
    stored: z.array(z.string()),
    written: z
      .array(z.uuid().toLowerCase())
      .max(limits.teachings, { error: texts.tooLong })
      .refine((uids) => new Set(uids).size === uids.length, { error: texts.twice }),
    initial: [],
  },
} satisfies Record<keyof SeriesText, WrittenField>

/** A series as everyone sees it. */
export const seriesRow = z.object({
  /** Its key in sync and in addresses of the API. */
  uid: z.uuid(),
  rev: z.int(),
  /** Its part of the address `/series/<slug>`; stays when the title changes. */
  slug: z.string(),
  ...storedShape(writtenSeries),
  /** The middle size of its picture, `/images/…`; null if it has no picture, or the server does not support pictures yet. */
  imageUrl: z.string().nullable().default(null),
})
export type Series = z.infer<typeof seriesRow>

/** A uid as the database writes it. */
export const seriesUid = z.uuid().toLowerCase()

export const newSeries = z.object({
  /** Made by the device, so that later changes, made offline, can name the series. */
  uid: seriesUid.optional(),
  ...newShape(writtenSeries),
})
export type NewSeries = z.infer<typeof newSeries>

export const seriesEdit = z
  .object(writtenShape(writtenSeries))
  .partial()
  .extend({
    /** The revision the edit started from; without it the last writer wins. */
    baseRev: z.int().min(0).optional(),
  })
export type SeriesEdit = z.infer<typeof seriesEdit>
