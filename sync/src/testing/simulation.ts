import { kinds } from '@fellowship/schema/sync/sync.schema'
import { AppDatabase } from '../client/database.ts'
import { localDigest, pull } from '../client/pull.ts'
import { readSyncState } from '../client/sync-state.ts'
import { decodeCursor } from '../protocol/cursor.ts'
import { sameDigest } from '../protocol/digest.ts'
import { digestOfAll } from '../server/change-feed.ts'
import { cutPowerAt } from './crash.ts'
import { MemoryServer, stateOf } from './memory-server.ts'
import { seededRandom, type Random } from './random.ts'
import { faults, testNetwork, type Fault } from './test-network.ts'

export interface History {
  seed: number
  steps: number
}

/** What happened, so that a history that reached nothing is seen as such. */
export interface Tally {
  pulls: number
  snapshots: number
  cuts: number
  races: number
  restores: number
}

/**
 * One history: three devices with the real client code, one server, and everything that goes wrong between them.
 *
 * Invariants (numbers as in the sync notes): 1 every device equals the server once the line is good again;
 * 6 a cursor never goes back within an epoch; 12 the digests are equal. Besides, whenever a device stands where a
 * pull once ended, it holds exactly what the server held at that revision: no page is half or stale. (Between the
 * pages of one pull it cannot: the feed is compacted, a row's newest state may be on a later page.)
 *
 * @throws Error naming the seed, the step and what was violated
 */
export async function runHistory({ seed, steps }: History): Promise<Tally> {
  const random = seededRandom(seed)
  const server = new MemoryServer()
  const tally: Tally = { pulls: 0, snapshots: 0, cuts: 0, races: 0, restores: 0 }
  const devices = [0, 1, 2].map((at) => new Device(`history-${seed}-${at}`, server, tally))
  const backups: ReturnType<MemoryServer['backup']>[] = []
  let step = 0
  try {
    for (; step < steps; step += 1) await chance(random, server, devices, backups, tally)
    for (const device of devices) await device.settle()
  } catch (error) {
    throw new Error(`history seed ${seed}, step ${step} of ${steps}: ${(error as Error).message}`, {
      cause: error,
    })
  } finally {
    for (const device of devices) await device.remove()
  }
  return tally
}

async function chance(
  random: Random,
  server: MemoryServer,
  devices: Device[],
  backups: ReturnType<MemoryServer['backup']>[],
  tally: Tally,
): Promise<void> {
  const device = random.pick(devices)
  const dice = random.int(100)
  if (dice < 40) server.commit(randomWrites(random))
  else if (dice < 65) await device.pull(random, () => random.pick(faults))
  else if (dice < 75) await device.race(random)
  else if (dice < 85) await device.pullUntilPowerCut(random)
  else if (dice < 90) server.forgetDeletions(server.data.clock.rev - random.int(4))
  else if (dice < 96) backups.push(server.backup())
  else if (backups.length > 0) {
    server.restore(random.pick(backups))
    tally.restores += 1
    // Life goes on after a restore, and soon the numbers have caught up with the cursors of the life before.
    for (let writes = random.int(8); writes > 0; writes -= 1) server.commit(randomWrites(random))
  }
}

function randomWrites(random: Random) {
  return Array.from({ length: 1 + random.int(4) }, () => {
    const at = { kind: random.pick(kinds), uid: `u${random.int(7)}` }
    return random.chance(0.35) ? { ...at, gone: true as const } : { ...at, value: `v${random.int(1000)}` }
  })
}

class Device {
  readonly #name: string
  readonly #server: MemoryServer
  readonly #tally: Tally
  #db: AppDatabase
  #farthest = { epoch: '', rev: -1 }
  /** Cursors at which a pull ended with nothing more to come. */
  readonly #ends = new Set<string>()

  constructor(name: string, server: MemoryServer, tally: Tally) {
    this.#name = name
    this.#server = server
    this.#tally = tally
    this.#db = new AppDatabase(name)
  }

  /** One pull over a line that may fail at every exchange. */
  async pull(random: Random, fault: () => Fault): Promise<void> {
    await this.#pull(this.#db, random, testNetwork(this.#server, { fault }))
    await this.judge()
  }

  /** Two tabs: the answer to one is held while the server goes on and the other tab pulls. */
  async race(random: Random): Promise<void> {
    const otherTab = new AppDatabase(this.#name)
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    let reached = () => {}
    const answered = new Promise<void>((resolve) => (reached = resolve))
    const hold = () => {
      reached()
      return held
    }
    const slow = this.#pull(this.#db, random, testNetwork(this.#server, { hold }))
    await answered
    this.#server.commit(randomWrites(random))
    await this.#pull(otherTab, random, testNetwork(this.#server))
    await this.judge()
    release()
    await slow
    otherTab.close()
    this.#tally.races += 1
    await this.judge()
  }

  /** The battery dies at some write of a pull; afterwards the app is opened again. */
  async pullUntilPowerCut(random: Random): Promise<void> {
    cutPowerAt(this.#db, random.int(8))
    await this.#pull(this.#db, random, testNetwork(this.#server))
    this.#db.close()
    this.#db = new AppDatabase(this.#name)
    this.#tally.cuts += 1
    await this.judge()
  }

  /** The line is good again: one pull, and the device must equal the server. */
  async settle(): Promise<void> {
    await pull(this.#db, testNetwork(this.#server), { now: () => 0 })
    const { clock, rows } = this.#server.data
    const cursor = decodeCursor((await readSyncState(this.#db)).cursor)
    if (cursor?.rev !== clock.rev || cursor.epoch !== clock.epoch)
      throw new Error('1: the cursor is not at the head')
    const local = await this.#state()
    if (local !== stateOf([...rows.values()]))
      throw new Error('1: device and server differ after a good pull')
    const remote = await this.#server.consistently(digestOfAll)
    if (!sameDigest(await localDigest(this.#db), remote)) throw new Error('12: the digests differ')
  }

  /** What must hold at every step. */
  async judge(): Promise<void> {
    const stored = (await readSyncState(this.#db)).cursor
    const cursor = decodeCursor(stored)
    const local = await this.#state()
    if (!stored || !cursor) {
      if (local !== '') throw new Error('rows without a cursor')
      return
    }
    if (cursor.epoch === this.#farthest.epoch && cursor.rev < this.#farthest.rev) {
      throw new Error(`6: the cursor went back from ${this.#farthest.rev} to ${cursor.rev}`)
    }
    this.#farthest = cursor
    if (!this.#ends.has(stored)) return
    const then = this.#server.past.get(`${cursor.epoch}.${cursor.rev}`)
    if (local !== then) throw new Error(`the device is not what the server was at revision ${cursor.rev}`)
  }

  async remove(): Promise<void> {
    this.#db.close()
    await this.#db.delete()
  }

  async #pull(db: AppDatabase, random: Random, network: ReturnType<typeof testNetwork>): Promise<void> {
    this.#tally.pulls += 1
    const onSnapshot = () => {
      this.#tally.snapshots += 1
    }
    try {
      await pull(db, network, { now: () => 0, limit: 1 + random.int(6), onSnapshot })
      this.#ends.add((await readSyncState(db)).cursor!)
    } catch {
      // A fault ends a pull; that is what the next one is for.
    }
  }

  async #state(): Promise<string> {
    return this.#db.transaction('r', this.#db.replicaTables, async () => {
      const rows = []
      for (const kind of kinds) {
        for (const row of await this.#db.tableOf(kind).toArray()) rows.push({ ...row, kind })
      }
      return stateOf(rows)
    })
  }
}
