import { z } from 'zod'
import { endpoint, idParam } from '../endpoint.ts'
import { searchResults, teachingLimits } from './teachings.limits.ts'
import { teaching, teachingEdit } from './teachings.schema.ts'

export const teachings = {
  list: endpoint({
    method: 'GET',
    path: '/api/teachings',
    access: 'everyone',
    changes: false,
    summary: 'All teachings, newest first.',
    answer: z.array(teaching),
  }),
  search: endpoint({
    method: 'GET',
    path: '/api/teachings/search',
    access: 'everyone',
    changes: false,
    summary: `The first ${searchResults} teachings whose title, speaker, date or scripture match every word; a reference matches by overlap.`,
    query: z.object({ q: z.string().max(teachingLimits.searchText) }),
    answer: z.array(teaching),
  }),
  /** Mounted by `uploads`, because it may bring replacement audio. */
  update: endpoint({
    method: 'PUT',
    path: '/api/teachings/:id',
    access: 'user',
    changes: true,
    summary: 'Changes a teaching, optionally with replacement audio.',
    params: idParam,
    body: teachingEdit,
    encoding: 'multipart',
    files: ['audioFile'],
    answer: teaching,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/teachings/:id',
    access: 'user',
    changes: true,
    summary: 'Deletes a teaching.',
    params: idParam,
    // The revision that the person saw, and of which teaching; without them it is deleted whatever it is.
    query: z.object({ baseRev: z.coerce.number().int().min(0).optional(), uid: z.uuid().optional() }),
    answer: z.object({ success: z.literal(true), rev: z.int() }),
  }),
  undoRemove: endpoint({
    method: 'POST',
    path: '/api/teachings/:id/undo-delete',
    access: 'user',
    changes: true,
    summary: 'Brings a teaching back that the caller has just deleted, with its recording.',
    params: idParam,
    answer: teaching,
  }),
}

/** A deleted teaching, and until when it can be restored. */
const binnedTeaching = teaching.extend({ deletedAt: z.iso.datetime(), goneAt: z.iso.datetime() })
export type BinnedTeaching = z.infer<typeof binnedTeaching>

export const bin = {
  list: endpoint({
    method: 'GET',
    path: '/api/admin/bin',
    access: 'admin',
    changes: false,
    summary: 'Deleted teachings that can still be brought back, the last deleted first.',
    answer: z.array(binnedTeaching),
  }),
  restore: endpoint({
    method: 'POST',
    path: '/api/admin/bin/:id/restore',
    access: 'admin',
    changes: true,
    summary: 'Brings a deleted teaching back, with its recording.',
    params: idParam,
    answer: teaching,
  }),
}
