import { z } from 'zod'
import { endpoint } from '../endpoint.ts'

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
