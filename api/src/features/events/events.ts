import { datesOfEvent, eventLimits } from '@fellowship/schema/events/events.limits'
import {
  type ComingDate,
  type EventRow,
  newEvent,
  type NewEvent,
  timesFault,
} from '@fellowship/schema/events/events.schema'
import { eventTexts as texts } from '@fellowship/schema/events/events.texts'
import { Problem } from '@fellowship/schema/problem'
import { comingDates } from '@fellowship/sync/protocol/coming-dates'
import { includesStart } from '@fellowship/sync/protocol/occurrences'
import type { Context } from '../../context.ts'
import { WrittenRows } from '../../db/written-rows.ts'

export { versionedEvents } from './events.sql.ts'

/** Events by the time they first start. Their times fit together, and the rule includes the first. */
export const eventRows = new WrittenRows<EventRow, NewEvent>({
  kind: 'event',
  table: 'events',
  fields: Object.keys(newEvent.shape) as (keyof NewEvent)[],
  order: ['starts'],
  most: eventLimits.all,
  texts,
  subjectOf: ({ title }) => title,
  versioned: true,
  check(_, event) {
    const fault = timesFault(event)
    if (fault) throw new Problem('invalid_input', fault)
    if (!includesStart(event)) throw new Problem('invalid_input', texts.notFirst)
  },
})

/** The next dates of all events, soonest first. */
export const comingEvents = async ({ sql, clock }: Pick<Context, 'sql' | 'clock'>): Promise<ComingDate[]> =>
  comingDates(await eventRows.live(sql), clock.now(), datesOfEvent)
