import 'fake-indexeddb/auto'
import { expect, test } from 'vitest'
import { historiesOfAllPairs, runDeviceHistory, seedsOfARun, wantedPairs } from './device-simulation.ts'
import { firstWiderSeed, type Coverage } from './simulated-history.ts'

// `SYNC_SEED=4711 npx vitest run device-simulation` replays one history; the nightly run and the soak set SYNC_HISTORIES, and
// SYNC_FIRST_SEED continues another run.
const onlySeed = process.env['SYNC_SEED']
const firstSeed = Number(process.env['SYNC_FIRST_SEED'] ?? 0)
const steps = Number(process.env['SYNC_STEPS'] ?? 60)
const histories = Number(process.env['SYNC_HISTORIES'] ?? 0)
const seeds =
  onlySeed !== undefined
    ? [Number(onlySeed)]
    : histories > 0
      ? // A fifth of them besides are wider.
        [0, firstWiderSeed].flatMap((from) =>
          Array.from(
            { length: from === 0 ? histories : Math.floor(histories / 5) },
            (_, at) => from + firstSeed + at,
          ),
        )
      : seedsOfARun

test(
  `histories of one device violate no invariant (${seeds.length} of ${steps} steps)`,
  { timeout: 0 },
  async () => {
    const sum: Coverage = new Map()
    for (const seed of seeds) {
      const coverage = await runDeviceHistory({ seed, steps })
      for (const [pair, count] of coverage) sum.set(pair, (sum.get(pair) ?? 0) + count)
    }
    const pairs = wantedPairs()
    const missing = pairs.filter((pair) => !sum.has(pair))
    console.info(`${pairs.length - missing.length} of ${pairs.length} pairs of state and fault were met`)
    if (seeds.length >= seedsOfARun.length) expect(missing.length).toBeLessThan(pairs.length / 20)
    if (seeds.length >= historiesOfAllPairs) expect(missing).toEqual([])
  },
)
