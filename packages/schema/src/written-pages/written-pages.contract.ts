import { z } from 'zod'
import { baseRevQuery, endpoint, idParam } from '../endpoint.ts'
import { binCalls } from '../sync/written-calls.ts'
import { newPage, pageEdit, pageRow } from './written-pages.schema.ts'

export const pages = {
  list: endpoint({
    method: 'GET',
    path: '/api/pages',
    access: 'everyone',
    changes: false,
    summary: 'All pages that administrators wrote, Home and About first; drafts for administrators alone.',
    answer: z.array(pageRow),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/pages',
    access: 'admin',
    changes: true,
    summary: 'Adds a page: title, slug (its address), plain text, in the navigation or not, draft or not.',
    body: newPage,
    answer: pageRow,
  }),
  update: endpoint({
    method: 'PUT',
    path: '/api/pages/:id',
    access: 'admin',
    changes: true,
    summary: 'Changes any of the fields of a page; of Home and About their parts.',
    params: idParam,
    body: pageEdit,
    answer: pageRow,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/pages/:id',
    access: 'admin',
    changes: true,
    summary: 'Deletes a page; it can be restored for 30 days.',
    params: idParam,
    query: baseRevQuery,
    answer: z.object({ success: z.literal(true) }),
  }),
  picture: endpoint({
    method: 'POST',
    path: '/api/pages/:id/picture',
    access: 'admin',
    changes: true,
    summary: 'Replaces the picture of a page besides Home and About: JPEG, PNG or WebP, smaller than 5MB.',
    params: idParam,
    encoding: 'multipart',
    files: ['picture'],
    answer: pageRow,
  }),
  removePicture: endpoint({
    method: 'DELETE',
    path: '/api/pages/:id/picture',
    access: 'admin',
    changes: true,
    summary: 'Removes the picture of a page.',
    params: idParam,
    answer: pageRow,
  }),
  ...binCalls('pages', pageRow),
}
