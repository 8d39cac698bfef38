import { z } from 'zod'

/** System info. Memory in bytes, uptime in seconds. */
export const systemInfo = z.object({
  environment: z.string(),
  /** The version label and the commit it was built from. */
  version: z.string(),
  /** Where recordings are stored. */
  storage: z.string(),
  nodeVersion: z.string(),
  uptime: z.number(),
  memoryUsage: z.object({ rss: z.number(), external: z.number() }),
})

/** One line of the health list: a state in a plain sentence, and what to do about it. */
export const healthLine = z.object({
  id: z.string(),
  label: z.string(),
  state: z.enum(['good', 'attention', 'bad']),
  sentence: z.string(),
  /** What to do; empty when nothing is needed. */
  advice: z.string(),
  /** What an administrator can have done about it by a button: removals by age go on. */
  action: z.literal('go_on').optional(),
})
export type HealthLine = z.infer<typeof healthLine>
