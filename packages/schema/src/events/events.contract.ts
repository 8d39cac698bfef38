import { z } from 'zod'
import { baseRevQuery, endpoint, idParam } from '../endpoint.ts'
import { binCalls } from '../sync/written-calls.ts'
import { eventEdit, eventRow, newEvent } from './events.schema.ts'

export const events = {
  list: endpoint({
    method: 'GET',
    path: '/api/events',
    access: 'everyone',
    changes: false,
    summary: 'All events by the time they first start.',
    answer: z.array(eventRow),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/events',
    access: 'admin',
    changes: true,
    summary: 'Adds an event: local times, a rule of RFC 5545 that it repeats by, cancelled dates.',
    body: newEvent,
    answer: eventRow,
  }),
  update: endpoint({
    method: 'PUT',
    path: '/api/events/:id',
    access: 'admin',
    changes: true,
    summary: 'Changes any of the fields of an event.',
    params: idParam,
    body: eventEdit,
    answer: eventRow,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/events/:id',
    access: 'admin',
    changes: true,
    summary: 'Deletes an event with all its dates; it can be restored for 30 days.',
    params: idParam,
    query: baseRevQuery,
    answer: z.object({ success: z.literal(true) }),
  }),
  ...binCalls('events', eventRow),
}
