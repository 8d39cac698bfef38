import 'fake-indexeddb/auto'
import { expect, test } from 'vitest'
import { emptyTally, historiesOfARun, runHistory, type Tally } from '@fellowship/sync/testing/simulation'

// `SYNC_SEED=4711 SYNC_STEPS=60 npx vitest run simulation` replays one history; the soak sets SYNC_HISTORIES, and
// SYNC_FIRST_SEED continues another run.
const onlySeed = process.env['SYNC_SEED']
const firstSeed = Number(process.env['SYNC_FIRST_SEED'] ?? 0)
const steps = Number(process.env['SYNC_STEPS'] ?? 60)
const histories = onlySeed ? 1 : Number(process.env['SYNC_HISTORIES'] ?? historiesOfARun)

test(
  `histories of three devices violate no invariant (${histories} of ${steps} steps)`,
  { timeout: 0 },
  async () => {
    const sum = emptyTally()
    for (let at = 0; at < histories; at += 1) {
      const tally = await runHistory({ seed: onlySeed ? Number(onlySeed) : firstSeed + at, steps })
      for (const key of Object.keys(sum) as (keyof Tally)[]) sum[key] += tally[key]
      if ((at + 1) % 1000 === 0 && at + 1 < histories)
        console.log(`seeds ${firstSeed} to ${firstSeed + at} violate no invariant`)
    }
    // Every kind of event must have occurred, or the run proves nothing about it.
    if (!onlySeed) for (const [what, count] of Object.entries(sum)) expect(count, what).toBeGreaterThan(0)
  },
)
