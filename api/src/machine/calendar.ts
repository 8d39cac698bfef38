import ical, { ICalCalendarMethod, ICalEventStatus } from 'ical-generator'
import { DateTime } from 'luxon'
import { tzlib_get_ical_block } from 'timezones-ical-library'

/** One event of a calendar. Times are local, YYYY-MM-DDTHH:mm. */
export interface CalendarEntry {
  uid: string
  title: string
  place: string
  description: string
  starts: string
  ends: string
  /** An RRULE value, its end in UTC. */
  rule: string | undefined
  /** Starts of the dates that are cancelled. */
  cancelledStarts: readonly string[]
  isCancelled: boolean
  url: string
  /** How often it was changed, and when last. */
  sequence: number
  changedAt: Date
}

interface CalendarFile {
  name: string
  language: string
  timeZone: string
  entries: readonly CalendarEntry[]
}

/** Writes iCalendar (RFC 5545) with the definition of its time zone. */
export function calendarText({ name, language, timeZone, entries }: CalendarFile): string {
  const calendar = ical({
    name,
    prodId: { company: name, product: 'Events', language: language.slice(0, 2).toUpperCase() },
    method: ICalCalendarMethod.PUBLISH,
    // Without a name here: with one, the library writes the moments of changes in local time, which RFC 5545 forbids.
    timezone: { name: null, generator: (zone) => tzlib_get_ical_block(zone)[0] ?? null },
  })
  const inZone = (local: string) => DateTime.fromISO(local, { zone: timeZone })
  for (const entry of entries) {
    const { uid, title, place, description, rule, cancelledStarts, isCancelled, url, sequence, changedAt } =
      entry
    const excluded = cancelledStarts.map((local) => `${local.replaceAll(/[-:]/g, '')}00`)
    calendar.createEvent({
      id: uid,
      summary: title,
      ...(place && { location: place }),
      ...(description && { description }),
      start: inZone(entry.starts),
      end: inZone(entry.ends),
      timezone: timeZone,
      ...(rule !== undefined && {
        repeating:
          `RRULE:${rule}` + (excluded.length > 0 ? `\r\nEXDATE;TZID=${timeZone}:${excluded.join(',')}` : ''),
      }),
      ...(isCancelled && { status: ICalEventStatus.CANCELLED }),
      url,
      sequence,
      stamp: changedAt,
      lastModified: changedAt,
    })
  }
  return calendar.toString()
}

/** The moment of a local time in a time zone; one that daylight saving skips is as much later. */
export const instantOf = (local: string, timeZone: string): Date =>
  DateTime.fromISO(local, { zone: timeZone }).toJSDate()

/** A local time with its distance from UTC: '2026-03-15T10:00:00+13:00'. */
export const withOffset = (local: string, timeZone: string): string =>
  DateTime.fromISO(local, { zone: timeZone }).toISO({ suppressMilliseconds: true })!
