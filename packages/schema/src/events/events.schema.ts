import { z } from 'zod'
import { isPlainDate } from '../dates.ts'
import { plainLine, plainLines } from '../plain-text.ts'
import { newShape, storedShape, text, writtenShape, type WrittenField } from '../sync/written-field.ts'
import { eventLimits as limits } from './events.limits.ts'
import { eventTexts as texts } from './events.texts.ts'
import { isLocalTime, minutesBetween } from './local-time.ts'
import { rulePartsOf } from './repeat-rule.ts'

const localTime = z.string().refine(isLocalTime, { error: texts.notLocal })

/** The fields of an event that people write, each declared once. */
export const writtenEvent = {
  title: text(plainLine('Title').min(1, { error: texts.titleRequired }).max(limits.title)),
  /** Empty if there is none. */
  place: { ...text(plainLine('Place').max(limits.place)), initial: '' },
  /** Empty if there is none. */
  description: { ...text(plainLines('Description').max(limits.description)), initial: '' },
  /** Times by the clocks of the church, YYYY-MM-DDTHH:mm: at 10:00 all year, whatever daylight saving does. */
  starts: text(localTime),
  ends: text(localTime),
  /** An RRULE value of RFC 5545; null if the event takes place once. */
  repeats: {
    stored: z.string().nullable(),
    written: z
      .string()
      .max(limits.repeats, { error: texts.notRule })
      .refine((rule) => rulePartsOf(rule) !== undefined, { error: texts.notRule })
      .nullable(),
    initial: null,
  },
  /** Local dates on which the event does not take place, though its rule has them. */
  cancelled: {
    stored: z.array(z.string()),
    written: z
      .array(z.string().refine(isPlainDate, { error: texts.notDate }))
      .max(limits.cancelled)
      .refine((dates) => new Set(dates).size === dates.length, { error: texts.cancelledTwice }),
    initial: [],
  },
} satisfies Record<string, WrittenField>

/** An event as everyone sees it. */
export const eventRow = z.object({ id: z.int(), uid: z.uuid(), rev: z.int(), ...storedShape(writtenEvent) })
export type EventRow = z.infer<typeof eventRow>

/** One date of an event, in local times. */
export interface Occurrence {
  starts: string
  ends: string
  /** Whether it was cancelled. */
  cancelled: boolean
}

/** One date of an event with its words, as pages show it. */
export interface ComingDate extends Occurrence, Pick<EventRow, 'id' | 'title' | 'place' | 'description'> {
  /** Of the last date that is listed if the event goes on: 'every week on Sunday'. */
  goesOn?: string
}

export const newEvent = z.object(newShape(writtenEvent))
export type NewEvent = z.infer<typeof newEvent>

/** Any subset of the fields. */
export const eventEdit = z
  .object(writtenShape(writtenEvent))
  .partial()
  .extend({
    /** The revision the edit started from; without it the last writer wins. */
    baseRev: z.int().min(0).optional(),
  })
export type EventEdit = z.infer<typeof eventEdit>

/** Why the times of an event do not fit together, as a sentence; undefined if they do. */
export function timesFault({ starts, ends }: Pick<EventRow, 'starts' | 'ends'>): string | undefined {
  const minutes = minutesBetween(starts, ends)
  if (minutes <= 0) return texts.endsFirst
  return minutes > limits.days * 24 * 60 ? texts.tooLong : undefined
}
