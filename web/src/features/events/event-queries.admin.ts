import { events } from '@fellowship/schema/events/events.contract'
import type { EventEdit, EventRow, NewEvent } from '@fellowship/schema/events/events.schema'
import { eventTexts } from '@fellowship/schema/events/events.texts'
import { call } from '@fellowship/sync/call/call'
import { adminMutation, adminQuery } from '../../lib/admin-query.ts'
import { binMutations } from '../../lib/bin-mutations.ts'
import { refreshReplica } from '../sync/refresh-replica.device.ts'

/** The events of the server, not of the replica. */
export const useEventsNow = adminQuery(events.list)

export type EventToSave =
  | { id: undefined; event: NewEvent }
  | { id: number; event: EventEdit; what?: 'cancelled' | 'restored' }

export const useSaveEvent = adminMutation({
  call: ({ id, event }: EventToSave): Promise<EventRow> =>
    id === undefined
      ? call(events.create, { body: event as NewEvent })
      : call(events.update, { params: { id }, body: event }),
  success: (_, saved) => ({ title: saved.id === undefined ? eventTexts.created : savedTitle(saved.what) }),
  failure: eventTexts.saveFailed,
  invalidates: [events.list],
  pendingUntilRefreshed: true,
  // The public pages read the replica on this device.
  onSuccess: refreshReplica,
})

const savedTitle = (what?: 'cancelled' | 'restored'): string =>
  what ? { cancelled: eventTexts.dateCancelled, restored: eventTexts.dateRestored }[what] : eventTexts.updated

export const { useRemove: useDeleteEvent, useRestore: useRestoreEvent } = binMutations<EventRow>({
  remove: ({ id, rev }) => call(events.remove, { params: { id }, query: { baseRev: rev } }),
  restore: ({ id }) => call(events.restore, { params: { id } }),
  texts: eventTexts,
  titleOf: ({ title }) => title,
  invalidates: [events.list, events.bin],
  onSuccess: refreshReplica,
})

/** Deleted events that can still be restored. */
export const useBinnedEvents = adminQuery(events.bin)
