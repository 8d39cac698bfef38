import { z } from 'zod'
import { endpoint } from '../endpoint.ts'

/** System info. Memory in bytes, uptime in seconds. */
const systemInfo = z.object({
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

/** A line about one thing, in each state; a good one needs no remedy. */
export const lineOf = (id: string, label: string) => ({
  good: (sentence: string): HealthLine => ({ id, label, state: 'good', sentence, advice: '' }),
  attention: (sentence: string, advice: string): HealthLine => ({
    id,
    label,
    state: 'attention',
    sentence,
    advice,
  }),
  bad: (sentence: string, advice: string): HealthLine => ({ id, label, state: 'bad', sentence, advice }),
})

const state = z.object({
  status: z.enum(['ok', 'draining', 'unavailable', 'disk_full', 'bucket_unreachable']),
})

export const system = {
  live: endpoint({
    method: 'GET',
    path: '/api/health/live',
    access: 'everyone',
    changes: false,
    summary: '200 while the process answers.',
    answer: state,
  }),
  ready: endpoint({
    method: 'GET',
    path: '/api/health/ready',
    access: 'everyone',
    changes: false,
    summary:
      '200 once migrated; 503 while draining, without the database or the bucket, or with a full disk.',
    answer: state,
  }),
  info: endpoint({
    method: 'GET',
    path: '/api/health/system-info',
    access: 'admin',
    changes: false,
    summary: 'Version, uptime and memory, and the system health in plain sentences.',
    answer: systemInfo.extend({ health: z.array(healthLine) }),
  }),
  goOn: endpoint({
    method: 'POST',
    path: '/api/admin/sweeps/go-on',
    access: 'admin',
    changes: true,
    summary: 'Confirms the clock and lets removals by age that stopped go on within the hour.',
    answer: z.object({ success: z.literal(true) }),
  }),
  openapi: endpoint({
    method: 'GET',
    path: '/api/openapi.json',
    access: 'everyone',
    changes: false,
    summary: 'This list, as OpenAPI 3.1.',
    answer: z.record(z.string(), z.unknown()),
  }),
}
