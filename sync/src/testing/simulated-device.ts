import { kinds, type Kind } from '@fellowship/schema/sync/sync.schema'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { AppDatabase, type OutboxEntry } from '../client/database/app-database.ts'
import { drain, retryNow, unblockEntries } from '../client/outbox/outbox-drain.ts'
import {
  appendDelete,
  appendEdit,
  decide,
  discard,
  discardAll,
  find,
  readOutbox,
  applyOutbox,
} from '../client/outbox/outbox.ts'
import { isUnchanged, kindOf, wordsOf } from '../client/outbox/entry-words.ts'
import {
  appendNewSeries,
  appendSeriesDelete,
  appendSeriesEdit,
  applySeriesOutbox,
} from '../client/outbox/series-entries.ts'
import { localDigests, pull } from '../client/replica/pull.ts'
import { readSyncState } from '../client/replica/sync-state.ts'
import type { Transport } from '../call/call.ts'
import { dueAt } from '../client/engine/backoff.ts'
import { requestLimits, requestRate, type RequestRate } from '../client/engine/rate.ts'
import { decodeCursor } from '../protocol/cursor.ts'
import { agrees } from '../protocol/digest.ts'
import { isSame, type Words } from '../protocol/merge.ts'
import { emptySeries, seriesFields, seriesTextOf } from '@fellowship/schema/series/series-words'
import type { Series } from '@fellowship/schema/series/series.schema'
import { wordNames, textOf } from '@fellowship/schema/teachings/teaching-words'
import { digestsOfAll } from '../server/change-feed.ts'
import { cutPowerAt } from './crash.ts'
import { stateOf, uidOf, type MemoryRow, type MemoryServer, type Mutation } from './memory-server.ts'
import type { Random } from './random.ts'
import type { Fault } from './faults.ts'
import { testNetwork, type NetworkOptions } from './test-network.ts'

/** How often each event occurred, to detect a simulation that never exercises it. */
export interface Tally {
  pulls: number
  snapshots: number
  cuts: number
  races: number
  restores: number
  edits: number
  acknowledged: number
  conflicts: number
}

const userIds = [1, 2] as const

/** The time of a history, in epoch milliseconds; it passes between steps. */
export interface SimulatedClock {
  now: number
}

/** A simulated device: the real client code on its own database, with its invariants checked after each step. */
export class SimulatedDevice {
  readonly #name: string
  readonly #server: MemoryServer
  readonly #random: Random
  readonly #tally: Tally
  readonly #clock: SimulatedClock
  readonly #rate: RequestRate
  /** The times of failed requests, each with the `seq` of its outbox entry. */
  readonly #failures: { seq: number | undefined; at: number }[] = []
  /** The `seq` of each failed mutation, so that its next failure need not read the database. */
  readonly #seqs = new Map<string, number>()
  #db: AppDatabase
  #userId: number | undefined = 1
  #lastCursor = { epoch: '', rev: -1 }
  /** Cursors at which a pull ended with nothing more to come. */
  readonly #pullEndCursors = new Set<string>()
  /** The outbox at the last check, by `seq`. */
  #knownEntries = new Map<number, OutboxEntry>()
  /** Mutations whose entries were discarded. One may have reached the server without the device having its answer. */
  readonly #withdrawn = new Set<string | undefined>()
  /** The `seq` of entries that may leave the outbox: acknowledged or discarded. */
  readonly #released = new Set<number>()

  constructor(name: string, server: MemoryServer, random: Random, tally: Tally, clock: SimulatedClock) {
    this.#name = name
    this.#clock = clock
    this.#rate = requestRate(() => clock.now)
    this.#server = server
    this.#random = random
    this.#tally = tally
    this.#db = new AppDatabase(name)
  }

  /** One pull in which any request may fail. */
  async pull(fault: () => Fault): Promise<void> {
    await this.#pull(this.#db, { fault })
    await this.checkInvariants()
  }

  /** The user edits or deletes a teaching on the screen, or a series, or begins one. */
  async edit(): Promise<void> {
    if (this.#userId === undefined) return
    if (this.#random.chance(0.25)) return this.#editSeries(this.#userId)
    const shown = await this.#screen()
    if (shown.length === 0) return
    const teaching = this.#random.pick(shown)
    const author = { userId: this.#userId, now: this.#clock.now }
    if (this.#random.chance(0.15)) {
      await appendDelete(this.#db, teaching, author)
    } else {
      const member = this.#random.pick(['title', 'speaker'] as const)
      const edited = { ...textOf(teaching), [member]: `${this.#name}-${this.#random.int(1000)}` }
      this.#discarded.delete(`${teaching.uid} ${member} ${edited[member]}`)
      await appendEdit(this.#db, teaching, edited, author)
      const now = (await this.#screen()).find(({ uid }) => uid === teaching.uid)
      if (now?.[member] !== edited[member]) throw new Error('9: an edit is not on the screen')
    }
    this.#tally.edits += 1
    await this.checkInvariants()
  }

  async #editSeries(userId: number): Promise<void> {
    const author = { userId, now: this.#clock.now }
    const shown = await this.#seriesScreen()
    if (shown.length === 0 || this.#random.chance(0.2)) {
      await this.#beginSeries(userId)
    } else {
      const row = this.#random.pick(shown)
      if (this.#random.chance(0.15)) {
        await appendSeriesDelete(this.#db, row, author)
      } else {
        const member = this.#random.pick(seriesFields)
        const order = Array.from({ length: this.#random.int(4) }, (_, at) =>
          uidOf((at * 3 + 1) % 7),
        ).reverse()
        const edited = { ...seriesTextOf(row), [member]: member === 'teachings' ? order : this.#text() }
        this.#discarded.delete(`${row.uid} ${member} ${String(edited[member])}`)
        await appendSeriesEdit(this.#db, row, edited, author)
        const now = (await this.#seriesScreen()).find(({ uid }) => uid === row.uid)
        if (!isSame(now?.[member], edited[member])) throw new Error('9: an edit is not on the screen')
      }
    }
    this.#tally.edits += 1
    await this.checkInvariants()
  }

  async #beginSeries(userId: number): Promise<void> {
    const author = { userId, now: this.#clock.now }
    await appendNewSeries(this.#db, { ...emptySeries, title: this.#text() }, author)
  }

  #text(): string {
    return `${this.#name}-${this.#random.int(1000)}`
  }

  /** One drain of the outbox in which any request may fail. */
  async drain(fault: () => Fault): Promise<void> {
    await this.#drain({ fault })
    await this.checkInvariants()
  }

  /**
   * Retries without a wait, with the same failing answer each time, or with another user's change to another word of the
   * row just before.
   */
  async sendAndFail(): Promise<void> {
    if (this.#userId === undefined) return
    await this.edit()
    // More to send than one minute has requests for.
    const begins = this.#random.chance(0.3) ? 6 : 0
    for (let begun = 0; begun < begins; begun += 1) await this.#beginSeries(this.#userId)
    await this.checkInvariants()
    const fault = this.#random.pick([undefined, ...vainFaults])
    // If a violation was found, no more faults are injected; it is thrown when this has ended.
    const isOver = () => this.#violation !== undefined
    const given: NetworkOptions = fault
      ? { fault: () => (isOver() ? 'none' : fault) }
      : { onArrival: async (mutation) => (isOver() ? undefined : this.#changeBefore(mutation)) }
    await this.#drain(given, () => 0)
    await this.checkInvariants()
  }

  async #changeBefore(mutation: Mutation): Promise<void> {
    const row = this.#server.rowOf(mutation)
    const entry = await find(this.#db, mutation.mutationId)
    const word = ['title', 'description'].find((each) => !(each in (entry?.patch ?? {})))
    if (!row || !word) return
    const { kind, uid } = row
    this.#server.commit([{ kind, uid, text: { [word]: `${word}-${this.#random.int(1_000_000)}` } }])
  }

  /** Two tabs: one tab's response is delayed while the server changes and the other tab pulls. */
  async race(meanwhile: () => void): Promise<void> {
    const otherTab = new AppDatabase(this.#name)
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    let reached = () => {}
    const answered = new Promise<void>((resolve) => (reached = resolve))
    const hold = () => {
      reached()
      return held
    }
    const slow = this.#pull(this.#db, { hold })
    await answered
    meanwhile()
    if (this.#random.chance(0.5)) await this.#pull(otherTab, {})
    else await this.#drain({})
    await this.checkInvariants()
    release()
    await slow
    otherTab.close()
    this.#tally.races += 1
    await this.checkInvariants()
  }

  /** The power is cut at a random write of a pull or a drain; then the app restarts. */
  async untilPowerCut(): Promise<void> {
    cutPowerAt(this.#db, this.#random.int(mostWrites))
    if (this.#random.chance(0.5)) await this.#pull(this.#db, {})
    else await this.#drain({}).catch(() => {})
    this.#db.close()
    this.#db = new AppDatabase(this.#name)
    this.#tally.cuts += 1
    await this.checkInvariants()
  }

  /** The user resolves the first conflict or rejection in a random way. */
  async resolveProblem(): Promise<void> {
    const entries = await readOutbox(this.#db, this.#userId)
    const entry = entries.find(({ state }) => state === 'conflict' || state === 'rejected')
    if (!entry) return
    const { current, mutationId, seq } = entry
    if (!current || this.#random.chance(0.3)) {
      this.#released.add(seq)
      this.#withdrawn.add(mutationId)
      this.#noteDiscarded(entry, entries)
      // Without its beginning nothing else can become of a series.
      if (entry.op === 'create')
        for (const later of entries) if (later.uid === entry.uid) this.#released.add(later.seq)
      await discard(this.#db, mutationId)
    } else if (entry.op === 'delete' && this.#random.chance(0.5)) {
      await decide(this.#db, mutationId, 'delete')
    } else {
      const theirs = wordsOf(entry, current)
      const resolution = this.#random.chance(0.4) ? theirs : { ...theirs, ...entry.patch }
      if (isUnchanged(theirs, resolution)) this.#released.add(seq)
      await decide(this.#db, mutationId, resolution)
    }
    await this.checkInvariants()
  }

  /** The user signs out, keeping or discarding their outbox; or, when signed out, a random user signs in. */
  async switchUser(): Promise<void> {
    if (this.#userId !== undefined) {
      if (this.#random.chance(0.3)) {
        for (const { seq, mutationId } of await readOutbox(this.#db, this.#userId)) {
          this.#released.add(seq)
          this.#withdrawn.add(mutationId)
        }
        await discardAll(this.#db, this.#userId)
        if ((await readOutbox(this.#db, this.#userId)).length > 0)
          throw new Error('10: entries left after discarding all')
      }
      this.#userId = undefined
    } else {
      this.#userId = this.#random.pick(userIds)
      await unblockEntries(this.#db, this.#userId)
    }
    await this.checkInvariants()
  }

  /** Without faults: each user signs in, resolves their conflicts, and sends all entries. */
  async sendAll(): Promise<void> {
    for (const userId of userIds) {
      this.#userId = userId
      await unblockEntries(this.#db, userId)
      for (let round = 0; (await readOutbox(this.#db, userId)).length > 0; round += 1) {
        if (round > 100) throw new Error('8: the outbox does not become empty without faults')
        // The backoffs and the bounds of the rate are over by then.
        this.#clock.now += 10 * 60_000
        await this.#drain({})
        const left = await readOutbox(this.#db, userId)
        const heads = left.filter(
          ({ uid, seq }) => !left.some((other) => other.uid === uid && other.seq < seq),
        )
        // The clock may have been set back since a time was noted: one of the past hour is waited for.
        const stuck = heads.find(
          (entry) =>
            entry.state !== 'conflict' &&
            entry.state !== 'rejected' &&
            dueAt(entry, this.#clock.now) <= this.#clock.now,
        )
        if (stuck) throw new Error(`8: an entry is ${stuck.state} without faults`)
        await this.resolveProblem()
      }
    }
    await this.checkInvariants()
  }

  /** Without faults: after one pull the device must equal the server. */
  async settle(): Promise<void> {
    await pull(this.#db, testNetwork(this.#server), { now: () => 0 })
    const { clock, rows } = this.#server.data
    const cursor = decodeCursor((await readSyncState(this.#db)).cursor)
    if (cursor?.rev !== clock.rev || cursor.epoch !== clock.epoch)
      throw new Error('1: the cursor is not at the head')
    const local = await this.#state()
    if (local !== stateOf([...rows.values()]))
      throw new Error('1: device and server differ after a pull without faults')
    const remote = await this.#server.consistently(digestsOfAll)
    if (!agrees(await localDigests(this.#db), remote)) throw new Error('12: the digests differ')
  }

  /** Checks the invariants that hold after every step. */
  async checkInvariants(): Promise<void> {
    if (this.#violation !== undefined) throw new Error(this.#violation)
    const { outbox, ownOutboxes, cursor: stored, rows } = await this.#read()
    this.#checkOutbox(outbox, ownOutboxes)
    this.#checkAcknowledged(rows)
    const cursor = decodeCursor(stored)
    const local = stateOf(rows)
    if (!stored || !cursor) {
      if (local !== '') throw new Error('rows without a cursor')
      return
    }
    if (cursor.epoch === this.#lastCursor.epoch && cursor.rev < this.#lastCursor.rev) {
      throw new Error(`6: the cursor moved back from ${this.#lastCursor.rev} to ${cursor.rev}`)
    }
    this.#lastCursor = cursor
    if (!this.#pullEndCursors.has(stored)) return
    const then = this.#server.past.get(`${cursor.epoch}.${cursor.rev}`)
    // Rows acknowledged since are newer than the cursor.
    if (this.#withoutAhead(local) !== this.#withoutAhead(then ?? '')) {
      throw new Error(`the device differs from the server's state at revision ${cursor.rev}`)
    }
  }

  async remove(): Promise<void> {
    this.#db.close()
    await this.#db.delete()
  }

  /** Reads the state that the invariants check, in one transaction, as one per read doubled a history's transactions. */
  async #read() {
    const db = this.#db
    return db.transaction('r', [db.outbox, ...db.replicaTables], async () => {
      const outbox = await db.outbox.toArray()
      const ownOutboxes = new Map<number | undefined, OutboxEntry[]>()
      for (const userId of [...userIds, undefined]) ownOutboxes.set(userId, await readOutbox(db, userId))
      const { cursor } = await readSyncState(db)
      return { outbox, ownOutboxes, cursor, rows: await readRows(db) }
    })
  }

  /** Checks invariants 7 and 10. */
  #checkOutbox(
    outbox: readonly OutboxEntry[],
    ownOutboxes: ReadonlyMap<number | undefined, readonly OutboxEntry[]>,
  ): void {
    const present = new Map(outbox.map((entry) => [entry.seq, entry]))
    for (const [seq, entry] of this.#knownEntries) {
      if (!present.has(seq)) this.#ahead.set(entry.uid, seq)
      if (present.has(seq) || this.#released.has(seq)) continue
      // An edit may also leave when the server has the same text already.
      const hasSameText = (this.#server.texts.get(entry.uid) ?? []).some((text) => hasWords(text, entry))
      if (entry.op === 'delete' || !hasSameText)
        throw new Error(`7: ${entry.op} of ${entry.uid} left the outbox unacknowledged`)
    }
    this.#knownEntries = present
    for (const [userId, own] of ownOutboxes) {
      if (userId === undefined && own.length > 0) throw new Error('10: entries while signed out')
      if (own.some(({ ownerUserId }) => ownerUserId !== userId)) throw new Error('10: another user’s entries')
    }
  }

  /** A state without the rows of which a change was acknowledged since the last pull. */
  #withoutAhead(state: string): string {
    const lines = state.split('\n')
    return lines
      .filter((line) => !this.#ahead.has(/^(?:teaching|series):([^:]+):/.exec(line)?.[1] ?? ''))
      .join('\n')
  }
  /** The last entry that left, by the uid of its row. */
  readonly #ahead = new Map<string, number>()

  /** Checks invariant 13: the row of an acknowledged change is not replaced by an older one. */
  #checkAcknowledged(rows: readonly StoredRow[]): void {
    for (const [uid, { kind, op, rev, restores }] of this.#acknowledged) {
      if (restores !== this.#server.restores) continue
      const row = rows.find((each) => each.kind === kind && each.uid === uid)
      const isUndone = row !== undefined && (op === 'delete' ? row.rev <= rev : row.rev < rev)
      if (isUndone) throw new Error(`13: an acknowledged ${op} of ${uid} was undone on the device`)
    }
  }
  readonly #acknowledged = new Map<
    string,
    { kind: ReturnType<typeof kindOf>; op: OutboxEntry['op']; rev: number; restores: number }
  >()

  async #pull(db: AppDatabase, options: NetworkOptions): Promise<void> {
    this.#tally.pulls += 1
    const ahead = [...this.#ahead]
    const onSnapshot = () => {
      this.#tally.snapshots += 1
    }
    try {
      await pull(db, this.#network(options), {
        now: () => this.#clock.now,
        limit: 1 + this.#random.int(6),
        onSnapshot,
      })
      this.#pullEndCursors.add((await readSyncState(db)).cursor!)
      // Rows acknowledged during this pull may be missing from its pages.
      for (const [uid, seq] of ahead) if (this.#ahead.get(uid) === seq) this.#ahead.delete(uid)
    } catch {
      // A fault ends this pull; a later one catches up.
    }
  }

  /** @param jitter between 0 and 1, for the waits before retries */
  async #drain(options: NetworkOptions, jitter = () => this.#random.int(100) / 100): Promise<void> {
    const { restores } = this.#server
    if (this.#random.chance(0.3)) await retryNow(this.#db, this.#random.pick(['asked', 'network']))
    await drain(this.#db, this.#network(options), {
      now: () => this.#clock.now,
      rate: this.#rate,
      userId: () => this.#userId,
      random: jitter,
      onEvent: ({ kind, entry }) => {
        if (kind !== 'done') return
        this.#tally.acknowledged += 1
        this.#released.add(entry.seq)
        const done = this.#server.applied.findLast(({ mutationId }) => mutationId === entry.mutationId)
        const changed = kindOf(entry)
        // If the server was restored since, the revision of the applied mutation may differ from the row's present one.
        if (done?.restores === restores)
          this.#acknowledged.set(entry.uid, { kind: changed, op: entry.op, rev: done.rev, restores })
        // Deleting a row that is deleted already is acknowledged without being applied.
        if (!done && restores === 0 && entry.op !== 'delete')
          this.#recordViolation('3: acknowledged, but never applied')
        const isThere = this.#server.data.rows.has(`${changed}:${entry.uid}`)
        if (!done && entry.op === 'delete' && isThere)
          this.#recordViolation('3: a deletion was acknowledged, and the row is there')
      },
    })
    // A power cut may follow the removal of an acknowledged entry, before its event is emitted.
    for (const entry of this.#knownEntries.values()) {
      if (this.#server.applied.some(({ mutationId }) => mutationId === entry.mutationId))
        this.#released.add(entry.seq)
    }
  }

  #network(options: NetworkOptions): Transport {
    return testNetwork(this.#server, {
      ...options,
      user: () => this.#userId,
      device: this.#name,
      onFailure: (key) => this.#checkRate(key),
      onMutation: (...request) => this.#checkMutation(...request),
    })
  }

  /** Notes the words that go with a discarded entry: no later entry has them, and the server never had. */
  #noteDiscarded({ uid, seq, patch }: OutboxEntry, entries: readonly OutboxEntry[]): void {
    const known = [
      ...(this.#server.texts.get(uid) ?? []),
      ...entries.filter((other) => other.uid === uid && other.seq !== seq).map((other) => other.patch),
    ]
    for (const [field, word] of Object.entries(patch)) {
      if (isSame(word, '') || known.some((text) => isSame((text as Words)[field], word))) continue
      this.#discarded.add(`${uid} ${field} ${String(word)}`)
    }
  }
  readonly #discarded = new Set<string>()

  /** Checks invariants 3, 4, 5, 11, 15 and 16 when a mutation reaches the server. */
  async #checkMutation(mutation: Mutation, status: number, before: MemoryRow | undefined): Promise<void> {
    const { mutationId, userId, baseRev, text } = mutation
    const entry = await find(this.#db, mutationId)
    if (entry?.ownerUserId !== userId) this.#recordViolation('11: sent as another user')
    for (const [field, word] of Object.entries(text ?? {}))
      if (this.#discarded.has(`${entry?.uid} ${field} ${String(word)}`))
        this.#recordViolation(`15: the discarded ${field} of ${entry?.uid} was sent`)
    const row = this.#server.rowOf(mutation)
    if (entry && row && row.uid !== entry.uid && status !== 404)
      this.#recordViolation(`16: a change of ${entry.uid} met ${row.uid}`)
    const names = entry?.kind === 'series' ? seriesFields : wordNames
    const base: Words = entry?.base ?? {}
    const hasSeen = names.every((field) => isSame(base[field], before?.[field]))
    if (entry && before && !hasSeen && this.#server.copies < 2)
      this.#recordViolation(`4: words of ${entry.uid} were overwritten that its author did not see`)
    if (this.#server.restores > 0) return
    if (status !== 200 && this.#server.applied.some((write) => write.mutationId === mutationId))
      this.#recordViolation(`3: a mutation of ${row?.uid} that was applied is refused with ${status}`)
    if (status !== 409) return
    this.#tally.conflicts += 1
    const since = this.#server.applied.filter(
      ({ uid, rev, isAdded }) => uid === row?.uid && rev > (baseRev ?? 0) && !isAdded,
    )
    const own = since.every(
      (write) =>
        write.device === this.#name && write.userId === userId && !this.#withdrawn.has(write.mutationId),
    )
    if (own) this.#recordViolation(`5: ${row?.uid} conflicts with writes of its own device`)
  }

  /** Checks invariant 14 at each failed request. */
  async #checkRate(mutationId: string): Promise<void> {
    const seq = this.#seqs.get(mutationId) ?? (await find(this.#db, mutationId))?.seq
    if (seq !== undefined) this.#seqs.set(mutationId, seq)
    this.#failures.push({ seq, at: this.#clock.now })
    const recent = this.#failures.filter(({ at }) => at > this.#clock.now - 60_000 && at <= this.#clock.now)
    const own = recent.filter((failure) => failure.seq === seq).length
    if (recent.length > requestLimits.perDevice || own > requestLimits.perEntry)
      this.#recordViolation(
        `14: ${recent.length} requests of a device in vain in a minute, ${own} of one entry`,
      )
  }

  /** Records a violation for the next check: thrown inside a request, it would pass for a network error. */
  #recordViolation(what: string): void {
    this.#violation ??= what
  }
  #violation: string | undefined

  /** The rows that the user sees. */
  async #screen(): Promise<Teaching[]> {
    return applyOutbox(await this.#db.teachings.toArray(), await readOutbox(this.#db, this.#userId))
  }

  async #seriesScreen(): Promise<Series[]> {
    return applySeriesOutbox(await this.#db.series.toArray(), await readOutbox(this.#db, this.#userId))
  }

  async #state(): Promise<string> {
    return this.#db.transaction('r', this.#db.replicaTables, async () => stateOf(await readRows(this.#db)))
  }
}

/** Answers after which the same entry is due again. */
const vainFaults: readonly Fault[] = [
  'lost request',
  'bad gateway',
  'overloaded',
  'token refused',
  'foreign JSON',
  'foreign page',
  'empty answer',
]

type StoredRow = { kind: Kind; uid: string; rev: number }

/** Every row of the replica. */
async function readRows(db: AppDatabase): Promise<StoredRow[]> {
  const rows = []
  for (const kind of kinds) {
    for (const row of await db.tableOf(kind).toArray()) rows.push({ ...row, kind })
  }
  return rows
}

/** Beyond the writes of a page: two of each kind, and its cursor. */
const mostWrites = 2 * kinds.length + 3

/** Whether a text has the words that an entry would write. */
export const hasWords = (text: MemoryRow, { patch }: OutboxEntry): boolean =>
  Object.entries(patch).every(
    ([field, word]) => word === undefined || isSame((text as unknown as Words)[field], word),
  )
