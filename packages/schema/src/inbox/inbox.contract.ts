import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { teaching } from '../teachings/teachings.schema.ts'
import { inboxItem } from './inbox.schema.ts'
import { enteredFields } from '../uploads/uploads.schema.ts'

const params = z.object({ id: z.uuid() })

export const inbox = {
  list: endpoint({
    method: 'GET',
    path: '/api/inbox',
    access: 'admin',
    summary: 'Recordings that arrived but could not be published by themselves, newest first.',
    answer: z.object({ success: z.literal(true), items: z.array(inboxItem) }),
  }),
  publish: endpoint({
    method: 'POST',
    path: '/api/inbox/:id/publish',
    access: 'admin',
    summary: 'Publishes one of them under corrected fields.',
    params,
    body: enteredFields,
    answer: z.object({ success: z.literal(true), message: z.string(), teaching }),
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/inbox/:id',
    access: 'admin',
    summary: 'Deletes one of them with its recording.',
    params,
    answer: z.object({ success: z.literal(true), message: z.string() }),
  }),
}
