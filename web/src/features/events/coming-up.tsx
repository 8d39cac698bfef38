import { eventsPath } from '@fellowship/schema/events/event-address'
import type { ComingDate } from '@fellowship/schema/events/events.schema'
import { eventTexts } from '@fellowship/schema/events/events.texts'
import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../ui/button.tsx'
import { DateList } from './date-list.view.tsx'

/** 'Coming up' on Home: the next dates of events; nothing if there are none. */
export function ComingUp({ dates, className }: { dates: readonly ComingDate[]; className: string }) {
  if (dates.length === 0) return null
  return (
    <section aria-labelledby="coming-up" className={className}>
      <h2 id="coming-up" className="mb-8 text-section">
        {eventTexts.upcoming}
      </h2>
      <DateList dates={dates} />
      <Link to="/$" params={{ _splat: eventsPath.slice(1) }} className={buttonClass('secondary', 'mt-3')}>
        All events
      </Link>
    </section>
  )
}
