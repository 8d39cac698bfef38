import { eventFile } from '@fellowship/schema/events/event-address'
import type { ComingDate } from '@fellowship/schema/events/events.schema'
import { spanWords } from '@fellowship/schema/events/local-time'
import { Badge } from '../../ui/badge.tsx'

/**
 * Dates of events, soonest first, with their times and places; a cancelled one is marked.
 *
 * @param full a page of its own, under its title: with the description, the rule of later dates, and the link that adds the event to a calendar
 */
export function DateList({ dates, full = false }: { dates: readonly ComingDate[]; full?: boolean }) {
  const Title = full ? 'h2' : 'h3'
  return (
    <ul>
      {dates.map((date) => (
        <li
          key={`${date.id} ${date.starts}`}
          className="grid gap-x-10 gap-y-1 border-t border-line py-5 wrap-anywhere sm:grid-cols-2"
        >
          <p className="text-soft">
            <time dateTime={date.starts}>{spanWords(date)}</time>
            {full && date.goesOn && <span className="block">Then {date.goesOn}</span>}
          </p>
          <div className="min-w-0">
            <Title className="text-xl">
              {date.cancelled ? <s>{date.title}</s> : date.title}
              {date.cancelled && (
                <>
                  {' '}
                  <Badge tone="brick">Cancelled</Badge>
                </>
              )}
            </Title>
            {date.place && <p className="text-soft">{date.place}</p>}
            {full && date.description && <p className="mt-2 whitespace-pre-line">{date.description}</p>}
            {full && !date.cancelled && (
              <a
                href={eventFile(date)}
                download
                aria-label={`Add to calendar: ${date.title}`}
                className="inline-flex min-h-11 items-center text-pine underline underline-offset-4 print:hidden"
              >
                Add to calendar
              </a>
            )}
          </div>
        </li>
      ))}
    </ul>
  )
}
