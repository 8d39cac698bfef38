import { z } from 'zod'

/** SPEC §3, System info. Memory in bytes, uptime in seconds. */
export const systemInfo = z.object({
  environment: z.string(),
  /** The version label and the commit it was built from. */
  version: z.string(),
  /** Where recordings are kept. */
  storage: z.string(),
  nodeVersion: z.string(),
  uptime: z.number(),
  memoryUsage: z.object({ rss: z.number(), external: z.number() }),
})
export type SystemInfo = z.infer<typeof systemInfo>

/** One line of the health list: how something stands, in plain words, and what to do about it. */
export const healthLine = z.object({
  id: z.string(),
  label: z.string(),
  state: z.enum(['good', 'attention', 'bad']),
  sentence: z.string(),
  /** What to do; empty where nothing is. */
  advice: z.string(),
})
export type HealthLine = z.infer<typeof healthLine>
