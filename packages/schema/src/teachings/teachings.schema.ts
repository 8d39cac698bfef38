import { z } from 'zod'
import { isPlainDate } from '../dates.ts'
import { plainLine } from '../plain-text.ts'
import { teachingLimits as limits } from './teachings.limits.ts'
import { teachingTexts as texts } from './teachings.texts.ts'

/** A calendar date without a time or zone, YYYY-MM-DD. It stays a string from end to end. */
export const plainDate = z.string().trim().max(limits.date).refine(isPlainDate, { error: texts.dateInvalid })

/** A teaching as the interface sees it (SPEC §3). Titles may hold underscores; screens show them as spaces. */
export const teaching = z.object({
  id: z.int(),
  /** Stable across devices and backups: the key of sync and of shared links. */
  uid: z.uuid(),
  /** Grows with every change; `baseRev` of an edit refers to it. */
  rev: z.int(),
  title: z.string(),
  speaker: z.string(),
  date: z.string(),
  year: z.int(),
  scriptureReference: z.string().nullable(),
  audioUrl: z.string().nullable(),
  /** m:ss or h:mm:ss */
  duration: z.string().nullable(),
  audioBytes: z.int().nullable(),
  audioMime: z.string().nullable(),
})
export type Teaching = z.infer<typeof teaching>

const title = plainLine('Title').max(limits.title)
const scriptureReference = plainLine('Scripture reference').max(limits.scriptureReference)
const speaker = plainLine('Speaker').min(1, { error: texts.speakerRequired }).max(limits.speaker)

/** What a person may say about a recording that comes in: title or scripture may be empty, not both. */
export const teachingFields = z
  .object({
    title: title.default(''),
    speaker,
    date: plainDate,
    scriptureReference: scriptureReference.default(''),
  })
  .refine((f) => f.title !== '' || f.scriptureReference !== '', {
    error: texts.titleOrScriptureRequired,
    path: ['title'],
  })
export type TeachingFields = z.infer<typeof teachingFields>

/** SPEC §5: Update needs title, speaker and date. */
export const teachingEdit = z.object({
  title: title.min(1, { error: texts.titleRequired }),
  speaker,
  date: plainDate,
  scriptureReference: scriptureReference.default(''),
  /** The revision the edit started from; without it the last writer wins. Multipart carries it as text. */
  baseRev: z.coerce.number().int().min(0).optional(),
})
export type TeachingEdit = z.infer<typeof teachingEdit>
