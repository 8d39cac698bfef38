import { z } from 'zod'
import { endpoint, idParam } from '../endpoint.ts'
import { teaching } from './teachings.schema.ts'

/** A deleted teaching, and until when it can be restored. */
const binnedTeaching = teaching.extend({ deletedAt: z.iso.datetime(), goneAt: z.iso.datetime() })
export type BinnedTeaching = z.infer<typeof binnedTeaching>

export const bin = {
  list: endpoint({
    method: 'GET',
    path: '/api/admin/bin',
    access: 'admin',
    summary: 'Deleted teachings that can still be brought back, the last deleted first.',
    answer: z.array(binnedTeaching),
  }),
  restore: endpoint({
    method: 'POST',
    path: '/api/admin/bin/:id/restore',
    access: 'admin',
    summary: 'Brings a deleted teaching back, with its recording.',
    params: idParam,
    answer: teaching,
  }),
}
