import { z } from 'zod'
import { listeningNote, noteText } from './listening-note.ts'
import { listeningLimits as limits } from './listening.limits.ts'
import { listeningTexts as texts } from './listening.texts.ts'

/** Seconds in a recording. */
const seconds = z.number().nonnegative().max(86_400)
/** Epoch milliseconds by the server's clock, up to the year 2100. */
const moment = z.number().nonnegative().max(4_102_444_800_000)
/**
 * A moment as a device sends it: the server's own if the server has stamped it before, else its age in milliseconds. A device
 * may have the wrong time and still measure an age.
 */
const stamp = z.union([moment, z.object({ age: z.number().nonnegative() })])
export type Stamp = z.infer<typeof stamp>
/** As the database writes it. */
const uid = z.uuid().toLowerCase()

/** The row of a place, of marks, of a note, or of a teaching in Up next, with this schema for its moments. */
const rowWith = <Moment extends z.ZodType>(at: Moment) => {
  const choice = z.object({ on: z.boolean(), at })
  return z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('position'),
      /**
       * Server time of the position that this one continues. The new position replaces that one, but not the position of
       * another device.
       */
      after: moment.optional(),
      row: z.object({
        uid,
        seconds,
        duration: seconds.positive(),
        listenedAt: at,
        earlier: z.array(z.object({ seconds, listenedAt: at })).max(5),
      }),
    }),
    z.object({
      kind: z.literal('marks'),
      row: z.object({ uid, favourite: choice.optional(), heard: choice.optional() }),
    }),
    z.object({
      kind: z.literal('note'),
      row: listeningNote
        .extend({ id: uid, uid, text: z.literal('').or(noteText), createdAt: at, changedAt: at })
        .refine(({ removed, text }) => removed === (text === ''), { error: texts.noteEmpty, path: ['text'] }),
    }),
    z.object({
      kind: z.literal('upNext'),
      row: z.object({
        uid,
        order: z
          .string()
          .max(limits.order)
          .regex(/^[0-9A-Za-z]+$/, { error: texts.badOrder }),
        removed: z.boolean(),
        changedAt: at,
      }),
    }),
  ])
}

/** A row of a person's listening as it is after a change, stamped by the server. */
export const listeningChange = rowWith(moment)
export type ListeningChange = z.infer<typeof listeningChange>
export type ListeningKind = ListeningChange['kind']

/** A row as a device sends it. */
export const listeningEvent = rowWith(stamp)
export type ListeningEvent = z.infer<typeof listeningEvent>

/** The uid of the teaching, or of the note itself. The key, together with the kind. */
export const keyOfChange = (change: ListeningEvent): string =>
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

export const listeningSent = z.object({
  /** The session of the device, which then ignores the hint of its own change. */
  sender: z.string().max(100),
  /** Each is checked by itself, so that a bad one holds up no other. */
  events: z
    .array(z.unknown())
    .min(1)
    .max(limits.changes, { error: `Events: at most ${limits.changes} at a time.` }),
})

/** For each event, in its order, the row as it is now, or why it was rejected. */
export const listeningResults = z.object({
  results: z.array(z.union([listeningChange, z.object({ rejected: z.string() })])),
  held: z.int(),
})
export type ListeningResult = z.infer<typeof listeningResults>['results'][number]
export const isRejected = (result: ListeningResult): result is { rejected: string } => 'rejected' in result
export const isAccepted = (result: ListeningResult): result is ListeningChange => !isRejected(result)

/** The request of the release before: all rows are stamped by the device, and a bad one refuses all. */
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
    /** Whether to delete the data on the server. */
    remove: z.boolean().default(false),
  })
  .refine(({ on, remove }) => !(on && remove), {
    error: 'Turn it off to delete what the server holds.',
    path: ['remove'],
  })
export type ListeningChoice = z.infer<typeof listeningChoice>

export const listeningChosen = z.object({ on: z.boolean(), held: z.int() })
