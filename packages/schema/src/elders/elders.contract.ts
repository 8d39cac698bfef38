import { z } from 'zod'
import { endpoint, idParam } from '../endpoint.ts'
import { elder, elderChanges, newElder } from './elders.schema.ts'

export const elders = {
  list: endpoint({
    method: 'GET',
    path: '/api/elders',
    access: 'everyone',
    changes: false,
    summary: 'All elders in the order they are shown.',
    answer: z.array(elder),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/elders',
    access: 'admin',
    changes: true,
    summary: 'Adds an elder; at a used display order the others shift.',
    body: newElder,
    answer: elder,
  }),
  update: endpoint({
    method: 'PUT',
    path: '/api/elders/:id',
    access: 'admin',
    changes: true,
    summary: 'Changes any of the fields of an elder; at a used display order the others shift.',
    params: idParam,
    body: elderChanges.extend({
      /** The revision that the author saw; a later one is a conflict. */
      baseRev: z.int().min(0).optional(),
    }),
    answer: elder,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/elders/:id',
    access: 'admin',
    changes: true,
    summary: 'Deletes an elder with their photo.',
    params: idParam,
    answer: z.object({ success: z.literal(true) }),
  }),
  photo: endpoint({
    method: 'POST',
    path: '/api/elders/:id/photo',
    access: 'admin',
    changes: true,
    summary: 'Replaces the photo of an elder: JPEG, PNG or WebP, smaller than 5MB.',
    params: idParam,
    encoding: 'multipart',
    files: ['photo'],
    answer: z.object({ elder }),
  }),
}
