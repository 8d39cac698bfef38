import 'fake-indexeddb/auto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { expectNoLeaks } from '@fellowship/api/testing/no-leaks'
import { crashTable, emptyPairs } from './crash-table.ts'
import { faults } from './machine.ts'
import { atOnce, roundsForAll, World } from './world.ts'

// `SERVER_SEED=17 SERVER_HISTORIES=3 npx vitest run server-histories` repeats one round; the soak sets SERVER_HISTORIES.
// SERVER_FAULT='the power is cut' causes that fault only.
const fault = faults.find((each) => each === process.env['SERVER_FAULT'])
const firstSeed = Number(process.env['SERVER_SEED'] ?? 0)
// Each fault comes once in the rounds of every run, each request too in those of the nightly run, every pair in `roundsForAll`.
const rounds = Math.ceil(Number(process.env['SERVER_HISTORIES'] ?? faults.length * atOnce) / atOnce)

test(`acknowledged changes survive ${rounds} crashes once and whole`, { timeout: 0 }, async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'server-histories-'))
  await chmod(dataDir, 0o755)
  const world = new World(dataDir, fault)
  const began = performance.now()
  try {
    await runRounds(world)
    await world.end()
    await expectNoLeaks(dataDir, world.ledger.undone)
  } finally {
    await world.machine.kill()
    await rm(dataDir, { recursive: true, force: true, maxRetries: 10 })
  }
  const seconds = Math.round((performance.now() - began) / 1000)
  console.log(`${rounds} crashes in ${seconds} s\n${crashTable(world.sightings)}`)
  if (fault === undefined && rounds >= roundsForAll) expect(emptyPairs(world.sightings)).toEqual([])
})

async function runRounds(world: World): Promise<void> {
  await world.begin(firstSeed)
  for (let seed = firstSeed; seed < firstSeed + rounds; seed += 1) {
    try {
      // Some devices run the earlier client to the end.
      await world.round(seed, { updates: seed === firstSeed + Math.floor(rounds / 2) })
      const done = seed - firstSeed + 1
      if (done % roundsForAll === 0 && done < rounds)
        console.log(`${done} crashes so far, nothing lost or doubled\n${crashTable(world.sightings)}`)
    } catch (error) {
      const { message } = error as Error
      throw new Error(`SERVER_SEED=${seed} SERVER_HISTORIES=${atOnce}: ${message}`, { cause: error })
    }
  }
}
