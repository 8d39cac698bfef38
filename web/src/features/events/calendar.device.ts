import { churchDate } from '@fellowship/schema/dates'
import { datesOfEvent } from '@fellowship/schema/events/events.limits'
import { noticesOn } from '@fellowship/schema/notices/notices.contract'
import { visibleAgainMs } from '@fellowship/schema/sync/sync.limits'
import { watch } from '@fellowship/sync/client/engine/live'
import { readCalendar } from '@fellowship/sync/client/replica/public.store'
import { syncSession } from '@fellowship/sync/client/replica/sync-session'
import type { Calendar } from '../../boot/first-data.ts'

/** Reports coming dates and the notices of the day from the replica, at once and after every change. */
export function watchCalendar(onChange: (calendar: Calendar) => void): () => void {
  syncSession()
    .pullIfOlder(visibleAgainMs)
    .catch(() => undefined)
  return watch(
    () => readCalendar(),
    (rows) => {
      if (rows) void calendarOf(rows).then(onChange, () => undefined)
    },
  )
}

async function calendarOf({
  events,
  notices,
}: NonNullable<Awaited<ReturnType<typeof readCalendar>>>): Promise<Calendar> {
  const now = new Date()
  const dates =
    events.length === 0
      ? []
      : // Only devices with events load the code that expands rules.
        (await import('@fellowship/sync/protocol/coming-dates')).comingDates(events, now, datesOfEvent)
  return { dates, notices: noticesOn(notices, churchDate(now)) }
}
