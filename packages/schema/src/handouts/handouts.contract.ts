import { z } from 'zod'
import { endpoint, idParam } from '../endpoint.ts'
import { teaching } from '../teachings/teachings.schema.ts'
import { handoutLimits as limits } from './handouts.limits.ts'
import { handoutHash } from './handouts.schema.ts'

/** The teaching that a change was made for: after a restore another one may have its number. */
const query = z.object({ uid: z.uuid().optional() })
const user = { access: 'user', changes: true, query, answer: teaching } as const

export const handouts = {
  add: endpoint({
    ...user,
    method: 'POST',
    path: '/api/teachings/:id/handouts',
    summary: `Adds a handout to a teaching: PDF, JPEG, PNG or WebP by its content, at most ${limits.megabytes} MB, ${limits.most} in all.`,
    params: idParam,
    body: z.object({}),
    encoding: 'multipart',
    files: ['handout'],
  }),
  remove: endpoint({
    ...user,
    method: 'DELETE',
    path: '/api/teachings/:id/handouts/:hash',
    summary: 'Removes a handout from a teaching.',
    params: idParam.extend({ hash: handoutHash }),
  }),
}
