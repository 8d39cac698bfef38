import 'fake-indexeddb/auto'
import { expect, test } from 'vitest'
import { emptyTally, runHistory, type Tally } from './simulation.ts'

// `SYNC_SEED=4711 SYNC_STEPS=60 npx vitest run simulation` replays one history; the soak sets SYNC_HISTORIES.
const only = process.env['SYNC_SEED']
const steps = Number(process.env['SYNC_STEPS'] ?? 60)
const histories = only ? 1 : Number(process.env['SYNC_HISTORIES'] ?? 1000)

test(
  `${histories} histories of ${steps} steps: no device ever differs from the server`,
  { timeout: 0 },
  async () => {
    const sum = emptyTally()
    for (let at = 0; at < histories; at += 1) {
      const tally = await runHistory({ seed: only ? Number(only) : at, steps })
      for (const key of Object.keys(sum) as (keyof Tally)[]) sum[key] += tally[key]
    }
    // A simulation in which nothing happens proves nothing.
    if (!only) for (const [what, count] of Object.entries(sum)) expect(count, what).toBeGreaterThan(0)
  },
)
