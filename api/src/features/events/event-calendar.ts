import { church } from '@fellowship/schema/church'
import { eventsPath } from '@fellowship/schema/events/event-address'
import { rulePartsOf } from '@fellowship/schema/events/repeat-rule'
import { localEnd } from '@fellowship/sync/protocol/occurrences'
import { calendarText, instantOf, type CalendarEntry } from '../../machine/calendar.ts'
import type { VersionedEvent } from './events.sql.ts'

/** Events as iCalendar (RFC 5545), with the time zone of the church. */
export const calendarOf = (events: readonly VersionedEvent[], origin: string): string =>
  calendarText({
    name: church().name,
    language: church().language,
    timeZone: church().timeZone,
    entries: events.map((event) => entryOf(event, origin)),
  })

function entryOf(event: VersionedEvent, origin: string): CalendarEntry {
  const { uid, title, place, description, starts, ends, repeats, cancelled, sequence, changedAt } = event
  return {
    uid,
    title,
    place,
    description,
    starts,
    ends,
    rule: repeats === null ? undefined : withEndInUtc(repeats),
    // EXDATE of RFC 5545 has the start of each date that is left out.
    cancelledStarts: repeats === null ? [] : cancelled.toSorted().map((date) => date + starts.slice(10)),
    isCancelled: repeats === null && cancelled.includes(starts.slice(0, 10)),
    url: origin + eventsPath,
    sequence,
    changedAt,
  }
}

/** RFC 5545: if an event has a time zone, its rule ends at a moment in UTC. */
function withEndInUtc(repeats: string): string {
  const until = rulePartsOf(repeats)?.get('UNTIL')
  if (until === undefined || until.endsWith('Z')) return repeats
  const end = instantOf(localEnd(until), church().timeZone).toISOString().slice(0, 19)
  return repeats.replace(`UNTIL=${until}`, `UNTIL=${end.replaceAll(/[-:]/g, '')}Z`)
}
