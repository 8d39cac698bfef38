import { z } from 'zod'
import { listeningNote, noteText } from './listening-note.ts'
import { listeningLimits as limits } from './listening.limits.ts'
import { listeningTexts as texts } from './listening.texts.ts'

/** Seconds in a recording. */
const seconds = z.number().nonnegative().max(86_400)
/** Epoch milliseconds by the server's clock, up to the year 2100. */
const moment = z.number().nonnegative().max(4_102_444_800_000)
const choice = z.object({ on: z.boolean(), at: moment })
/** As the database writes it. */
const uid = z.uuid().toLowerCase()

const positionChange = z.object({
  kind: z.literal('position'),
  /**
   * When the place was listened to that this one goes on from, as the server gave it: that one is passed then, and no
   * place of another device.
   */
  after: moment.optional(),
  row: z.object({
    uid,
    seconds,
    duration: seconds.positive(),
    listenedAt: moment,
    earlier: z.array(z.object({ seconds, listenedAt: moment })).max(5),
  }),
})

const marksChange = z.object({
  kind: z.literal('marks'),
  row: z.object({ uid, favourite: choice.optional(), heard: choice.optional() }),
})

const noteChange = z.object({
  kind: z.literal('note'),
  row: listeningNote
    .extend({ id: uid, uid, text: z.literal('').or(noteText), createdAt: moment, changedAt: moment })
    .refine(({ removed, text }) => removed === (text === ''), { error: texts.noteEmpty, path: ['text'] }),
})

const upNextChange = z.object({
  kind: z.literal('upNext'),
  row: z.object({
    uid,
    order: z
      .string()
      .max(limits.order)
      .regex(/^[0-9A-Za-z]+$/, { error: texts.badOrder }),
    removed: z.boolean(),
    changedAt: moment,
  }),
})

/** A row of a person's listening as it is after a change; both sides merge it into what they have. */
export const listeningChange = z.discriminatedUnion('kind', [
  positionChange,
  marksChange,
  noteChange,
  upNextChange,
])
export type ListeningChange = z.infer<typeof listeningChange>
export type ListeningKind = ListeningChange['kind']

/** What it is about: the teaching, or the note itself. With the kind, its key. */
export const keyOfChange = (change: ListeningChange): string =>
  change.kind === 'note' ? change.row.id : change.row.uid

const answer = z.object({
  /** Rows that the server holds for this person, also while it is turned off. */
  held: z.int(),
  /** Epoch milliseconds. */
  serverTime: z.number(),
})

export const listeningPage = z.discriminatedUnion('on', [
  answer.extend({ on: z.literal(false) }),
  answer.extend({
    on: z.literal(true),
    /** The cursor could not be continued: this is the first page of everything. */
    anew: z.boolean(),
    changes: z.array(listeningChange),
    /** To be sent as `since` of the next request. */
    next: z.string(),
    more: z.boolean(),
  }),
])
export type ListeningPage = z.infer<typeof listeningPage>

export const listeningPush = z.object({
  changes: z
    .array(listeningChange)
    .min(1)
    .max(limits.changes, { error: `Changes: at most ${limits.changes} at a time.` }),
})

/** The rows as they are now, one for each change, in its order. */
export const listeningPushed = z.object({ rows: z.array(listeningChange), held: z.int() })

export const listeningChoice = z
  .object({
    on: z.boolean(),
    /** Whether what the server holds is deleted. */
    remove: z.boolean().default(false),
  })
  .refine(({ on, remove }) => !(on && remove), {
    error: 'Turn it off to delete what the server holds.',
    path: ['remove'],
  })
export type ListeningChoice = z.infer<typeof listeningChoice>

export const listeningChosen = z.object({ on: z.boolean(), held: z.int() })
