import { z } from 'zod'
import { plainLine } from '../plain-text.ts'
import { transcriptLimits as limits } from './transcripts.limits.ts'
import { transcriptTexts as texts } from './transcripts.texts.ts'

/** Milliseconds from the beginning of the recording. */
const time = z.int().min(0).max(limits.time)

/** One sentence or caption of a transcript. */
const sentence = z
  .object({
    /** Null if nothing is known of its time. */
    start: time.nullable().default(null),
    end: time.nullable().default(null),
    /** Whether the times were estimated. */
    about: z.boolean().default(false),
    /** Who speaks; empty if that is the speaker of the teaching, or unknown. */
    voice: plainLine('Voice').max(limits.voice).default(''),
    text: plainLine('Sentence').min(1).max(limits.sentence),
  })
  .refine(({ start, end }) => end === null || (start !== null && end >= start), { error: texts.endsFirst })
export type Sentence = z.infer<typeof sentence>

/** The sentences of a text, in the order in which they were said. */
export const sentences = z
  .array(sentence)
  .min(1, { error: texts.empty })
  .max(limits.sentences)
  .refine((all) => all.reduce((sum, { text }) => sum + text.length, 0) <= limits.all, {
    error: texts.tooLong,
  })
  .refine(isInOrder, { error: texts.outOfOrder })

/** Where a text came from. */
export const transcriptSources = ['person', 'sftp', 'import', 'machine'] as const
export type TranscriptSource = (typeof transcriptSources)[number]

/** A language tag of BCP 47, or nothing. */
export const languageTag = z
  .string()
  .trim()
  .max(limits.language)
  .regex(/^$|^[a-z]{2,8}(-[a-z0-9]{1,8})*$/i)

function isInOrder(all: readonly Sentence[]): boolean {
  let latest = 0
  for (const { start } of all) {
    if (start === null) continue
    if (start < latest) return false
    latest = start
  }
  return true
}
