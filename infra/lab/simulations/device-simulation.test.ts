import 'fake-indexeddb/auto'
import { expect, test } from 'vitest'
import {
  deviceHistoriesOfARun,
  runDeviceHistory,
  wantedPairs,
  type Coverage,
} from '@fellowship/sync/testing/device-simulation'

// `SYNC_SEED=4711 npx vitest run device-simulation` replays one history; the soak sets SYNC_HISTORIES, and SYNC_FIRST_SEED
// continues another run.
const onlySeed = process.env['SYNC_SEED']
const firstSeed = Number(process.env['SYNC_FIRST_SEED'] ?? 0)
const steps = Number(process.env['SYNC_STEPS'] ?? 60)
const histories = onlySeed ? 1 : Number(process.env['SYNC_HISTORIES'] ?? deviceHistoriesOfARun)

test(
  `histories of one device violate no invariant (${histories} of ${steps} steps)`,
  { timeout: 0 },
  async () => {
    const sum: Coverage = new Map()
    for (let at = 0; at < histories; at += 1) {
      const coverage = await runDeviceHistory({ seed: onlySeed ? Number(onlySeed) : firstSeed + at, steps })
      for (const [pair, count] of coverage) sum.set(pair, (sum.get(pair) ?? 0) + count)
    }
    const pairs = wantedPairs()
    const missing = pairs.filter((pair) => !sum.has(pair))
    console.info(`${pairs.length - missing.length} of ${pairs.length} pairs of state and fault were met`)
    if (histories >= deviceHistoriesOfARun) expect(missing).toEqual([])
  },
)
