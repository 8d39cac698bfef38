import { kinds } from '@fellowship/schema/sync/sync.schema'
import { MemoryServer, uidOf, type Write } from './memory-server.ts'
import { seededRandom, type Random } from './random.ts'
import { SimulatedDevice, type Tally } from './simulated-device.ts'
import { faults, type Fault } from './faults.ts'
import { VirtualTime } from './virtual-time.ts'

export type { Tally } from './simulated-device.ts'

/**
 * Histories of three devices in every run of the tests. Each seeded bug of theirs is caught by one of them; the soak runs more.
 */
export const historiesOfARun = 50

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
 * Runs one random history: three devices with the real client code, one server, and faults between them.
 *
 * The invariants, by the numbers that the errors name:
 *
 * 1. Every device equals the server once it is online without faults.
 * 2. A mutation is applied at most once.
 * 3. An acknowledged mutation was applied, and an applied one that is sent again is acknowledged.
 * 4. No write overwrites words, or a recording, that its author did not see.
 * 5. No user conflicts with their own writes from the same device but those they discarded, nor with what the server itself
 *    added.
 * 6. A cursor never moves back within an epoch.
 * 7. An entry leaves the outbox only when the server acknowledges it or the user discards it.
 * 8. No entry stays in the outbox while the network is without faults.
 * 9. The screen shows the synced rows with the outbox applied on top.
 * 10. No user sees another user's outbox entries.
 * 11. No user sends another user's outbox entries.
 * 12. The digests are equal.
 * 13. An acknowledged change is not undone on the device by an older page.
 * 14. A minute has at most 12 failed requests of one entry, and 60 of a device.
 * 15. Nothing that was discarded is sent.
 * 16. A change meets only the row that it was made for.
 *
 * A restore may undo applied mutations, so 2, 3 (of edits) and 5 are not checked after one. A device whose cursor is one at
 * which a pull ended holds exactly the server's rows of that revision.
 *
 * @throws Error naming the seed, the step and the violated invariant
 */
export const runHistory = (history: History): Promise<Tally> =>
  // A request that hangs is given up after half a minute, which takes no time here.
  new VirtualTime().during(() => run(history))

async function run({ seed, steps }: History): Promise<Tally> {
  const random = seededRandom(seed)
  const server = new MemoryServer()
  const tally = emptyTally()
  const clock = { now: startAt }
  const devices = [0, 1, 2].map(
    (at) => new SimulatedDevice(`history-${seed}-${at}`, server, random, tally, clock),
  )
  const backups: ReturnType<MemoryServer['backup']>[] = []
  let step = 0
  try {
    for (; step < steps; step += 1) {
      await takeRandomStep(random, server, devices, backups, tally)
      clock.now += random.pick(passingMs)
    }
    // All devices send before any is compared, as the last one's changes reach the others too.
    for (const device of devices) await device.sendAll()
    for (const device of devices) await device.settle()
    checkServer(server)
  } catch (error) {
    throw new Error(`history seed ${seed}, step ${step} of ${steps}: ${(error as Error).message}`, {
      cause: error,
    })
  } finally {
    for (const device of devices) await device.remove()
  }
  return tally
}

const startAt = Date.UTC(2026, 10, 22)
/** Between two steps; the clock of a device may also be set back. */
const passingMs = [0, 500, 5_000, 70_000, 3_600_000, 200 * 24 * 3_600_000, -7_200_000]

async function takeRandomStep(
  random: Random,
  server: MemoryServer,
  devices: SimulatedDevice[],
  backups: ReturnType<MemoryServer['backup']>[],
  tally: Tally,
): Promise<void> {
  const device = random.pick(devices)
  const roll = random.int(100)
  if (roll < 22) server.commit(randomWrites(random))
  else if (roll < 40) await device.edit()
  else if (roll < 52) await device.pull(() => randomFault(random))
  else if (roll < 64) await device.drain(() => randomFault(random))
  else if (roll < 66) await device.sendAndFail()
  else if (roll < 71) await device.race(() => server.commit(randomWrites(random)))
  else if (roll < 80) await device.untilPowerCut()
  else if (roll < 85) await device.resolveProblem()
  else if (roll < 89) await device.switchUser()
  else if (roll < 93) server.purgeTombstones(server.data.clock.rev - random.int(4))
  else if (roll < 98) backups.push(server.backup())
  else if (backups.length > 0) {
    server.restore(random.pick(backups), random.pick(['backup', 'copy']))
    tally.restores += 1
    // Writes after a restore, so that revisions catch up with cursors of the previous epoch.
    for (let writes = random.int(8); writes > 0; writes -= 1) server.commit(randomWrites(random))
  }
}

/** A random fault; most often one that repeats a request which the server has already applied. */
function randomFault(random: Random): Fault {
  if (random.chance(0.4)) return 'none'
  return random.pick(
    random.chance(0.3) ? ['lost response', 'truncated response', 'duplicated request'] : faults,
  )
}

function randomWrites(random: Random): Write[] {
  return Array.from({ length: 1 + random.int(4) }, () => {
    const kind = random.pick(kinds)
    // Uids of different kinds differ.
    const target = { kind, uid: uidOf(kinds.indexOf(kind) * 10 + random.int(7)) }
    if (random.chance(0.25)) return { ...target, deleted: true as const }
    if (kind === 'teaching' && random.chance(0.4)) return { ...target, loudness: -random.int(40) }
    const member = random.pick(['title', target.kind === 'series' ? 'description' : 'speaker'] as const)
    return { ...target, text: { [member]: `${member}-${random.int(1000)}` } }
  })
}

/** Checks invariants 2 and 4 against the writes that the server applied. */
function checkServer({ applied, restores, copies }: MemoryServer): void {
  const seen = new Set<string>()
  for (const { mutationId, before, baseRev, uid, isSeen } of applied) {
    if (mutationId === undefined) continue
    if (restores === 0 && seen.has(mutationId)) throw new Error(`2: mutation ${mutationId} was applied twice`)
    seen.add(mutationId)
    // Two restored copies assign the same revisions, so a revision of one does not identify the words of the other.
    if (!isSeen && copies < 2) throw new Error(`4: ${uid} was at ${before}, its author saw ${baseRev}`)
  }
}
