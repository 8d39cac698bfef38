import { actingUserHeader } from '@fellowship/schema/endpoint'
import type { Transport } from '@fellowship/sync/call/call'
import { forgetCsrfToken } from '@fellowship/sync/call/csrf'
import { AppDatabase } from '@fellowship/sync/client/database/app-database'
import { AudioDatabase } from '@fellowship/sync/client/database/audio-database'
import { UploadDatabase } from '@fellowship/sync/client/database/upload-database'
import { withoutLeaderLock, withLeaderLock } from '@fellowship/sync/client/engine/leader'
import {
  requestLimits,
  requestRate,
  type RequestRate,
  type SentRequests,
} from '@fellowship/sync/client/engine/rate'
import { pause } from '@fellowship/sync/client/engine/sleep'
import type { OutboxEvent } from '@fellowship/sync/client/outbox/outbox-drain'
import {
  startOutbox,
  whenEntriesChange,
  type OutboxSession,
} from '@fellowship/sync/client/outbox/outbox-session'
import { startSync, type SyncSession } from '@fellowship/sync/client/replica/sync-session'
import {
  startDownloads,
  whenRecordingsChange,
  type AudioDownloads,
} from '@fellowship/sync/client/saved-audio/audio-downloads'
import { copyLock } from '@fellowship/sync/client/uploads/upload-copying'
import { unblockUploads, type UploadJobEvent } from '@fellowship/sync/client/uploads/upload-jobs'
import { startUploads, type UploadQueue } from '@fellowship/sync/client/uploads/upload-queue'
import { fillDeviceWhile } from '@fellowship/sync/testing/crash'
import { answerWith, isServed, type Fault } from '@fellowship/sync/testing/faults'
import type { Random } from '@fellowship/sync/testing/random'
import type { TabLocks } from '@fellowship/sync/testing/tab-globals'
import { inTab, type TabLife, type VirtualTime } from '@fellowship/sync/testing/virtual-time'

/** The simulation's part of its tabs. */
export interface TabHost {
  /** Of the device's databases. */
  name: string
  random: Random
  time: VirtualTime
  locks: TabLocks
  /** The device's clock, epoch milliseconds; it may be set back. */
  now: () => number
  /** Whether the device has no room for a chunk of a recording. */
  isFull: () => boolean
  /** The fault of a request of this kind. */
  faultOf: (kind: string) => Fault
  handle: (address: URL, init: RequestInit) => Promise<Response>
  onOutbox: (event: OutboxEvent) => void
  onUpload: (event: UploadJobEvent) => void
  onViolation: (what: string) => void
  /** Between 0 and 1, for the waits before retries. */
  jitter: () => number
  /** Shared by the tabs of the device, as those below. */
  sent: SentRequests
  /** Requests that failed or are still under way. */
  asked: AskedRequest[]
}

interface AskedRequest {
  /** Of its entry. */
  key: string
  /** When it was made, by the device's clock. */
  at: number
  isInVain: boolean
}

type Signal = 'online' | 'visible' | 'hint'

/** An open page: the sessions of the real client on real databases, with all that they start. */
export class SimulatedTab implements TabLife {
  isClosed = false
  isFrozen = false
  readonly app: AppDatabase
  readonly uploads: UploadDatabase
  readonly audio: AudioDatabase
  readonly sync: SyncSession
  readonly outbox: OutboxSession
  readonly queue: UploadQueue
  readonly downloads: AudioDownloads
  readonly #host: TabHost
  readonly #signals = new Map<Signal, Set<() => void>>()
  #userId: number | undefined
  #thaw = () => {}
  #thawed = Promise.resolve()

  constructor(host: TabHost) {
    this.#host = host
    this.app = new AppDatabase(`${host.name}-app`)
    this.uploads = new UploadDatabase(`${host.name}-uploads`)
    this.audio = new AudioDatabase(`${host.name}-audio`)
    fillDeviceWhile(this.audio, host.isFull)
    const { now } = host
    const common = {
      now,
      pause,
      transport: this.#transport,
      random: host.jitter,
      rate: this.#rate(),
      userId: () => this.#userId,
    }
    const { app, uploads, audio } = this
    const started = inTab(this, () => ({
      sync: startSync({
        ...common,
        db: app,
        listen: (event, then) => this.#listen(event, then),
        withLeaderLock: withoutLeaderLock,
        onHeal: () => host.onViolation('12: a digest differed for no known reason'),
      }),
      outbox: startOutbox({
        ...common,
        db: app,
        withLeaderLock: (work) => withLeaderLock('outbox', app, work),
        onWake: (then) =>
          both(
            whenEntriesChange(app, () => then('entries')),
            this.#onNetwork(() => then('network')),
          ),
        onEvent: host.onOutbox,
      }),
      queue: startUploads({
        ...common,
        db: uploads,
        withLeaderLock: (work) => withLeaderLock('uploads', uploads, work),
        isCopying: async (id) => host.locks.isHeld(copyLock(id)),
        copyEnded: async (id) => void (await host.locks.request(copyLock(id), () => undefined)),
        onRetryNow: (then) => this.#onNetwork(then),
        onEvent: host.onUpload,
      }),
      downloads: startDownloads({
        ...common,
        db: audio,
        hasRoom: () => Promise.resolve(!host.isFull()),
        withLeaderLock: (work) => withLeaderLock('audio-downloads', audio, work),
        onWake: (then) =>
          both(
            whenRecordingsChange(audio, () => then('recordings')),
            this.#onNetwork(() => then('network')),
          ),
      }),
    }))
    this.sync = started.sync
    this.outbox = started.outbox
    this.queue = started.queue
    this.downloads = started.downloads
  }

  get userId(): number | undefined {
    return this.#userId
  }

  /** Sets the user as the page does when it has read the session. */
  setUser(userId: number | undefined): void {
    if (userId === this.#userId) return
    this.#userId = userId
    inTab(this, () => {
      this.outbox.setUser(userId)
      this.queue.userChanged()
      if (userId === undefined) return
      void unblockUploads(this.uploads, userId, this.#host.now()).then(
        () => this.queue.retryNow(),
        () => undefined,
      )
    })
  }

  tell(signal: Signal): void {
    if (this.isFrozen || this.isClosed) return
    inTab(this, () => {
      for (const then of this.#signals.get(signal) ?? []) then()
    })
  }

  freeze(): void {
    this.isFrozen = true
    this.#thawed = new Promise((resolve) => (this.#thaw = resolve))
  }

  thaw(): void {
    this.isFrozen = false
    this.#thaw()
  }

  /** Killed: nothing of it goes on. */
  close(): void {
    this.isClosed = true
    this.#host.time.dropTimersOf(this)
    for (const db of this.databases) db.close()
    // Its databases are closed: this ends its watching.
    for (const session of [this.sync, this.outbox, this.queue, this.downloads]) session.stop()
    this.#host.locks.closeTab(this)
  }

  get databases(): [AppDatabase, UploadDatabase, AudioDatabase] {
    return [this.app, this.uploads, this.audio]
  }

  #listen(signal: Signal, then: () => void): () => void {
    const listeners = this.#signals.get(signal) ?? new Set()
    this.#signals.set(signal, listeners.add(then))
    return () => void listeners.delete(then)
  }

  #onNetwork(then: () => void): () => void {
    return both(this.#listen('online', then), this.#listen('visible', then))
  }

  readonly #transport: Transport = {
    base: 'http://server.test',
    fetch: (input, init) => this.#fetch('', input as string, init),
  }

  /** The rate limit of the real client, with a check of the requests that pass. */
  #rate(): RequestRate {
    const { now, sent, onViolation } = this.#host
    const limited = requestRate(now, sent)
    return {
      transportOf: (key, transport, options) => {
        // Of this try alone, and since it last forgot: another tab may fetch the same recording at the same time, or have
        // finished it, so that this one asks for nothing.
        let asked = 0
        let served = 0
        const counted = limited.transportOf(
          key,
          {
            base: transport.base,
            session: transport,
            fetch: (input, init) => {
              asked += 1
              return this.#fetch(key, input as string, init, () => (served += 1))
            },
          },
          options,
        )
        const forget = () => {
          if (asked > 0 && served === 0)
            onViolation(`14: nothing of ${key} was served, and its requests are forgotten`)
          asked = 0
          served = 0
          counted.forget()
        }
        return { ...counted, forget }
      },
    }
  }

  async #fetch(
    key: string,
    input: string,
    init: RequestInit = {},
    onServed: () => void = () => {},
  ): Promise<Response> {
    const address = new URL(input)
    const { asked, now } = this.#host
    const headers = new Headers(init.headers)
    const acting = headers.get(actingUserHeader)
    const isChange = headers.has('idempotency-key') && init.signal?.aborted !== true
    if (isChange && acting !== String(this.#userId))
      this.#host.onViolation('11: sent while another user is signed in')
    const own = { key, at: now(), isInVain: false }
    asked.push(own)
    const fault = this.#host.faultOf(requestKind(address, init))
    const response = await this.#request(address, init, fault).catch((error: unknown) => error as Error)
    own.isInVain = !isServed(response, fault)
    if (own.isInVain) this.#checkRate()
    else {
      onServed()
      asked.splice(0, Infinity, ...asked.filter((each) => each !== own))
    }
    // A closed page gets no answer; a frozen one reads it later.
    if (this.isClosed) return new Promise<never>(() => {})
    await this.#thawed
    if (!(response instanceof Response)) throw response
    // The page asks for another token after this.
    if (response.status === 401) forgetCsrfToken(this.#transport)
    return response
  }

  async #request(address: URL, init: RequestInit, fault: Fault): Promise<Response> {
    const { random, handle } = this.#host
    const lag = () => new Promise<void>((resolve) => setTimeout(resolve, random.int(3) * 400))
    await lag()
    if (this.isClosed) throw new TypeError('Failed to fetch')
    const response = await answerWith(fault, init, (arrived) => handle(address, arrived))
    await lag()
    return response
  }

  /** Invariant 14, of every minute that ends with a request. */
  #checkRate(): void {
    const { asked, now, onViolation } = this.#host
    // Without those of a time to come: the clock was set back since.
    const known = asked.filter((each) => each.at > now() - 10 * 60_000 && each.at <= now())
    asked.splice(0, Infinity, ...known)
    for (const { at: end, key } of known) {
      const minute = known.filter(({ at, isInVain }) => isInVain && at > end - 60_000 && at <= end)
      const own = minute.filter((each) => each.key === key).length
      if (minute.length > requestLimits.perDevice || own > requestLimits.perEntry)
        onViolation(`14: ${minute.length} requests of a device in vain in a minute, ${own} of ${key}`)
    }
  }
}

const both = (stopOne: () => void, stopOther: () => void) => () => {
  stopOne()
  stopOther()
}

/** The kind of a request, as the coverage names it. */
function requestKind({ pathname, searchParams }: URL, init: RequestInit): string {
  const { method = 'GET' } = init
  if (pathname === '/api/csrf-token') return 'token'
  if (pathname === '/api/sync') return searchParams.has('since') ? 'changes' : 'snapshot'
  if (pathname.startsWith('/audio/'))
    return new Headers(init.headers).has('range') ? 'rest of a recording' : 'recording'
  if (pathname.endsWith('/finalize')) return 'finalize'
  if (pathname.startsWith('/api/series')) return 'change of a series'
  const kinds = { POST: 'begin', HEAD: 'offset', PATCH: 'bytes', DELETE: 'remove', GET: '', PUT: 'edit' }
  const kind = kinds[method as keyof typeof kinds]
  return pathname.startsWith('/api/teachings/') && method === 'DELETE' ? 'delete' : kind
}

export const requestKinds: readonly string[] = [
  'token',
  'changes',
  'snapshot',
  'edit',
  'delete',
  'change of a series',
  'begin',
  'offset',
  'bytes',
  'finalize',
  'remove',
  'recording',
  'rest of a recording',
]
