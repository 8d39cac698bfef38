import { z } from 'zod'
import { baseRevQuery, endpoint } from '../endpoint.ts'
import { newSeries, seriesEdit, seriesRow, seriesUid } from './series.schema.ts'

const uidParam = z.object({ uid: seriesUid })

/** A deleted series, and until when it can be restored. */
const binnedSeries = seriesRow.extend({ deletedAt: z.iso.datetime(), goneAt: z.iso.datetime() })
export type BinnedSeries = z.infer<typeof binnedSeries>

export const series = {
  list: endpoint({
    method: 'GET',
    path: '/api/series',
    access: 'everyone',
    changes: false,
    summary: 'All series by title.',
    answer: z.array(seriesRow),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/series',
    access: 'user',
    changes: true,
    summary: 'Begins a series: a title, a description, and teachings in order.',
    body: newSeries,
    answer: seriesRow,
  }),
  update: endpoint({
    method: 'PUT',
    path: '/api/series/:uid',
    access: 'user',
    changes: true,
    summary: 'Changes any of title, description and the order of the teachings; its address stays.',
    params: uidParam,
    body: seriesEdit,
    answer: seriesRow,
  }),
  picture: endpoint({
    method: 'POST',
    path: '/api/series/:uid/picture',
    access: 'user',
    changes: true,
    summary: 'Replaces the picture of a series: JPEG, PNG or WebP, smaller than 5MB.',
    // Any text: the token of a form may come in its fields, and is checked before the address.
    params: z.object({ uid: z.string() }),
    encoding: 'multipart',
    files: ['picture'],
    answer: seriesRow,
  }),
  removePicture: endpoint({
    method: 'DELETE',
    path: '/api/series/:uid/picture',
    access: 'user',
    changes: true,
    summary: 'Removes the picture of a series.',
    params: uidParam,
    answer: seriesRow,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/series/:uid',
    access: 'user',
    changes: true,
    summary: 'Deletes a series; its teachings stay.',
    params: uidParam,
    query: baseRevQuery,
    answer: z.object({ success: z.literal(true), rev: z.int() }),
  }),
  undoRemove: endpoint({
    method: 'POST',
    path: '/api/series/:uid/undo-delete',
    access: 'user',
    changes: true,
    summary: 'Brings a series back that the caller has just deleted, at its old address.',
    params: uidParam,
    answer: seriesRow,
  }),
  bin: endpoint({
    method: 'GET',
    path: '/api/admin/bin/series',
    access: 'admin',
    changes: false,
    summary: 'Deleted series that can still be brought back, the last deleted first.',
    answer: z.array(binnedSeries),
  }),
  restore: endpoint({
    method: 'POST',
    path: '/api/admin/bin/series/:uid/restore',
    access: 'admin',
    changes: true,
    summary: 'Brings a deleted series back, at its old address.',
    params: uidParam,
    answer: seriesRow,
  }),
}
