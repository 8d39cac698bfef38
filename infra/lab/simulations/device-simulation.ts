import { kinds } from '@fellowship/schema/sync/sync.schema'
import { readOutbox } from '@fellowship/sync/client/outbox/outbox'
import { copyLock } from '@fellowship/sync/client/uploads/upload-copying'
import { faults } from '@fellowship/sync/testing/faults'
import { uidOf } from '@fellowship/sync/testing/memory-server'
import { installTabGlobals, TabLocks } from '@fellowship/sync/testing/tab-globals'
import { VirtualTime } from '@fellowship/sync/testing/virtual-time'
import { DeviceEvents, events } from './device-events.ts'
import { RecordingInvariants } from './recording-invariants.ts'
import { SentenceInvariants } from './sentence-invariants.ts'
import { SimulatedDevice } from './simulated-device.ts'
import { firstWiderSeed, people, SimulatedHistory, type Coverage } from './simulated-history.ts'
import { SimulatedLine } from './simulated-line.ts'
import { SimulatedOthers } from './simulated-others.ts'
import { SimulatedPeople } from './simulated-people.ts'
import { recordings } from './simulated-recordings.ts'
import { entryStates, fleeting, pairOf, rarestFirst, statesOf } from './simulated-states.ts'
import { requestKinds, type SimulatedTab } from './simulated-tab.ts'
import { WiderEvents, widerOccurrences } from './wider-events.ts'

/**
 * Seeds of the histories in every run of the tests: together they catch each seeded bug of `mutants.ts`, and meet nearly
 * all pairs. The nightly run and the soak run more.
 */
export const seedsOfARun: readonly number[] = [
  0, 1, 2, 5, 7, 8, 9, 12, 15, 18, 24, 36, 38, 39, 55, 78,
].concat(firstWiderSeed, firstWiderSeed + 2)

/** Histories, from seed 0 on, that meet every pair of state and fault. */
export const historiesOfAllPairs = 120

export interface DeviceHistory {
  seed: number
  steps: number
}

/** Every pair that a run of many histories has to meet. */
export function wantedPairs(): string[] {
  const sent = requestKinds.flatMap((kind) => faults.map((fault) => pairOf(kind, fault)))
  const struck = Object.keys(events).flatMap((event) =>
    entryStates.map((state) => pairOf(`an entry ${state}`, event)),
  )
  return [...sent, ...struck, ...occurrences, ...widerOccurrences]
}

/** Events of the library that have to occur, besides those pairs. */
const occurrences = [
  'an acknowledged entry',
  'a page that is followed by more',
  'a page that several tabs asked for',
  'a change during a held page',
  'a purge of a deletion that the device lacks',
  'a change by another user just after',
  'a change by another user just before',
  'an edit of a teaching that a restore has lost',
  'a second restore of a copy',
  'a power cut during the first snapshot',
] as const

/**
 * Runs one random history of one device: its tabs with all sessions of the real client (pull, outbox, uploads, saved
 * recordings), the real leader lock, two people, and a server; time passes, and every request may meet a fault.
 *
 * The invariants, by the numbers that the errors name:
 *
 * 1. The device equals the server once it is online without faults.
 * 2. A mutation is applied at most once.
 * 3. An acknowledged mutation was applied, and an applied one that is sent again is acknowledged.
 * 4. No write overwrites words, or a recording, that its author did not see.
 * 5. No user conflicts with their own writes from the same device but those they discarded, nor with additions of the server.
 * 6. A cursor never moves back within an epoch.
 * 7. An entry leaves the outbox only when the server acknowledges it or the user discards it.
 * 8. No entry stays in the outbox while the network is without faults.
 * 9. The screen shows the synced rows with the outbox applied on top.
 * 10. No user sees another user's outbox entries.
 * 11. No user sends another user's outbox entries.
 * 12. The digests are equal.
 * 13. An acknowledged change is not undone on the device by an older page.
 * 14. A minute has at most 12 failed requests of one entry, and 60 of a device.
 * 15. No discarded word is sent.
 * 16. A change meets only the row that it was made for.
 * 17. The bytes of an upload leave the device only when it is published under its own person's name and with these bytes,
 *     or a person cancelled it.
 * 18. An upload becomes one teaching, however often it is sent.
 * 19. A recording of the library is whole.
 * 20. A recording that is shown as saved is whole.
 * 21. Without faults all work ends or waits for a person, even if the leader tab stays frozen.
 * 22. No edit changes a field that its author did not touch, also from a form that was open for long.
 * 23. Recordings that fail are asked for as one, 45 times in two minutes at most, and delay no change.
 * 24. A device without room asks for recordings five times an hour at most, and goes on when there is room.
 * 25. A release that is older than its databases writes nothing.
 * 26. Every sentence about freshness, uploads and saved recordings is true.
 *
 * @throws Error naming the seed, the step and the violated invariant
 */
export async function runDeviceHistory({ seed, steps }: DeviceHistory): Promise<Coverage> {
  const time = new VirtualTime()
  const locks = new TabLocks()
  const restore = installTabGlobals(locks)
  const life = new SimulatedLife(new SimulatedHistory(seed, time, locks))
  try {
    return await time.during(() => life.live(steps))
  } finally {
    restore()
  }
}

class SimulatedLife {
  readonly #history: SimulatedHistory
  readonly #line: SimulatedLine
  readonly #device: SimulatedDevice
  readonly #people: SimulatedPeople
  readonly #others: SimulatedOthers
  readonly #events: DeviceEvents
  readonly #recordings: RecordingInvariants
  readonly #sentences: SentenceInvariants
  readonly #wider: WiderEvents | undefined

  constructor(history: SimulatedHistory) {
    const line = new SimulatedLine(history)
    const device = new SimulatedDevice(history, line)
    this.#history = history
    this.#line = line
    this.#device = device
    this.#people = new SimulatedPeople(history, device)
    this.#others = new SimulatedOthers(history, line, device)
    this.#events = new DeviceEvents(history, { line, device, people: this.#people, others: this.#others })
    this.#recordings = new RecordingInvariants(history)
    this.#sentences = new SentenceInvariants(history)
    this.#wider = history.seed >= firstWiderSeed ? new WiderEvents(history, { line, device }) : undefined
  }

  async live(steps: number): Promise<Coverage> {
    let step = 0
    try {
      this.#history.site.library.commit([
        {
          kind: 'teaching',
          uid: uidOf(9),
          text: { title: 'long' },
          audio: this.#history.site.addRecording(recordings.at(-1)!),
        },
      ])
      for (const number of [0, 1, 2, 3]) this.#others.writeTeaching(number)
      this.#device.openTab()
      // The power is cut at each write of the first snapshot, in one history or another.
      if (this.#history.seed % 3 === 0)
        await this.#events.cutPowerAtSnapshot(Math.floor(this.#history.seed / 3) % mostWrites)
      for (; step < steps; step += 1) {
        await this.#step()
        await this.#history.pass(this.#history.random.pick(passingMs))
        // Bytes take longer to look at than rows.
        await this.#check({ bytes: step % 10 === 9 })
      }
      await this.#heal()
    } catch (error) {
      throw new Error(
        `device history seed ${this.#history.seed}, step ${step} of ${steps}: ${(error as Error).message}`,
        {
          cause: error,
        },
      )
    } finally {
      await this.#remove()
    }
    return this.#history.coverage
  }

  async #step(): Promise<void> {
    if (
      this.#device.tabs.length === 0 ||
      (this.#device.tabs.length === 1 && this.#history.random.chance(0.2))
    )
      this.#device.openTab()
    if (this.#wider && this.#history.random.chance(0.3)) return this.#wider.act()
    const roll = this.#history.random.int(100)
    const present = new Set(await statesOf(this.#history.reader))
    const rarest = rarestFirst.find((state) => present.has(state)) ?? ''
    if (roll < 32 || (fleeting.has(rarest) && this.#history.random.chance(0.25)))
      return this.#strike(present, rarest)
    if (roll < 42) return this.#others.writeSome()
    if (roll < 45) return void this.#events.backups.push(this.#history.site.library.backup())
    if (roll < 47) return this.#others.purge()
    if (roll < 49) return this.#device.awake()?.tell(this.#history.random.pick(['online', 'visible', 'hint']))
    if (roll < 51) return this.#others.race()
    const tab = this.#device.awake()
    if (!tab) return
    // If the device is full or its power is cut, the action fails as a whole and the screen shows the error.
    await (roll < 52 ? this.#changeBefore(tab) : this.#people.act(tab, roll)).catch(() => {})
  }

  /** The device draws no wait before it retries, while another user changes another word of the row each time. */
  async #changeBefore(tab: SimulatedTab): Promise<void> {
    this.#line.rivalUntil = this.#history.time.elapsed + 60_000
    await this.#people.edit(tab)
  }

  /** The rarest state that is present decides which event comes next, so that each meets all in few histories. */
  async #strike(present: ReadonlySet<string>, rarest: string): Promise<void> {
    const event = this.#history.nextOf(rarest, Object.keys(events))
    for (const state of present) this.#history.count(pairOf(`an entry ${state}`, event))
    await events[event]!(this.#events)
  }

  async #check({ bytes = true } = {}): Promise<void> {
    if (this.#history.violation !== undefined) throw new Error(this.#history.violation)
    await this.#history.invariants.check()
    await this.#recordings.check({ bytes })
    await this.#sentences.check(this.#device.tabs)
  }

  /** Without faults: each person in turn signs in, decides, and everything comes to its end. */
  async #heal(): Promise<void> {
    this.#history.isFaulty = false
    const frozen = this.#device.tabs.find(({ isFrozen }) => isFrozen)
    this.#device.closeTabs(frozen)
    const tab = this.#device.openTab()
    // Only the frozen page has the file.
    const isCopying = (id: string) => this.#history.locks.isHeld(copyLock(id))
    for (const userId of [...people, ...people]) {
      this.#history.session = userId
      tab.setUser(userId)
      for (let round = 0; round < 40; round += 1) {
        await this.#history.pass(10 * 60_000)
        await this.#check()
        await this.#sentences.checkAtRest(tab)
        await this.#people.resolve(tab)
        if ((await unfinished(tab, isCopying)).length === 0) break
      }
      const left = await unfinished(tab, isCopying)
      const entry = left.find((each) => each.startsWith(ofOutbox))
      if (entry) throw new Error(`8: ${entry} without faults`)
      if (left.length > 0) throw new Error(`21: ${left.join(', ')} without faults`)
    }
    await tab.sync.pull({ verify: true })
    await this.#history.invariants.finish()
    await this.#check()
  }

  async #remove(): Promise<void> {
    this.#device.closeTabs()
    await this.#history.reader.remove()
  }
}

/** Beyond the writes of a snapshot: two of each kind, and its cursor. */
const mostWrites = 2 * kinds.length + 3
const passingMs = [0, 100, 1_000, 5_000, 35_000, 70_000, 600_000, 3_600_000]

const ofOutbox = 'outbox: '

/** Unfinished work of the signed-in user that needs no decision of a person. */
async function unfinished(
  { app, uploads, audio, userId }: SimulatedTab,
  isCopying: (id: string) => boolean,
): Promise<string[]> {
  const entries = await readOutbox(app, userId)
  const heads = entries.filter(
    ({ uid, seq }) => !entries.some((other) => other.uid === uid && other.seq < seq),
  )
  const jobs = await uploads.jobs.filter(({ ownerUserId }) => ownerUserId === userId).toArray()
  const waits = ['copying', 'queued', 'creating', 'uploading', 'finalizing', 'blocked_auth', 'cancelled']
  return [
    ...heads.map(({ op, state }) => `${ofOutbox}${op} ${state}`),
    ...jobs
      .filter(({ id, state, paused }) => {
        if (state === 'copying' && isCopying(id)) return false
        return waits.includes(state) && (!paused || state === 'cancelled')
      })
      .map(({ state }) => `upload ${state}`),
    ...(await audio.recordings.filter(({ state }) => state === 'waiting').toArray()).map(
      () => 'recording waiting',
    ),
  ]
}
