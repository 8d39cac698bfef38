import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { plainLine } from '../plain-text.ts'
import { teachingLimits } from '../teachings/teachings.limits.ts'
import { importLimits as limits } from './imports.limits.ts'
import { importTexts as texts } from './imports.texts.ts'

/** Where an import is; the source is written to the library from `importing` on. */
const importState = z.enum(['reading', 'ready', 'importing', 'paused', 'done', 'undone', 'failed'])
export type ImportState = z.infer<typeof importState>

/** The result of the dry run for one item. */
const verdict = z.enum(['new', 'same', 'changed', 'unreadable', 'too_large', 'no_audio'])
export type Verdict = z.infer<typeof verdict>

const outcome = z.enum(['imported', 'same', 'failed', 'undone'])
export type Outcome = z.infer<typeof outcome>

const speakerName = plainLine('Speaker').max(teachingLimits.speaker)

/** The answers of a person to the dry run; an absent one stays as it was. */
export const importAnswers = z.object({
  /** Days that are added to every date. */
  shiftDays: z.int().min(-1).max(1).optional(),
  /** Names of the source, and the names to write instead. */
  speakers: z.record(z.string().max(teachingLimits.speaker), speakerName.min(1)).optional(),
  /** The speaker of items that name none; empty if they are left out. */
  speaker: speakerName.optional(),
  /** The order of dates such as 03/04/2020. */
  dateOrder: z.enum(['day', 'month']).optional(),
  /** Columns of a CSV by the field that they hold. */
  columns: z.record(z.string().max(40), z.string().max(200)).optional(),
  /** Whether the source is read again every week. */
  follow: z.boolean().optional(),
})
export type ImportAnswers = z.infer<typeof importAnswers>

/** All answers, with defaults for those that were not given. */
export const importOptions = importAnswers.extend({
  shiftDays: z.int().default(0),
  speakers: z.record(z.string(), z.string()).default({}),
  speaker: z.string().default(''),
  follow: z.boolean().default(false),
})

const importItem = z.object({
  guid: z.string(),
  title: z.string(),
  speaker: z.string(),
  /** As it would be published; empty if there is none. */
  date: z.string(),
  scripture: z.string(),
  series: z.string(),
  verdict,
  reason: z.string(),
  outcome: outcome.nullable(),
  /** The uid of the teaching that it became or is the same as. */
  teaching: z.string().nullable(),
})

const counts = z.object({
  total: z.int(),
  new: z.int(),
  same: z.int(),
  changed: z.int(),
  unreadable: z.int(),
  too_large: z.int(),
  no_audio: z.int(),
  imported: z.int(),
  failed: z.int(),
})
export type ImportCounts = z.infer<typeof counts>

const importSummary = z.object({
  id: z.uuid(),
  state: importState,
  source: z.string(),
  kind: z.string(),
  counts,
  /** Why it failed or was paused by itself. */
  failure: z.string().nullable(),
  beganAt: z.string(),
  /** Until when it can be undone; null if it is not finished. */
  undoUntil: z.string().nullable(),
  /** When its source is read again; null if it is not followed. */
  followAt: z.string().nullable(),
})
export type ImportSummary = z.infer<typeof importSummary>

/** Facts of the source that its items have in common. */
export const importFacts = z.object({
  title: z.string().default(''),
  podcastGuid: z.string().nullable().default(null),
  /** Items by weekday, Sunday first, as dated by the source. */
  weekdays: z.array(z.int()).default([0, 0, 0, 0, 0, 0, 0]),
  /** The shift that would move most of them to a day of services; 0 if none is suggested. */
  shiftOffered: z.int().default(0),
  speakers: z.array(z.object({ name: z.string(), count: z.int() })).default([]),
  /** Names that look like one person, as in `speakers` of the options. */
  alike: z.record(z.string(), z.string()).default({}),
  /** Columns of a CSV, the guessed ones by field, and whether the order of dates is a guess. */
  columns: z.array(z.string()).default([]),
  guessed: z.record(z.string(), z.string()).default({}),
  askDateOrder: z.boolean().default(false),
})
export type ImportFacts = z.infer<typeof importFacts>

const importReport = importSummary.extend({
  options: importOptions,
  facts: importFacts,
  items: z.array(importItem),
})
export type ImportReport = z.infer<typeof importReport>

const uuidParam = z.object({ id: z.uuid() })
const source = z
  .string()
  .trim()
  .max(limits.address)
  .regex(/^https?:\/\/[^\s/]/i, { error: texts.sourceInvalid })

export const imports = {
  list: endpoint({
    method: 'GET',
    path: '/api/imports',
    access: 'admin',
    changes: false,
    summary: 'The latest imports, the newest first.',
    answer: z.array(importSummary),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/imports',
    access: 'admin',
    changes: true,
    summary: 'Reads a source for a dry run. Nothing is written to the library until it is confirmed.',
    body: importAnswers.extend({ source }),
    answer: z.object({ id: z.uuid() }),
  }),
  upload: endpoint({
    method: 'POST',
    path: '/api/imports/file',
    access: 'admin',
    changes: true,
    summary:
      'As `create`, of a file: a feed, an export, a table or a ZIP archive of recordings, with the answers as JSON.',
    body: z.object({ answers: z.string().max(10_000).optional() }),
    encoding: 'multipart',
    files: ['file'],
    answer: z.object({ id: z.uuid() }),
  }),
  read: endpoint({
    method: 'GET',
    path: '/api/imports/:id',
    access: 'admin',
    changes: false,
    summary: 'The state of an import, and the verdict for each item.',
    params: uuidParam,
    answer: importReport,
  }),
  confirm: endpoint({
    method: 'POST',
    path: '/api/imports/:id/confirm',
    access: 'admin',
    changes: true,
    summary: 'Begins to write the new items to the library, or continues a paused import.',
    params: uuidParam,
    body: importAnswers,
    answer: importSummary,
  }),
  pause: endpoint({
    method: 'POST',
    path: '/api/imports/:id/pause',
    access: 'admin',
    changes: true,
    summary:
      'Pauses an import after the current item; of a finished one, ends reading its source every week.',
    params: uuidParam,
    answer: importSummary,
  }),
  undo: endpoint({
    method: 'POST',
    path: '/api/imports/:id/undo',
    access: 'admin',
    changes: true,
    summary: 'Moves all teachings of an import to the bin, within 30 days.',
    params: uuidParam,
    answer: importSummary,
  }),
}
