import { emptySeries, seriesFields, seriesTextOf } from '@fellowship/schema/series/series-words'
import { emptyText, textOf } from '@fellowship/schema/teachings/teaching-words'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { AppDatabase, type OutboxEntry } from '../client/database/app-database.ts'
import { AudioDatabase } from '../client/database/audio-database.ts'
import { chunkBytes } from '../client/database/stored-files.ts'
import { UploadDatabase, type UploadJob } from '../client/database/upload-database.ts'
import {
  appendDelete,
  appendEdit,
  applyOutbox,
  decide,
  discard,
  discardAll,
  readOutbox,
} from '../client/outbox/outbox.ts'
import { isUnchanged, kindOf, wordsOf } from '../client/outbox/entry-words.ts'
import {
  appendNewSeries,
  appendSeriesDelete,
  appendSeriesEdit,
  applySeriesOutbox,
} from '../client/outbox/series-entries.ts'
import { dropRecording, findEvicted, saveRecording } from '../client/saved-audio/audio-store.ts'
import { rebaseReplacement, seenOf } from '../client/uploads/replacement.ts'
import { addFile, chooseAgain } from '../client/uploads/upload-copy.ts'
import { copyLock } from '../client/uploads/upload-copying.ts'
import {
  cancelUpload,
  pauseUpload,
  resumeUpload,
  retryUpload,
  takeOffList,
} from '../client/uploads/upload-jobs.ts'
import { sentInMemory } from '../client/engine/rate.ts'
import { cutPowerAt, fillDeviceAt } from './crash.ts'
import { asOlderDevice, answerOf, type ServerRelease } from './releases.ts'
import { faults, type Fault } from './faults.ts'
import { uidOf, type MemoryServer } from './memory-server.ts'
import { seededRandom, type Random } from './random.ts'
import { hasWords } from './simulated-device.ts'
import { SimulatedTab, requestKinds, type TabHost } from './simulated-tab.ts'
import { SiteServer, sha256Of } from './site-server.ts'
import { installTabGlobals, TabLocks } from './tab-globals.ts'
import { inTab, VirtualTime } from './virtual-time.ts'

/**
 * Histories of one device in every run of the tests. They meet every pair of state and fault, and each seeded bug of theirs is
 * caught by one of them; the soak runs more.
 */
export const deviceHistoriesOfARun = 90

export interface DeviceHistory {
  seed: number
  steps: number
}

/** How often each pair of a state of the device and an event occurred. */
export type Coverage = Map<string, number>

/** Every pair that a run of many histories has to meet. */
export function wantedPairs(): string[] {
  const sent = requestKinds.flatMap((kind) => faults.map((fault) => pairOf(kind, fault)))
  const struck = Object.keys(events).flatMap((event) =>
    entryStates.map((state) => pairOf(`an entry ${state}`, event)),
  )
  return [...sent, ...struck]
}

const pairOf = (state: string, fault: string) => `${state} × ${fault}`

/**
 * Runs one random history of one device: its tabs with all sessions of the real client (pull, outbox, uploads, saved
 * recordings), the real leader lock, two people, and a server; time passes, and every request may meet a fault.
 *
 * The invariants, beside those that `runHistory` names by the same numbers:
 *
 * 17. The bytes of an upload leave the device only when it is published under its own person's name and with these bytes,
 *     or a person cancelled it.
 * 18. An upload becomes one teaching, however often it is sent.
 * 19. A recording of the library is whole.
 * 20. A recording that is shown as saved is whole.
 * 21. Without faults all work ends or waits for a person, even if the leader tab stays frozen.
 *
 * @throws Error naming the seed, the step and the violated invariant
 */
export async function runDeviceHistory({ seed, steps }: DeviceHistory): Promise<Coverage> {
  const time = new VirtualTime()
  const locks = new TabLocks()
  const restore = installTabGlobals(locks)
  const device = new SimulatedHousehold(seed, seededRandom(seed), time, locks)
  try {
    return await time.during(() => device.live(steps))
  } finally {
    restore()
  }
}

const people = [1, 2] as const
const startAt = Date.UTC(2026, 10, 22)

type Recording = Uint8Array<ArrayBuffer>

/** Recordings: their bytes differ, some take several requests, one more than a stored chunk. */
const recordings = [1_000, 2_000, 3_000, 4_000, 300_000, chunkBytes + 300_000].map((size, at) => {
  const bytes = new Uint8Array(size)
  const random = seededRandom(at)
  for (let offset = 0; offset < size; offset += 97) bytes[offset] = random.int(256)
  return bytes
})
/** Large ones are rare: they take longer than all others together. */
const pickRecording = (random: Random, from: readonly Recording[]) => {
  const small = from.filter(({ length }) => length < 100_000)
  return random.pick(small.length > 0 && random.chance(0.9) ? small : from)
}

const recordingsBySha256 = new Map(recordings.map((bytes) => [sha256Of(bytes), Buffer.from(bytes)]))

const entryStates = [
  ...(['queued', 'sending', 'blocked_auth', 'conflict', 'rejected'] as const).map(
    (state) => `of the outbox, ${state}`,
  ),
  ...(['queued', 'sending', 'blocked_auth', 'duplicate', 'rejected', 'done', 'lost'] as const).map(
    (state) => `of the uploads, ${state}`,
  ),
  ...(['waiting', 'ready'] as const).map((state) => `of the saved recordings, ${state}`),
]

/** States in which entries are seldom found, the rarest first. */
const fleeting = new Set([
  'of the outbox, conflict',
  'of the uploads, rejected',
  'of the saved recordings, waiting',
  'of the uploads, sending',
  'of the outbox, sending',
  'of the uploads, queued',
])
const rarestFirst = [...fleeting, ...entryStates]

/** Events of a device, besides the faults of single requests. */
const events: Record<string, (device: SimulatedHousehold) => Promise<void>> = {
  'closed tab': (device) => device.killTab(),
  'power cut': (device) => device.cutPower(),
  'frozen tab': (device) => device.freezeTab(),
  'full device': (device) => device.fillUp(),
  'captive portal': (device) => device.loseLine('foreign page'),
  'no connection': (device) => device.loseLine('lost request'),
  'silent connection': (device) => device.loseLine('hanging request'),
  'other person': (device) => device.changePerson(),
  'other session': (device) => device.changeSession(),
  'clock set back': (device) => device.setClock(-7_200_000),
  'clock set ahead': (device) => device.setClock(86_400_000),
  'newer build': (device) => device.openNewerBuild(),
  'older device': (device) => device.becomeOlder(),
  'newer server': (device) => device.replaceServer('newer'),
  'older server': (device) => device.replaceServer('older'),
  restore: (device) => device.restoreServer(),
}

class SimulatedHousehold {
  readonly #seed: number
  readonly #random: Random
  readonly #time: VirtualTime
  readonly #locks: TabLocks
  readonly #site = new SiteServer()
  readonly #host: TabHost
  readonly #reader: DeviceReader
  readonly #coverage: Coverage = new Map()
  #tabs: SimulatedTab[] = []
  #clockSkew = 0
  /** The signed-in user by the browser's session; a page may notice a change later. */
  #session: number | undefined = 1
  /** Of the server, seen from the device. */
  #server: ServerRelease = 'same'
  /** Faults of all requests, until a time; a hasty device draws no wait at all before it tries again. */
  #line: { fault: Fault; until: number; isHasty: boolean } | undefined
  #isFaulty = true
  readonly #backups: ReturnType<MemoryServer['backup']>[] = []
  #violation: string | undefined
  /** Entries that a person took out of the outbox. */
  readonly #released = new Set<number>()
  #knownEntries = new Map<number, OutboxEntry>()
  /** Uploads that a person cancelled, or whose copying was reported as failed. */
  readonly #givenUp = new Set<string>()
  readonly #knownJobs = new Map<string, UploadJob>()

  constructor(seed: number, random: Random, time: VirtualTime, locks: TabLocks) {
    const name = `device-${seed}`
    this.#seed = seed
    this.#random = random
    this.#time = time
    this.#locks = locks
    this.#reader = new DeviceReader(name)
    this.#host = {
      name,
      random,
      time,
      locks,
      now: () => this.#now(),
      faultOf: (kind) => this.#faultOf(kind),
      handle: (address, init) => this.#handle(address, init),
      onOutbox: ({ kind, entry }) => {
        if (kind === 'done') this.#acknowledge(entry)
      },
      onUpload: () => {},
      onViolation: (what) => void (this.#violation ??= what),
      jitter: () => (this.#isOut() && this.#line?.isHasty ? 0 : random.int(100) / 100),
      sent: sentInMemory(),
      asked: [],
      served: new Set(),
    }
  }

  async live(steps: number): Promise<Coverage> {
    let step = 0
    try {
      this.#site.library.commit([
        {
          kind: 'teaching',
          uid: uidOf(9),
          text: { title: 'long' },
          audio: this.#site.addRecording(recordings.at(-1)!),
        },
      ])
      for (const number of [0, 1, 2, 3]) this.#writeTeaching(number)
      this.#openTab()
      for (; step < steps; step += 1) {
        await this.#step()
        await this.#pass(this.#random.pick(passingMs))
        // Bytes take longer to look at than rows.
        await this.#check({ bytes: step % 10 === 9 })
      }
      await this.#heal()
    } catch (error) {
      throw new Error(
        `device history seed ${this.#seed}, step ${step} of ${steps}: ${(error as Error).message}`,
        {
          cause: error,
        },
      )
    } finally {
      await this.#remove()
    }
    return this.#coverage
  }

  // Events of the device.

  async killTab(): Promise<void> {
    this.#random.pick(this.#tabs).close()
    this.#forgetClosed()
  }

  /** At a random write of one of its databases. */
  async cutPower(): Promise<void> {
    const tab = this.#random.pick(this.#tabs)
    cutPowerAt(this.#random.pick(tab.databases), this.#random.int(6))
    tab.tell('online')
    await this.#pass(this.#random.pick([0, 1_000, 5_000]))
    for (const each of this.#tabs) each.close()
    this.#forgetClosed()
  }

  async freezeTab(): Promise<void> {
    const tab = this.#random.pick(this.#tabs)
    if (tab.isFrozen) tab.thaw()
    else tab.freeze()
  }

  async fillUp(): Promise<void> {
    const tab = this.#random.pick(this.#tabs)
    fillDeviceAt(this.#random.pick(tab.databases), this.#random.int(6), 1 + this.#random.int(3))
  }

  async loseLine(fault: Fault): Promise<void> {
    const isHasty = this.#random.chance(0.5)
    this.#line = { fault, until: this.#time.elapsed + 60_000, isHasty }
    // Six things more to send than one minute has requests for.
    if (isHasty && this.#random.chance(0.4)) await this.#beginSeries(6).catch(() => {})
  }

  /** Signs out, with or without the outbox, or in: the page knows it at once. */
  async changePerson(): Promise<void> {
    const tab = this.#awake()
    if (!tab) return
    if (this.#session !== undefined && this.#random.chance(0.5)) {
      if (this.#random.chance(0.2) && tab.userId !== undefined) {
        for (const { seq } of await readOutbox(tab.app, tab.userId)) this.#released.add(seq)
        await discardAll(tab.app, tab.userId).catch(() => {})
      }
      this.#session = undefined
    } else this.#session = this.#random.pick(people)
    for (const each of this.#tabs) each.setUser(this.#session)
  }

  /** Changes the session in another window, without an event for this page. */
  async changeSession(): Promise<void> {
    this.#session = this.#random.pick([undefined, ...people])
  }

  async setClock(by: number): Promise<void> {
    this.#clockSkew += by
  }

  /** A newer build has changed the shape of the rows: the open pages may not write any more, until they are reloaded. */
  async openNewerBuild(): Promise<void> {
    const { app } = this.#reader
    const before = await app.meta.get(writerKey)
    await app.meta.put({ key: writerKey, value: 99 })
    const rows = await rowsOf(app)
    await this.#pass(this.#random.pick([1_000, 70_000]))
    if ((await rowsOf(app)) !== rows) throw new Error('an outdated page has written')
    for (const each of this.#tabs) each.close()
    this.#forgetClosed()
    if (before) await app.meta.put(before)
    else await app.meta.delete(writerKey)
  }

  /** The rows, entries, uploads and recordings of the last release; this one is opened on them. */
  async becomeOlder(): Promise<void> {
    for (const each of this.#tabs) each.close()
    this.#forgetClosed()
    await asOlderDevice(this.#reader)
  }

  async replaceServer(release: ServerRelease): Promise<void> {
    this.#server = this.#server === release ? 'same' : release
  }

  async restoreServer(): Promise<void> {
    if (this.#backups.length === 0) return
    this.#site.restore(this.#random.pick(this.#backups), this.#random.pick(['backup', 'copy']))
    // Sessions are in no backup.
    this.#session = undefined
    for (let writes = this.#random.int(4); writes > 0; writes -= 1) this.#writeTeaching(this.#random.int(8))
  }

  // Actions of people.

  async #step(): Promise<void> {
    if (this.#tabs.length === 0 || (this.#tabs.length === 1 && this.#random.chance(0.2))) this.#openTab()
    const roll = this.#random.int(100)
    const present = new Set(await statesOf(this.#reader))
    const rarest = rarestFirst.find((state) => present.has(state)) ?? ''
    if (roll < 32 || (fleeting.has(rarest) && this.#random.chance(0.25))) return this.#strike(present, rarest)
    if (roll < 42) return this.#writeTeaching(this.#random.int(8))
    if (roll < 45) return void this.#backups.push(this.#site.library.backup())
    if (roll < 47) {
      const { clock } = this.#site.library.data
      return this.#site.library.purgeTombstones(clock.rev - this.#random.int(4))
    }
    if (roll < 52) return this.#awake()?.tell(this.#random.pick(['online', 'visible', 'hint']))
    const tab = this.#awake()
    if (!tab) return
    // If the device is full or its power is cut, the action fails as a whole and the screen shows the error.
    await this.#act(tab, roll).catch(() => {})
  }

  async #act(tab: SimulatedTab, roll: number): Promise<void> {
    if (roll < 68) await this.#edit(tab)
    else if (roll < 74) await this.#resolve(tab)
    else if (roll < 86) await this.#upload(tab)
    else if (roll < 92) await this.#handleUpload(tab)
    else await this.#save(tab)
  }

  /** The rarest state that is present decides which event comes next, so that each meets all in few histories. */
  async #strike(present: ReadonlySet<string>, rarest: string): Promise<void> {
    const event = this.#nextOf(rarest, Object.keys(events))
    for (const state of present) this.#count(pairOf(`an entry ${state}`, event))
    await events[event]!(this)
  }

  async #edit(tab: SimulatedTab): Promise<void> {
    const shown = await this.#screen(tab)
    if (tab.userId === undefined || shown.length === 0) return
    const teaching = this.#random.pick(shown)
    const author = { userId: tab.userId, now: this.#now() }
    if (this.#random.chance(0.3)) return this.#editSeries(tab, author)
    if (this.#random.chance(0.35)) return void (await appendDelete(tab.app, teaching, author))
    const text = { ...emptyText, ...textOf(teaching) }
    const changed = { [this.#random.pick(['title', 'speaker'])]: `word ${this.#random.int(1000)}` }
    await appendEdit(tab.app, teaching, { ...text, ...changed }, author)
    // Another user has deleted it at the same time.
    if (this.#random.chance(0.2))
      this.#site.library.commit([{ kind: 'teaching', uid: teaching.uid, deleted: true }])
  }

  async #editSeries(tab: SimulatedTab, author: { userId: number; now: number }): Promise<void> {
    const entries = await readOutbox(tab.app, tab.userId)
    const shown = applySeriesOutbox(await tab.app.series.toArray(), entries)
    const word = () => `word ${this.#random.int(1000)}`
    if (shown.length < 3)
      return void (await appendNewSeries(tab.app, { ...emptySeries, title: word() }, author))
    const row = this.#random.pick(shown)
    if (this.#random.chance(0.2)) return void (await appendSeriesDelete(tab.app, row, author))
    const field = this.#random.pick(seriesFields)
    const uids = Array.from({ length: this.#random.int(4) }, (_, at) => uidOf(at)).reverse()
    const changed = { [field]: field === 'teachings' ? uids : word() }
    await appendSeriesEdit(tab.app, row, { ...seriesTextOf(row), ...changed }, author)
    // Another user has changed it at the same time.
    if (row.rev > 0 && this.#random.chance(0.3))
      this.#site.library.commit([{ kind: 'series', uid: row.uid, text: { title: word() } }])
  }

  async #beginSeries(count: number): Promise<void> {
    const tab = this.#awake()
    if (tab?.userId === undefined) return
    const author = { userId: tab.userId, now: this.#now() }
    for (let begun = 0; begun < count; begun += 1)
      await appendNewSeries(tab.app, { ...emptySeries, title: `word ${this.#random.int(1000)}` }, author)
  }

  async #resolve(tab: SimulatedTab): Promise<void> {
    const entries = await readOutbox(tab.app, tab.userId)
    const entry = entries.find(({ state }) => state === 'conflict' || state === 'rejected')
    if (!entry) return
    const { current, mutationId, seq } = entry
    if (!current || this.#random.chance(0.3)) {
      this.#released.add(seq)
      // Without its beginning nothing else can become of a series.
      if (entry.op === 'create')
        for (const later of entries) if (later.uid === entry.uid) this.#released.add(later.seq)
      return discard(tab.app, mutationId)
    }
    if (entry.op === 'delete') return decide(tab.app, mutationId, 'delete')
    const theirs = wordsOf(entry, current)
    const decided = this.#random.chance(0.4) ? theirs : { ...theirs, ...entry.patch }
    if (isUnchanged(theirs, decided)) this.#released.add(seq)
    await decide(tab.app, mutationId, decided)
  }

  async #upload(tab: SimulatedTab): Promise<void> {
    const bytes = pickRecording(this.#random, recordings)
    const teaching = this.#random.chance(0.25) ? (await this.#screen(tab))[0] : undefined
    if (tab.userId === undefined) return
    const { id: teachingId = 0, uid, rev = 0 } = teaching ?? {}
    const fields = {
      ...emptyText,
      ...(teaching && textOf(teaching)),
      title: `upload ${this.#random.int(1000)}`,
    }
    const upload = {
      fields,
      ownerUserId: tab.userId,
      now: this.#now(),
      ...(teaching && uid && { replace: { teachingId, baseRev: rev, uid }, seen: seenOf(teaching) }),
    }
    inTab(
      tab,
      () =>
        void addFile(
          tab.uploads,
          this.#random.chance(0.25) ? unreadable : fileOf(bytes),
          upload,
          this.#copying(),
        ).catch(() => {}),
    )
  }

  async #handleUpload(tab: SimulatedTab): Promise<void> {
    const jobs = await tab.uploads.jobs.filter(({ ownerUserId }) => ownerUserId === tab.userId).toArray()
    if (jobs.length === 0) return
    const job = this.#random.pick(jobs)
    const { id, state, replace, lastError, asked } = job
    // One that the server may know has to be deleted there.
    if (this.#random.chance(asked ? 0.6 : 0.3)) {
      this.#givenUp.add(id)
      return state === 'done' ? takeOffList(tab.uploads, id) : cancelUpload(tab.uploads, id)
    }
    if (state === 'rejected' || state === 'duplicate') {
      const current = replace && lastError?.current
      return retryUpload(tab.uploads, id, current ? rebaseReplacement(job, current) : {}, this.#now())
    }
    if (state === 'lost') {
      const file = fileOf(pickRecording(this.#random, recordings))
      const again = () => chooseAgain(tab.uploads, id, file, this.#now(), this.#copying())
      return inTab(tab, () => void again().catch(() => {}))
    }
    if (this.#random.chance(0.5)) await pauseUpload(tab.uploads, id)
    else await resumeUpload(tab.uploads, id, this.#now())
  }

  async #save(tab: SimulatedTab): Promise<void> {
    const teachings = await tab.app.teachings.toArray()
    const large = teachings.find(({ audioBytes }) => (audioBytes ?? 0) > chunkBytes)
    const teaching = large && this.#random.chance(0.4) ? large : this.#random.pick(teachings)
    if (!teaching) return
    const saved = await tab.audio.recordings.toArray()
    if (saved.length > 2 && this.#random.chance(0.5)) return dropRecording(saved[0]!.key, tab.audio)
    // The browser deletes bytes by itself, which the next start finds out.
    if (saved.length > 0 && saved.every(({ state }) => state === 'ready') && this.#random.chance(0.2)) {
      await this.#reader.audio.chunks.clear()
      return void (await findEvicted(this.#reader.audio))
    }
    await saveRecording(teaching, this.#now(), tab.audio)
  }

  // The server and the line.

  async #handle(address: URL, init: RequestInit): Promise<Response> {
    const answer = await this.#site.handle(address, init, {
      userId: this.#session,
      device: this.#host.name,
      onMutation: async ({ mutationId, userId }) => {
        const entry = [...this.#knownEntries.values()].find((each) => each.mutationId === mutationId)
        if (entry && entry.ownerUserId !== userId) this.#host.onViolation('11: sent as another user')
      },
    })
    return answerOf(this.#server, answer)
  }

  #faultOf(kind: string): Fault {
    const own = () => {
      // A recording that breaks off is fetched on from there.
      if (kind === 'recording' && this.#random.chance(0.45)) return 'truncated response'
      const calm = calmOf[kind] ?? 0.6
      return this.#random.chance(calm) ? 'none' : this.#nextOf(kind, faults)
    }
    const fault = !this.#isFaulty ? 'none' : this.#isOut() ? this.#line!.fault : own()
    if (this.#isFaulty) this.#count(pairOf(kind, fault))
    return fault
  }

  #isOut(): boolean {
    return this.#line !== undefined && this.#time.elapsed < this.#line.until
  }

  /** One after the other, each history from another one on, so that all occur in few histories. */
  #nextOf<T>(what: string, list: readonly T[]): T {
    const at = this.#turns.get(what) ?? this.#seed * 5
    this.#turns.set(what, at + 1)
    return list[at % list.length]!
  }
  readonly #turns = new Map<string, number>()

  #writeTeaching(number: number): void {
    const target = { kind: 'teaching' as const, uid: uidOf(number) }
    const { library } = this.#site
    if (this.#random.chance(0.25)) return library.commit([{ ...target, deleted: true }])
    const isNew = !library.data.rows.has(`teaching:${target.uid}`)
    const free = recordings.filter(
      (bytes) => ![...library.data.rows.values()].some(({ audioUrl }) => audioUrl?.includes(sha256Of(bytes))),
    )
    const audio =
      isNew && free.length > 0 ? this.#site.addRecording(pickRecording(this.#random, free)) : undefined
    library.commit([
      { ...target, text: { title: `title ${this.#random.int(1000)}` }, ...(audio && { audio }) },
    ])
  }

  // The device.

  #now(): number {
    return startAt + this.#time.elapsed + this.#clockSkew
  }

  #openTab(): SimulatedTab {
    const tab = new SimulatedTab(this.#host)
    tab.setUser(this.#session)
    this.#tabs.push(tab)
    return tab
  }

  #forgetClosed(): void {
    this.#tabs = this.#tabs.filter(({ isClosed }) => !isClosed)
  }

  #awake(): SimulatedTab | undefined {
    return this.#tabs.find(({ isFrozen }) => !isFrozen)
  }

  /** Copying holds the lock of its job until it ends, or its page is closed. */
  #copying() {
    return {
      hold: async <T>(id: string, work: () => Promise<T>): Promise<T> =>
        (await this.#locks.request(copyLock(id), work)) as T,
      yieldToMain: () => new Promise<void>((resolve) => setTimeout(resolve)),
    }
  }

  async #screen(tab: SimulatedTab): Promise<Teaching[]> {
    return applyOutbox(await tab.app.teachings.toArray(), await readOutbox(tab.app, tab.userId))
  }

  #pass(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms))
  }

  #count(pair: string): void {
    this.#coverage.set(pair, (this.#coverage.get(pair) ?? 0) + 1)
  }

  #acknowledge(entry: OutboxEntry): void {
    const { seq, mutationId, uid, op } = entry
    this.#released.add(seq)
    const { applied, data, restores } = this.#site.library
    const isApplied = applied.some((each) => each.mutationId === mutationId)
    if (isApplied) return
    if (op !== 'delete' && restores === 0) this.#host.onViolation('3: acknowledged, but never applied')
    if (op === 'delete' && data.rows.has(`${kindOf(entry)}:${uid}`))
      this.#host.onViolation('3: a deletion was acknowledged, and the row is there')
  }

  // The invariants.

  async #check({ bytes = true } = {}): Promise<void> {
    if (this.#violation !== undefined) throw new Error(this.#violation)
    await this.#checkOutbox()
    await this.#checkUploads()
    if (bytes) {
      await this.#checkUploadBytes()
      await this.#checkSaved()
    }
    this.#checkLibrary()
  }

  /** Invariants 7, 10 and 11. */
  async #checkOutbox(): Promise<void> {
    const { app } = this.#reader
    const present = new Map((await app.outbox.toArray()).map((entry) => [entry.seq, entry]))
    const { applied, texts } = this.#site.library
    for (const [seq, entry] of this.#knownEntries) {
      if (present.has(seq) || this.#released.has(seq)) continue
      if (applied.some(({ mutationId }) => mutationId === entry.mutationId)) continue
      const isThere = this.#site.library.data.rows.has(`${kindOf(entry)}:${entry.uid}`)
      const isSame = (texts.get(entry.uid) ?? []).some((text) => hasWords(text, entry))
      if (entry.op === 'delete' ? isThere : !isSame)
        throw new Error(`7: ${entry.op} of ${entry.uid} left the outbox unacknowledged`)
    }
    this.#knownEntries = present
  }

  /** Invariant 17. */
  async #checkUploads(): Promise<void> {
    const { uploads } = this.#reader
    const jobs = new Map((await uploads.jobs.toArray()).map((job) => [job.id, job]))
    for (const job of this.#knownJobs.values()) {
      const now = jobs.get(job.id)
      const hasLeft = now === undefined || now.state === 'done'
      if (hasLeft && !this.#givenUp.has(job.id)) this.#checkPublished(now ?? job)
    }
    for (const job of jobs.values()) if (job.sha256 !== undefined) this.#knownJobs.set(job.id, job)
  }

  /** Invariant 17, of unfinished uploads. */
  async #checkUploadBytes(): Promise<void> {
    const { uploads } = this.#reader
    for (const { id, state, sha256 = '' } of await uploads.jobs.toArray()) {
      if (['copying', 'done', 'lost', 'cancelled'].includes(state)) continue
      const chunks = await uploads.chunks.where('[jobId+index]').between([id, 0], [id, Infinity]).toArray()
      if (!areWhole(chunks, sha256)) throw new Error(`17: bytes of an upload ${state} are missing`)
    }
  }

  #checkPublished({ id, uploadId, sha256, ownerUserId }: UploadJob): void {
    this.#knownJobs.delete(id)
    const published = this.#site.published.find((each) => each.uploadId === uploadId)
    if (published?.userId !== ownerUserId || published.sha256 !== sha256)
      throw new Error(`17: an upload left the device, and is ${published ? 'another’s' : 'not published'}`)
  }

  /** Invariant 20. */
  async #checkSaved(): Promise<void> {
    const { audio } = this.#reader
    for (const { key, state } of await audio.recordings.toArray()) {
      if (state !== 'ready') continue
      const chunks = await audio.chunks.where('[key+index]').between([key, 0], [key, Infinity]).toArray()
      if (!areWhole(chunks, key)) throw new Error('20: a saved recording is not whole')
    }
  }

  /** Invariants 18 and 19. */
  #checkLibrary(): void {
    const { library, published } = this.#site
    const keys = published.map(({ uploadId, restores }) => `${uploadId} ${restores}`)
    if (new Set(keys).size < keys.length) throw new Error('18: an upload was published twice')
    for (const row of library.data.rows.values()) {
      if (!row.audioUrl) continue
      const bytes = this.#site.bytesOf(row)
      // The simulation has no other recordings than these.
      if (!bytes || !recordingsBySha256.has(sha256Of(bytes)))
        throw new Error('19: a recording of the library is not whole')
    }
  }

  /** Without faults: each person in turn signs in, decides, and everything comes to its end. */
  async #heal(): Promise<void> {
    this.#isFaulty = false
    const frozen = this.#tabs.find(({ isFrozen }) => isFrozen)
    for (const tab of this.#tabs) if (tab !== frozen) tab.close()
    this.#forgetClosed()
    const tab = this.#openTab()
    // Only the frozen page has the file.
    const isCopying = (id: string) => this.#locks.isHeld(copyLock(id))
    for (const userId of [...people, ...people]) {
      this.#session = userId
      tab.setUser(userId)
      for (let round = 0; round < 40; round += 1) {
        await this.#pass(10 * 60_000)
        await this.#check()
        await this.#resolve(tab)
        if ((await unfinished(tab, isCopying)).length === 0) break
      }
      const left = await unfinished(tab, isCopying)
      if (left.length > 0) throw new Error(`21: ${left.join(', ')} without faults`)
    }
    await tab.sync.pull({ verify: true })
    const replica = [...(await tab.app.teachings.toArray()), ...(await tab.app.series.toArray())]
    const shown = replica.map(({ uid, rev }) => `${uid} ${rev}`)
    const served = [...this.#site.library.data.rows.values()].map(({ uid, rev }) => `${uid} ${rev}`)
    if (shown.sort().join() !== served.sort().join()) throw new Error('1: device and server differ')
    await this.#check()
  }

  async #remove(): Promise<void> {
    for (const tab of this.#tabs) tab.close()
    await this.#reader.remove()
  }
}

const writerKey = 'minWriterSchema'
/** The share of requests without faults; small for rare requests. */
const calmOf: Readonly<Record<string, number>> = {
  recording: 0.4,
  'rest of a recording': 0,
  remove: 0,
  offset: 0.3,
}
const passingMs = [0, 100, 1_000, 5_000, 35_000, 70_000, 600_000, 3_600_000]

const rowsOf = async (app: AppDatabase) =>
  JSON.stringify([await app.teachings.toArray(), await app.series.toArray(), await app.outbox.toArray()])

async function statesOf({ app, uploads, audio }: DeviceReader): Promise<string[]> {
  return [
    ...(await app.outbox.toArray()).map(({ state }) => `of the outbox, ${state}`),
    ...(await uploads.jobs.toArray()).map(
      ({ state }) =>
        `of the uploads, ${['creating', 'uploading', 'finalizing'].includes(state) ? 'sending' : state}`,
    ),
    ...(await audio.recordings.toArray()).map(({ state }) => `of the saved recordings, ${state}`),
  ]
}

/** The pending entries of the signed-in user that need no decision of a person. */
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
    ...heads.map(({ op, state }) => `${op} ${state}`),
    ...jobs
      .filter(({ id, state, paused }) => {
        if (state === 'copying' && isCopying(id)) return false
        return waits.includes(state) && (!paused || state === 'cancelled')
      })
      .map(({ state }) => `upload ${state}`),
    ...(await audio.recordings.filter(({ state, problem }) => state === 'waiting' && !problem).toArray()).map(
      () => 'recording waiting',
    ),
  ]
}

/** Moved or deleted since it was chosen. */
const unreadable = {
  name: 'a.mp3',
  size: 1_000,
  slice: () => ({ arrayBuffer: () => Promise.reject(new Error('gone')) }) as unknown as Blob,
}

/** Whether chunks are the recording with this hash. */
function areWhole(chunks: readonly { data: ArrayBuffer }[], sha256: string): boolean {
  const bytes = recordingsBySha256.get(sha256)
  return bytes?.equals(Buffer.concat(chunks.map(({ data }) => new Uint8Array(data)))) === true
}

const fileOf = (bytes: Uint8Array<ArrayBuffer>) => ({
  name: 'a.mp3',
  size: bytes.length,
  slice: (from: number, to: number) =>
    ({ arrayBuffer: () => Promise.resolve(bytes.slice(from, to).buffer) }) as unknown as Blob,
})

/** The databases of a device, to look at: those of a tab may be full, or closed. */
class DeviceReader {
  readonly app: AppDatabase
  readonly uploads: UploadDatabase
  readonly audio: AudioDatabase

  constructor(name: string) {
    this.app = new AppDatabase(`${name}-app`)
    this.uploads = new UploadDatabase(`${name}-uploads`)
    this.audio = new AudioDatabase(`${name}-audio`)
  }

  async remove(): Promise<void> {
    for (const db of [this.app, this.uploads, this.audio]) await db.delete()
  }
}
