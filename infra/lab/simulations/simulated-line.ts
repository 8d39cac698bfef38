import { find } from '@fellowship/sync/client/outbox/outbox'
import { faults, type Fault } from '@fellowship/sync/testing/faults'
import type { Mutation } from '@fellowship/sync/testing/memory-server'
import { answerOf, type ServerRelease } from './releases.ts'
import type { SimulatedHistory } from './simulated-history.ts'
import { pairOf } from './simulated-states.ts'

/** The line between a device and its server: the faults of requests, and changes by other users as they arrive. */
export class SimulatedLine {
  readonly #history: SimulatedHistory
  /** Of the server, seen from the device. */
  server: ServerRelease = 'same'
  /** Until this time, another user changes each row just before a change of it arrives. */
  rivalUntil = 0
  /** Until this time, requests meet no fault, and each page is sent to the device only at it. */
  heldUntil = 0
  /** Requests that `failRecordings` has failed. */
  failedRecordings = 0
  /** Until this time, every request for a recording fails, and no other. */
  #recordingsFailUntil = 0
  /** Faults of all requests, until a time; a hasty device draws no wait at all before it tries again. */
  #outage: { fault: Fault; until: number; isHasty: boolean } | undefined

  constructor(history: SimulatedHistory) {
    this.#history = history
  }

  /** All requests of the next minute meet this fault. */
  lose(fault: Fault, isHasty: boolean): void {
    this.#outage = { fault, until: this.#history.time.elapsed + 60_000, isHasty }
  }

  failRecordings(ms: number): void {
    this.#recordingsFailUntil = this.#history.time.elapsed + ms
  }

  async handle(address: URL, init: RequestInit): Promise<Response> {
    const answer = await this.#history.site.handle(address, init, {
      userId: this.#history.session,
      device: this.#history.name,
      ...(this.#history.random.chance(0.5) && { limit: 1 + this.#history.random.int(6) }),
      onArrival: (mutation) => this.#rival(mutation),
      onMutation: async (mutation, status, before) => {
        await this.#history.invariants.arrived(mutation, status, before)
        if (status === 200) this.#changeAfter(mutation)
      },
    })
    if (address.pathname === '/api/sync' && answer.status === 200) {
      const page = (await answer.clone().json()) as { next?: string; more?: boolean }
      if (page.more) this.#history.count('a page that is followed by more')
      this.#history.invariants.served(page)
      const heldMs = this.heldUntil - this.#history.time.elapsed
      if (heldMs > 0) await this.#history.pass(heldMs)
    }
    return answerOf(this.server, answer)
  }

  /** If the answer is lost, the same change arrives again, and must not undo this. */
  #changeAfter(mutation: Mutation): void {
    if (!this.#history.isFaulty || !this.#history.random.chance(0.2)) return
    const row = this.#history.site.library.rowOf(mutation)
    const word = ['title', 'speaker', 'description'].find((each) => each in (mutation.text ?? {}))
    if (!row || !word) return
    const { kind, uid } = row
    this.#history.site.library.commit([
      { kind, uid, text: { [word]: `${word} ${this.#history.random.int(1_000_000)}` } },
    ])
    this.#history.count('a change by another user just after')
  }

  async #rival(mutation: Mutation): Promise<void> {
    if (!this.#history.isFaulty || this.#history.time.elapsed >= this.rivalUntil) return
    const row = this.#history.site.library.rowOf(mutation)
    const entry = await find(this.#history.reader.app, mutation.mutationId)
    const word = ['title', 'description'].find((each) => !(each in (entry?.patch ?? {})))
    if (!row || !word) return
    const { kind, uid } = row
    this.#history.site.library.commit([
      { kind, uid, text: { [word]: `${word} ${this.#history.random.int(1_000_000)}` } },
    ])
    this.#history.count('a change by another user just before')
  }

  faultOf(kind: string): Fault {
    const isRecording = kind.endsWith('recording')
    if (this.#history.isFaulty && this.#history.time.elapsed < this.#recordingsFailUntil) {
      if (isRecording) this.failedRecordings += 1
      return isRecording ? 'overloaded' : 'none'
    }
    const own = () => {
      // A recording that breaks off is fetched on from there.
      if (kind === 'recording' && this.#history.random.chance(0.45)) return 'truncated response'
      const calm = calmOf[kind] ?? 0.6
      return this.#history.random.chance(calm) ? 'none' : this.#history.nextOf(kind, faults)
    }
    const isQuiet = !this.#history.isFaulty || this.#history.time.elapsed < this.heldUntil
    const fault = isQuiet ? 'none' : this.#isOut() ? this.#outage!.fault : own()
    if (isRecording && fault === 'none') this.#history.recordingRequests += 1
    if (this.#history.isFaulty) this.#history.count(pairOf(kind, fault))
    return fault
  }

  isHasty(): boolean {
    // Invariant 23 counts what chance draws: without any wait the limit of a minute alone would hold.
    if (this.#history.time.elapsed < this.#recordingsFailUntil) return false
    return this.#history.time.elapsed < this.rivalUntil || (this.#isOut() && this.#outage?.isHasty === true)
  }

  #isOut(): boolean {
    return this.#outage !== undefined && this.#history.time.elapsed < this.#outage.until
  }
}

/** The share of requests without faults; small for rare requests. */
const calmOf: Readonly<Record<string, number>> = {
  recording: 0.4,
  'rest of a recording': 0,
  remove: 0,
  delete: 0.4,
  edit: 0.4,
  bytes: 0.4,
  finalize: 0.4,
  offset: 0.3,
}
