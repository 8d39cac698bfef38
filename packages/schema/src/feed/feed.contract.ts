import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { healthLine } from '../system/system.contract.ts'

export const feed = {
  check: endpoint({
    method: 'GET',
    path: '/api/admin/feed-check',
    access: 'admin',
    changes: false,
    summary:
      'Fetches the podcast feed as an app does and checks it against the rules of podcast directories.',
    answer: z.object({
      /** The URL to submit to podcast directories. */
      address: z.string(),
      lines: z.array(healthLine),
    }),
  }),
}
