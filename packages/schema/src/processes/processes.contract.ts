import { z } from 'zod'
import { endpoint } from '../endpoint.ts'

/** Process limit of shared hosting, the interval of the check, and the count at which the oldest leftovers are ended. */
export const processLimits = { limit: 80, endStraysFrom: 75, watchEveryMs: 5 * 60_000 } as const

/** Percent of the limit at which the indicator turns yellow and red. */
export const usagePercent = { yellow: 70, red: 90 } as const

/** One process of the account that the server runs under. */
const processRow = z.object({
  pid: z.int(),
  /** Percent of one processor, over its lifetime. */
  cpu: z.number(),
  /** Bytes in memory. */
  memory: z.int(),
  startTime: z.iso.datetime(),
  command: z.string(),
  /** Whether it belongs to this application. */
  own: z.boolean(),
})

export const processes = {
  list: endpoint({
    method: 'GET',
    path: '/api/admin/processes',
    access: 'admin',
    changes: false,
    summary: 'The processes of the account that the server runs under, against what the hosting allows.',
    answer: z.object({
      totalProcesses: z.int(),
      processLimit: z.int(),
      /** Processes of this application. */
      bcfProcesses: z.int(),
      processes: z.array(processRow),
    }),
  }),
}
