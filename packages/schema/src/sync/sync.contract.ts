import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { pageLimit } from './sync.limits.ts'
import { syncPage } from './sync.schema.ts'

export const sync = {
  pull: endpoint({
    method: 'GET',
    path: '/api/sync',
    access: 'everyone',
    changes: false,
    summary: 'What changed since a cursor, or all of it. Unchanged: 304 by ETag.',
    query: z.object({
      since: z.string().max(500).optional(),
      limit: z.coerce.number().int().min(1).max(pageLimit.most).optional(),
      schema: z.coerce.number().int().min(0).optional(),
    }),
    answer: syncPage,
  }),
  events: endpoint({
    method: 'GET',
    path: '/api/sync/events',
    access: 'everyone',
    changes: false,
    summary: 'Server-sent hints that something changed; the pull brings what.',
    answer: z.string(),
    mediaType: 'text/event-stream',
  }),
}
