import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { healthLine } from '../system/system.schema.ts'

export const feed = {
  check: endpoint({
    method: 'GET',
    path: '/api/admin/feed-check',
    access: 'admin',
    summary:
      'The podcast feed fetched as an app fetches it, and held against what podcast directories ask for.',
    answer: z.object({
      /** The URL to submit to podcast directories. */
      address: z.string(),
      lines: z.array(healthLine),
    }),
  }),
}
