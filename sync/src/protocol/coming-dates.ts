import { localTimeAt } from '@fellowship/schema/dates'
import type { ComingDate, EventRow } from '@fellowship/schema/events/events.schema'
import { monthsAhead } from '@fellowship/schema/events/events.limits'
import { ruleWords } from '@fellowship/schema/events/repeat-rule'
import { occurrencesIn } from './occurrences.ts'

/** Dates of all events together that a page holds. */
const mostDates = 1_000

/**
 * The dates of all events from now on, those under way included, cancelled ones too, soonest first.
 *
 * @param each dates of one event at most; the last of them has the rule of those that are left out
 */
export function comingDates(events: readonly EventRow[], now: Date, each = mostDates): ComingDate[] {
  const from = localTimeAt(now)
  const to = monthsLater(from, monthsAhead)
  return events
    .flatMap((event) => {
      const { id, title, place, description, starts, repeats } = event
      const occurrences = occurrencesIn(event, { from, to, most: Math.min(each + 1, mostDates) })
      const hasMore = repeats !== null && occurrences.length > each
      return occurrences.slice(0, each).map((occurrence, at) => ({
        id,
        title,
        place,
        description,
        ...occurrence,
        ...(hasMore && at === each - 1 && { goesOn: ruleAfter({ starts, repeats }) }),
      }))
    })
    .toSorted((a, b) => order(a.starts, b.starts) || a.id - b.id)
    .slice(0, mostDates)
}

/** 'every week on Sunday, until 13 December 2026' */
const ruleAfter = (event: { starts: string; repeats: string }) =>
  ruleWords(event).replace(/^./, (letter) => letter.toLowerCase())

const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

function monthsLater(local: string, months: number): string {
  const date = new Date(`${local}Z`)
  date.setUTCMonth(date.getUTCMonth() + months)
  return date.toISOString().slice(0, 16)
}
