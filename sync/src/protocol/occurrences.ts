import * as library from 'rrule'
import { localTimeAt } from '@fellowship/schema/dates'
import type { EventRow, Occurrence } from '@fellowship/schema/events/events.schema'
import { afterMinutes, dateOf, minutesBetween } from '@fellowship/schema/events/local-time'
import { rulePartsOf } from '@fellowship/schema/events/repeat-rule'

/** The times of an event, as rows hold them. */
export type EventTimes = Pick<EventRow, 'starts' | 'ends' | 'repeats' | 'cancelled'>

/**
 * The dates of an event that overlap a span of time, in order. Times are local, so that an event at 10:00 stays at 10:00
 * when daylight saving begins or ends.
 *
 * @param span its beginning and its end, local times YYYY-MM-DDTHH:mm, and how many dates at most
 * @param timeZone in which an end in UTC is understood; the church's by default
 */
export function occurrencesIn(
  { starts, ends, repeats, cancelled }: EventTimes,
  { from, to, most }: { from: string; to: string; most: number },
  timeZone?: string,
): Occurrence[] {
  const length = minutesBetween(starts, ends)
  const found = repeats === null ? [starts] : startsOf(starts, repeats, { from, to, most, length, timeZone })
  const off = new Set(cancelled)
  return found
    .map((start) => ({
      starts: start,
      ends: afterMinutes(start, length),
      cancelled: off.has(dateOf(start)),
    }))
    .filter((each) => each.starts < to && each.ends > from)
    .slice(0, most)
}

/** Whether a rule includes the time at which its event starts, as RFC 5545 demands. */
export const includesStart = (event: EventTimes, timeZone?: string): boolean =>
  occurrencesIn(event, { from: event.starts, to: event.ends, most: 1 }, timeZone)[0]?.starts === event.starts

interface Search {
  from: string
  to: string
  most: number
  /** Minutes from the start to the end of one date. */
  length: number
  timeZone: string | undefined
}

function startsOf(starts: string, repeats: string, { from, to, most, length, timeZone }: Search): string[] {
  const parts = rulePartsOf(repeats)
  if (!parts) return []
  const until = parts.get('UNTIL')
  const earliest = afterMinutes(from, -length)
  // The library counts in UTC, which has no daylight saving: local times pass as times of UTC.
  const rule = new RRule({
    ...RRule.parseString(repeats),
    dtstart: asUtc(until === undefined && !parts.has('COUNT') ? skipAhead(starts, parts, earliest) : starts),
    until: until === undefined ? null : asUtc(localEnd(until, timeZone)),
  })
  const found: string[] = []
  rule.between(asUtc(earliest), asUtc(to), true, (date) => {
    found.push(date.toISOString().slice(0, 16))
    return found.length <= most
  })
  return found
}

/** A later start in step with the rule, so that years that passed need not be counted through day by day. */
function skipAhead(starts: string, parts: ReadonlyMap<string, string>, earliest: string): string {
  const days = { DAILY: 1, WEEKLY: 7 }[parts.get('FREQ')!]
  if (days === undefined) return starts
  const period = days * Number(parts.get('INTERVAL') ?? 1) * 24 * 60
  const periods = Math.floor(minutesBetween(starts, earliest) / period) - 1
  return periods > 0 ? afterMinutes(starts, periods * period) : starts
}

/** The last local time of UNTIL: a date means its whole day. */
export function localEnd(until: string, timeZone?: string): string {
  const [, year, month, day, hour = '23', minute = '59', second = '59', zulu] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?$/.exec(until) ?? []
  const local = `${year}-${month}-${day}T${hour}:${minute}`
  return zulu ? localTimeAt(new Date(`${local}:${second}Z`), timeZone) : local
}

const asUtc = (local: string) => new Date(`${local}Z`)

// Node reads the CommonJS build, which has its names in `default`.
const { RRule } = (Reflect.get(library, 'default') as typeof library | undefined) ?? library
