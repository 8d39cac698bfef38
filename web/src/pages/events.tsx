import { calendarPath, eventsPath } from '@fellowship/schema/events/event-address'
import { eventTexts } from '@fellowship/schema/events/events.texts'
import { firstPartOf } from '../boot/first-data.ts'
import { DateList } from '../features/events/date-list.view.tsx'
import { useCalendar } from '../features/events/use-calendar.view.ts'
import { usePageTitle } from '../lib/page-title.view.ts'
import { buttonClass } from '../ui/button.tsx'
import { Skeleton } from '../ui/skeleton.tsx'

/** The next dates of all events within twelve months: as the server rendered them, then from the replica. */
export function Events() {
  usePageTitle('Events')
  const calendar = useCalendar(firstDates)
  return (
    <div className="page pt-0 pb-20 sm:pt-6 lg:pb-28">
      <h1 className="text-title">Events</h1>
      {calendar?.dates.length === 0 && <p className="mt-8 text-lead text-soft">{eventTexts.none}</p>}
      {calendar && calendar.dates.length > 0 && (
        <>
          <a href={calendarPath} download className={buttonClass('secondary', 'mt-6 mb-8')}>
            Add all to your calendar
          </a>
          <DateList dates={calendar.dates} full />
        </>
      )}
      {!calendar && (
        <div className="mt-8 grid gap-5">
          <output className="sr-only">Loading the events</output>
          <Skeleton className="h-24 w-full" />
          <Skeleton className="h-24 w-full" />
        </div>
      )}
    </div>
  )
}

function firstDates() {
  const dates = firstPartOf(eventsPath)?.dates
  return dates && { dates, notices: [] }
}
