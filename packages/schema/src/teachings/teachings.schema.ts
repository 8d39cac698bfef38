import { z } from 'zod'
import { chaptersFault } from '../chapters/chapters.ts'
import { isPlainDate } from '../dates.ts'
import { handout } from '../handouts/handouts.schema.ts'
import { plainLine, plainLines } from '../plain-text.ts'
import {
  eachWord,
  teachingWords,
  type AddedWord,
  type NullableWord,
  type WordName,
} from './teaching-words.ts'
import { teachingTexts as texts } from './teachings.texts.ts'

/** A calendar date without a time or zone, YYYY-MM-DD. It stays a string from end to end. */
const plainDate = z
  .string()
  .trim()
  .max(teachingWords.date.maxLength)
  .refine(isPlainDate, { error: texts.dateInvalid })

/** Null in the answer of a server of the last release, which lacks a member that was added since. */
const added = <Rule extends z.ZodType>(rule: Rule) => rule.nullable().default(null)

const storedShape = eachWord((name) => {
  if (teachingWords[name].added) return added(z.string())
  return teachingWords[name].nullable ? z.string().nullable() : z.string()
}) as {
  [Name in WordName]: Name extends NullableWord ? z.ZodNullable<z.ZodString> : z.ZodString
}

/** A teaching as the interface sees it. Titles may hold underscores; screens show them as spaces. */
export const teaching = z.object({
  id: z.int(),
  /** Stable across devices and backups: the key of sync and of shared links. */
  uid: z.uuid(),
  /** Grows with every change; `baseRev` of an edit refers to it. */
  rev: z.int(),
  ...storedShape,
  year: z.int(),
  audioUrl: z.string().nullable(),
  /** m:ss or h:mm:ss */
  duration: z.string().nullable(),
  audioBytes: z.int().nullable(),
  audioMime: z.string().nullable(),
  /** A smaller recording of the same teaching, if there is one. */
  copyUrl: added(z.string()),
  copyBytes: added(z.int()),
  copyMime: added(z.string()),
  /** Of the recording, in LUFS; null until it was measured. The small copy has the loudness of all copies. */
  loudness: added(z.number()),
  /** The revision of its approved text; null without one. */
  transcriptRev: added(z.int()),
  /** In the order in which they were added; null without any. */
  handouts: added(z.array(handout)),
})
export type Teaching = z.infer<typeof teaching>

const checkChapters = (text: string, context: z.RefinementCtx<string>) => {
  const message = chaptersFault(text)
  if (message !== undefined) context.addIssue({ code: 'custom', message })
}

/** Text within a word's length, as it is typed: a date is not checked yet. */
export const typedWord = eachWord((name) => {
  const { label, maxLength, input } = teachingWords[name]
  if (input === 'date') return z.string().max(maxLength)
  const text = (input === 'lines' ? plainLines(label) : plainLine(label)).max(maxLength)
  return name === 'chapters' ? text.superRefine(checkChapters) : text
})

/** A member for each word; later words are optional, because older clients do not send them. */
export const optionalIfAdded = <Rule extends z.ZodType>(ruleOf: (name: WordName) => Rule) =>
  eachWord((name) => (teachingWords[name].added ? typedWord[name].optional() : ruleOf(name))) as {
    [Name in WordName]: Name extends AddedWord ? z.ZodOptional<z.ZodString> : Rule
  }

const { title, scriptureReference } = typedWord
const speaker = typedWord.speaker.min(1, { error: texts.speakerRequired })

/** The words of a new recording: title or scripture may be empty, not both. */
export const teachingFields = z
  .object({
    ...optionalIfAdded((name) => typedWord[name].default('')),
    speaker,
    date: plainDate,
  })
  .refine((f) => f.title !== '' || f.scriptureReference !== '', {
    error: texts.titleOrScriptureRequired,
    path: ['title'],
  })
export type TeachingFields = z.infer<typeof teachingFields>

/** An edit needs title, speaker and date. Later words stay as they are if they are absent. */
export const teachingEdit = z.object({
  ...eachWord((name) => typedWord[name].optional()),
  title: title.min(1, { error: texts.titleRequired }),
  speaker,
  date: plainDate,
  scriptureReference: scriptureReference.default(''),
  /** The revision the edit started from; without it the last writer wins. Multipart carries it as text. */
  baseRev: z.coerce.number().int().min(0).optional(),
  /** The teaching that it was made for: after a restore another one may have its number. */
  uid: z.uuid().optional(),
})
export type TeachingEdit = z.infer<typeof teachingEdit>
