import { kinds } from '@fellowship/schema/sync/sync.schema'
import { MemoryServer, type Write } from './memory-server.ts'
import { seededRandom, type Random } from './random.ts'
import { SimulatedDevice, type Tally } from './simulated-device.ts'
import { faults } from './test-network.ts'

export type { Tally } from './simulated-device.ts'

export interface History {
  seed: number
  steps: number
}

export const emptyTally = (): Tally => ({
  pulls: 0,
  snapshots: 0,
  cuts: 0,
  races: 0,
  restores: 0,
  edits: 0,
  acknowledged: 0,
  conflicts: 0,
})

/**
 * One history: three devices with the real client code, one server, and everything that goes wrong between them.
 *
 * The invariants, numbered as in the sync notes: 1 every device equals the server once the line is good again ·
 * 2 a mutation is done at most once · 3 what was acknowledged was done · 4 no write goes over one its author did not
 * see · 5 nobody is in conflict with themselves · 6 a cursor never goes back within an epoch · 7 nothing leaves the
 * outbox but by the server's yes or a person's word · 8 nothing is stuck while the line is good · 9 the screen is the
 * synced rows with what is pending on top · 10 nobody sees another's entries · 11 nor sends them · 12 the digests are
 * equal. 2, 3 and 5 speak of one life of the database, so not of histories in which a backup was restored. Besides,
 * whenever a device stands where a pull once ended, it holds exactly what the server held at that revision.
 *
 * @throws Error naming the seed, the step and what was violated
 */
export async function runHistory({ seed, steps }: History): Promise<Tally> {
  const random = seededRandom(seed)
  const server = new MemoryServer()
  const tally = emptyTally()
  const devices = [0, 1, 2].map((at) => new SimulatedDevice(`history-${seed}-${at}`, server, random, tally))
  const backups: ReturnType<MemoryServer['backup']>[] = []
  let step = 0
  try {
    for (; step < steps; step += 1) await takeRandomStep(random, server, devices, backups, tally)
    // Twice round: what one device sends at last is news to the others.
    for (const device of devices) await device.sendEverything()
    for (const device of devices) await device.settle()
    judgeServer(server)
  } catch (error) {
    throw new Error(`history seed ${seed}, step ${step} of ${steps}: ${(error as Error).message}`, {
      cause: error,
    })
  } finally {
    for (const device of devices) await device.remove()
  }
  return tally
}

async function takeRandomStep(
  random: Random,
  server: MemoryServer,
  devices: SimulatedDevice[],
  backups: ReturnType<MemoryServer['backup']>[],
  tally: Tally,
): Promise<void> {
  const device = random.pick(devices)
  const dice = random.int(100)
  if (dice < 22) server.commit(randomWrites(random))
  else if (dice < 40) await device.edit()
  else if (dice < 52) await device.pull(() => random.pick(faults))
  else if (dice < 66) await device.drain(() => random.pick(faults))
  else if (dice < 71) await device.race(() => server.commit(randomWrites(random)))
  else if (dice < 80) await device.untilPowerCut()
  else if (dice < 85) await device.decide()
  else if (dice < 89) await device.changePerson()
  else if (dice < 93) server.forgetDeletions(server.data.clock.rev - random.int(4))
  else if (dice < 98) backups.push(server.backup())
  else if (backups.length > 0) {
    server.restore(random.pick(backups))
    tally.restores += 1
    // Life goes on after a restore, and soon the numbers have caught up with the cursors of the life before.
    for (let writes = random.int(8); writes > 0; writes -= 1) server.commit(randomWrites(random))
  }
}

function randomWrites(random: Random): Write[] {
  return Array.from({ length: 1 + random.int(4) }, () => {
    const at = { kind: random.pick(kinds), uid: `u${random.int(7)}` }
    if (random.chance(0.25)) return { ...at, gone: true as const }
    const member = random.pick(['title', 'speaker'] as const)
    return { ...at, text: { [member]: `${member}-${random.int(1000)}` } }
  })
}

/** 2 and 4, from the server's own book. */
function judgeServer({ applied, restores }: MemoryServer): void {
  const seen = new Set<string>()
  for (const { mutationId, before, baseRev, uid } of applied) {
    if (mutationId === undefined) continue
    if (restores === 0 && seen.has(mutationId)) throw new Error(`2: mutation ${mutationId} was done twice`)
    seen.add(mutationId)
    if (before !== baseRev) throw new Error(`4: ${uid} was at ${before}, its author saw ${baseRev}`)
  }
}
