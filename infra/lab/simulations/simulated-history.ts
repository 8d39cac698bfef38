import { AppDatabase } from '@fellowship/sync/client/database/app-database'
import { AudioDatabase } from '@fellowship/sync/client/database/audio-database'
import { UploadDatabase } from '@fellowship/sync/client/database/upload-database'
import { seededRandom, type Random } from '@fellowship/sync/testing/random'
import type { TabLocks } from '@fellowship/sync/testing/tab-globals'
import type { VirtualTime } from '@fellowship/sync/testing/virtual-time'
import { LibraryInvariants } from './library-invariants.ts'
import { SiteServer } from './site-server.ts'

/** How often each pair of a state of the device and an event occurred. */
export type Coverage = Map<string, number>

/** Histories from this seed on are wider: see `WiderEvents`. The others are as they were, step by step. */
export const firstWiderSeed = 10_000

/** The users of a device. */
export const people = [1, 2] as const
const startAt = Date.UTC(2026, 10, 22)

/** One random history: its seed, clock and server, the databases of its device, and how far it has come. */
export class SimulatedHistory {
  readonly seed: number
  readonly name: string
  readonly random: Random
  readonly time: VirtualTime
  readonly locks: TabLocks
  readonly site = new SiteServer()
  readonly reader: DeviceReader
  readonly invariants: LibraryInvariants
  readonly coverage: Coverage = new Map()
  /** The signed-in user by the browser's session; a page may notice a change later. */
  session: number | undefined = 1
  /** Until the history heals. */
  isFaulty = true
  /** Whether the device has no room for a chunk of a recording. */
  isFull = false
  /** Requests for bytes of recordings so far that met no fault. */
  recordingRequests = 0
  /** The device's clock less the true time, in milliseconds. */
  clockSkew = 0
  /** The first violated invariant. */
  violation: string | undefined
  /** Uploads that a person cancelled, or whose copying was reported as failed. */
  readonly givenUp = new Set<string>()
  readonly #turns = new Map<string, number>()

  constructor(seed: number, time: VirtualTime, locks: TabLocks) {
    this.seed = seed
    this.name = `device-${seed}`
    this.random = seededRandom(seed)
    this.time = time
    this.locks = locks
    this.reader = new DeviceReader(this.name)
    this.invariants = new LibraryInvariants(this.site.library, {
      app: this.reader.app,
      device: this.name,
      people,
      report: (violation) => this.report(violation),
    })
  }

  report(violation: string): void {
    this.violation ??= violation
  }

  /** The device's clock, epoch milliseconds. */
  now(): number {
    return startAt + this.time.elapsed + this.clockSkew
  }

  pass(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms))
  }

  count(pair: string): void {
    this.coverage.set(pair, (this.coverage.get(pair) ?? 0) + 1)
  }

  /** One after the other, each history from another one on, so that all occur in few histories. */
  nextOf<T>(what: string, list: readonly T[]): T {
    const at = this.#turns.get(what) ?? this.seed * 5
    this.#turns.set(what, at + 1)
    return list[at % list.length]!
  }
}

/** The databases of a device, to look at: those of a tab may be full, or closed. */
export class DeviceReader {
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
