import { churchDate } from '@fellowship/schema/dates'
import { monthsAhead } from '@fellowship/schema/events/events.limits'
import type { EventRow } from '@fellowship/schema/events/events.schema'
import { eventTexts } from '@fellowship/schema/events/events.texts'
import { dateOf, spanWords } from '@fellowship/schema/events/local-time'
import { ruleWords } from '@fellowship/schema/events/repeat-rule'
import type { Binned } from '@fellowship/schema/sync/written-calls'
import { comingDates } from '@fellowship/sync/protocol/coming-dates'
import { CalendarX, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { Bin, BinRow } from '../../ui/bin.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/empty-state.list.tsx'
import { openHeld } from '../../ui/held-dialog.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
import { EventForm } from './event-form.tsx'
import {
  useBinnedEvents,
  useDeleteEvent,
  useEventsNow,
  useRestoreEvent,
  useSaveEvent,
} from './event-queries.admin.ts'

export function EventManagement() {
  return (
    <>
      <EventList />
      <Bin
        title="Deleted events"
        description="A deleted event can be restored for 30 days."
        query={useBinnedEvents()}
        empty={eventTexts.binEmpty}
        failed={eventTexts.loadFailed}
        keyOf={({ id }) => id}
      >
        {(event) => <DeletedEvent event={event} />}
      </Bin>
    </>
  )
}

function DeletedEvent({ event }: { event: Binned<EventRow> }) {
  const { mutate, isPending } = useRestoreEvent()
  return <BinRow {...event} about={spanWords(event)} pending={isPending} onRestore={() => mutate(event)} />
}

function EventList() {
  return (
    <Section
      title="Events"
      description={`Home shows the next dates, and the page Events the next four of each event within ${monthsAhead} months. People add them to their calendars.`}
      actions={
        <Button icon={Plus} onClick={() => openHeld(EventForm, { event: undefined })}>
          Add Event
        </Button>
      }
    >
      <Loaded query={useEventsNow()} failure={eventTexts.loadFailed} height="h-96">
        {(events) =>
          events.length === 0 ? (
            <EmptyState title="No events yet">Add the first one with the button above.</EmptyState>
          ) : (
            <ul className="grid gap-3">
              {events.map((event) => (
                <EventLine key={event.uid} event={event} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  )
}

function EventLine({ event }: { event: EventRow }) {
  const { title, place, repeats } = event
  const [now] = useState(() => new Date())
  const isOver = comingDates([event], now).length === 0
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-card border border-line bg-raised p-4 shadow-soft">
      <div className="min-w-0 grow basis-48 wrap-anywhere">
        <h3 className="text-xl">
          {title} {isOver && <Badge>Over</Badge>}
        </h3>
        <p className="text-soft">{spanWords(event)}</p>
        {repeats !== null && <p className="text-soft">{ruleWords({ ...event, repeats })}</p>}
        {place && <p className="text-soft">{place}</p>}
      </div>
      <div className="flex flex-wrap justify-end">
        <IconButton
          label={`Dates of ${title}`}
          icon={CalendarX}
          onClick={() => openHeld(EventDates, { id: event.id })}
        />
        <IconButton label={`Edit ${title}`} icon={Pencil} onClick={() => openHeld(EventForm, { event })} />
        <IconButton
          kind="danger"
          label={`Delete ${title}`}
          icon={Trash2}
          onClick={() => openHeld(DeleteEvent, { event })}
        />
      </div>
    </li>
  )
}

function DeleteEvent({ event, onClose }: { event: EventRow; onClose: () => void }) {
  const remove = useDeleteEvent()
  return (
    <ConfirmDialog
      title="Delete Event"
      question={eventTexts.confirmDelete(event.title)}
      confirmLabel="Delete"
      pending={remove.isPending}
      pendingLabel="Deleting..."
      onConfirm={() => remove.mutate(event, { onSettled: onClose })}
      onCancel={onClose}
    />
  )
}

/** The dates of an event in the next months, each with the button that cancels or restores it. */
function EventDates({ id, onClose }: { id: number; onClose: () => void }) {
  const event = useEventsNow().data?.find((row) => row.id === id)
  const save = useSaveEvent()
  const [now] = useState(() => new Date())
  const dates = event ? comingDates([event], now) : []
  /** Cancelled dates that are over are dropped, so that they never fill the list. */
  const change = (date: string, isCancelled: boolean) => {
    const today = churchDate(now)
    const rest = event!.cancelled.filter((each) => each !== date && each >= today)
    save.mutate({
      id,
      event: { cancelled: isCancelled ? rest : [...rest, date].toSorted(), baseRev: event!.rev },
      what: isCancelled ? 'restored' : 'cancelled',
    })
  }
  return (
    <Dialog title={`Dates of ${event?.title ?? 'the event'}`} onClose={onClose} width="wide">
      {dates.length === 0 && <p className="text-soft">{eventTexts.none}</p>}
      <ul>
        {dates.map((date) => (
          <li
            key={date.starts}
            className="flex flex-wrap items-center justify-between gap-x-4 border-t border-line py-2"
          >
            <span>{date.cancelled ? <s>{spanWords(date)}</s> : spanWords(date)}</span>
            <Button
              kind="quiet"
              disabled={save.isPending}
              aria-label={`${date.cancelled ? 'Restore' : 'Cancel'} ${spanWords(date)}`}
              onClick={() => change(dateOf(date.starts), date.cancelled)}
            >
              {date.cancelled ? 'Restore this date' : 'Cancel this date'}
            </Button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
