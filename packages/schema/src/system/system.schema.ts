import { z } from 'zod'

/** System info. Memory in bytes, uptime in seconds. */
export const systemInfo = z.object({
  environment: z.string(),
  /** The version label and the commit it was built from. */
  version: z.string(),
  /** The storage of recordings. */
  storage: z.string(),
  nodeVersion: z.string(),
  uptime: z.number(),
  memoryUsage: z.object({ rss: z.number(), external: z.number() }),
})

/** One line of the health list: a state in a plain sentence, and the remedy. */
export const healthLine = z.object({
  id: z.string(),
  label: z.string(),
  state: z.enum(['good', 'attention', 'bad']),
  sentence: z.string(),
  /** The remedy; empty when none is needed. */
  advice: z.string(),
  /** The remedy behind a button, such as resuming removals by age. */
  action: z.literal('go_on').optional(),
})
export type HealthLine = z.infer<typeof healthLine>
