import { kinds } from '@fellowship/schema/sync/sync.schema'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { AppDatabase, type OutboxEntry } from '../client/database/app-database.ts'
import { drain, retryNow, unblockEntries, requeueInterrupted } from '../client/outbox/outbox-drain.ts'
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
import { localDigest, pull } from '../client/replica/pull.ts'
import { readSyncState } from '../client/replica/sync-state.ts'
import type { Transport } from '../call/call.ts'
import { decodeCursor } from '../protocol/cursor.ts'
import { sameDigest } from '../protocol/digest.ts'
import { wordNames, textOf } from '@fellowship/schema/teachings/teaching-words'
import { digestOfAll } from '../server/change-feed.ts'
import { cutPowerAt } from './crash.ts'
import { stateOf, type MemoryServer, type Mutation } from './memory-server.ts'
import type { Random } from './random.ts'
import { testNetwork, type Fault, type NetworkOptions } from './test-network.ts'

/** What happened, so that a history that reached nothing is seen as such. */
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

const people = [1, 2] as const

/** A device of the simulation: the real client code on a database of its own, and a judge of what it does. */
export class SimulatedDevice {
  readonly #name: string
  readonly #server: MemoryServer
  readonly #random: Random
  readonly #tally: Tally
  #db: AppDatabase
  #person: number | undefined = 1
  #farthest = { epoch: '', rev: -1 }
  /** Cursors at which a pull ended with nothing more to come. */
  readonly #ends = new Set<string>()
  /** What was in the outbox when it was last looked at, by its place in the queue. */
  #pending = new Map<number, OutboxEntry>()
  /** Places whose entries may leave: acknowledged, or given up by a person. */
  readonly #released = new Set<number>()

  constructor(name: string, server: MemoryServer, random: Random, tally: Tally) {
    this.#name = name
    this.#server = server
    this.#random = random
    this.#tally = tally
    this.#db = new AppDatabase(name)
  }

  /** One pull over a line that may fail at every exchange. */
  async pull(fault: () => Fault): Promise<void> {
    await this.#pull(this.#db, { fault })
    await this.judge()
  }

  /** The person changes or deletes something that is on the screen. */
  async edit(): Promise<void> {
    if (this.#person === undefined) return
    const shown = await this.#screen()
    if (shown.length === 0) return
    const teaching = this.#random.pick(shown)
    const author = { userId: this.#person, now: 0 }
    if (this.#random.chance(0.15)) {
      await appendDelete(this.#db, teaching, author)
    } else {
      const member = this.#random.pick(['title', 'speaker'] as const)
      const edited = { ...textOf(teaching), [member]: `${this.#name}-${this.#random.int(1000)}` }
      await appendEdit(this.#db, teaching, edited, author)
      const now = (await this.#screen()).find(({ uid }) => uid === teaching.uid)
      if (now?.[member] !== edited[member]) throw new Error('9: an edit is not on the screen')
    }
    this.#tally.edits += 1
    await this.judge()
  }

  async drain(fault: () => Fault): Promise<void> {
    await this.#drain({ fault })
    await this.judge()
  }

  /** Two tabs: the answer to one is held while the server goes on and the other tab pulls. */
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
    await this.#pull(otherTab, {})
    await this.judge()
    release()
    await slow
    otherTab.close()
    this.#tally.races += 1
    await this.judge()
  }

  /** The battery dies at some write of a pull or of sending; afterwards the app is opened again. */
  async untilPowerCut(): Promise<void> {
    cutPowerAt(this.#db, this.#random.int(8))
    if (this.#random.chance(0.5)) await this.#pull(this.#db, {})
    else await this.#drain({}).catch(() => {})
    this.#db.close()
    this.#db = new AppDatabase(this.#name)
    await requeueInterrupted(this.#db)
    this.#tally.cuts += 1
    await this.judge()
  }

  /** The person looks at what needs their attention, and decides somehow. */
  async decide(): Promise<void> {
    const entries = await readOutbox(this.#db, this.#person)
    const entry = entries.find(({ state }) => state === 'conflict' || state === 'rejected')
    if (!entry) return
    const { current, mutationId, seq } = entry
    if (!current || this.#random.chance(0.3)) {
      this.#released.add(seq)
      await discard(this.#db, mutationId)
    } else if (entry.op === 'delete' && this.#random.chance(0.5)) {
      await decide(this.#db, mutationId, 'delete')
    } else {
      const theirs = textOf(current)
      const decided = this.#random.chance(0.4) ? theirs : { ...theirs, ...entry.patch }
      if (wordNames.every((field) => decided[field] === theirs[field])) this.#released.add(seq)
      await decide(this.#db, mutationId, decided)
    }
    await this.judge()
  }

  /** Somebody signs out, keeping or giving up what waits; later the same person or another signs in. */
  async changePerson(): Promise<void> {
    if (this.#person !== undefined) {
      if (this.#random.chance(0.3)) {
        for (const { seq } of await readOutbox(this.#db, this.#person)) this.#released.add(seq)
        await discardAll(this.#db, this.#person)
        if ((await readOutbox(this.#db, this.#person)).length > 0)
          throw new Error('10: entries after giving up')
      }
      this.#person = undefined
    } else {
      this.#person = this.#random.pick(people)
      await unblockEntries(this.#db, this.#person)
    }
    await this.judge()
  }

  /** The line is good: whoever has something waiting signs in, decides, and it is sent. */
  async sendEverything(): Promise<void> {
    await requeueInterrupted(this.#db)
    for (const person of people) {
      this.#person = person
      await unblockEntries(this.#db, person)
      for (let round = 0; (await readOutbox(this.#db, person)).length > 0; round += 1) {
        if (round > 100) throw new Error('8: something is stuck although the line is good')
        await retryNow(this.#db)
        await this.#drain({})
        const left = await readOutbox(this.#db, person)
        const heads = left.filter(
          ({ uid, seq }) => !left.some((other) => other.uid === uid && other.seq < seq),
        )
        const stuck = heads.find(({ state }) => state !== 'conflict' && state !== 'rejected')
        if (stuck) throw new Error(`8: an entry is ${stuck.state} although the line is good`)
        await this.decide()
      }
    }
    await this.judge()
  }

  /** The line is good: one pull, and the device must equal the server. */
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
    if (this.#violation !== undefined) throw new Error(this.#violation)
    await this.#judgeOutbox()
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
    // Rows that an answer of the server brought ahead of the feed are newer than the cursor, and rightly so.
    if (local !== then && !(await this.#isAhead(cursor.rev))) {
      throw new Error(`the device is not what the server was at revision ${cursor.rev}`)
    }
  }

  async remove(): Promise<void> {
    this.#db.close()
    await this.#db.delete()
  }

  /** 7, and 10 as far as it can be seen here. */
  async #judgeOutbox(): Promise<void> {
    const present = new Map((await this.#db.outbox.toArray()).map((entry) => [entry.seq, entry]))
    for (const [seq, entry] of this.#pending) {
      if (present.has(seq) || this.#released.has(seq)) continue
      // It may also go when the server says the same already.
      const said = (this.#server.texts.get(entry.uid) ?? []).some((text) =>
        wordNames.every((field) => entry.patch[field] === undefined || entry.patch[field] === text[field]),
      )
      if (entry.op === 'delete' || !said)
        throw new Error(`7: ${entry.op} of ${entry.uid} left the outbox unsaid`)
    }
    this.#pending = present
    for (const person of people) {
      const own = await readOutbox(this.#db, person)
      if (own.some(({ ownerUserId }) => ownerUserId !== person))
        throw new Error('10: another person’s entries')
    }
    if ((await readOutbox(this.#db, undefined)).length > 0) throw new Error('10: entries without a person')
  }

  async #isAhead(rev: number): Promise<boolean> {
    const rows = await this.#db.teachings.toArray()
    return rows.some((row) => row.rev > rev) || this.#deletedAhead
  }
  #deletedAhead = false

  async #pull(db: AppDatabase, options: NetworkOptions): Promise<void> {
    this.#tally.pulls += 1
    const onSnapshot = () => {
      this.#tally.snapshots += 1
    }
    try {
      await pull(db, this.#network(options), { now: () => 0, limit: 1 + this.#random.int(6), onSnapshot })
      this.#ends.add((await readSyncState(db)).cursor!)
      this.#deletedAhead = false
    } catch {
      // A fault ends a pull; that is what the next one is for.
    }
  }

  async #drain(options: NetworkOptions): Promise<void> {
    const { restores } = this.#server
    await retryNow(this.#db)
    await drain(this.#db, this.#network(options), {
      now: () => 0,
      userId: () => this.#person,
      random: () => this.#random.int(100) / 100,
      onEvent: ({ kind, entry }) => {
        if (kind !== 'done') return
        this.#tally.acknowledged += 1
        this.#released.add(entry.seq)
        if (entry.op === 'delete') this.#deletedAhead = true
        const done = this.#server.applied.some(({ mutationId }) => mutationId === entry.mutationId)
        // A deletion of what was gone already is done by others.
        if (!done && restores === 0 && entry.op === 'edit') this.#violated('3: acknowledged, but never done')
      },
    })
    // What the server says yes to leaves in the same breath, also when the power goes right after.
    for (const entry of this.#pending.values()) {
      if (this.#server.applied.some(({ mutationId }) => mutationId === entry.mutationId))
        this.#released.add(entry.seq)
    }
  }

  #network(options: NetworkOptions): Transport {
    return testNetwork(this.#server, {
      ...options,
      user: () => this.#person,
      device: this.#name,
      onMutation: (mutation, status) => this.#judgeMutation(mutation, status),
    })
  }

  /** 5 and 11, as the server meets a mutation. */
  async #judgeMutation({ mutationId, userId, baseRev, teachingId }: Mutation, status: number): Promise<void> {
    const entry = await find(this.#db, mutationId)
    if (entry?.ownerUserId !== userId) this.#violated('11: sent in another person’s name')
    if (status !== 409 || this.#server.restores > 0) return
    this.#tally.conflicts += 1
    const { rows } = this.#server.data
    const row = [...rows.values()].find(({ kind, id }) => kind === 'teaching' && id === teachingId)
    const since = this.#server.applied.filter(({ uid, rev }) => uid === row?.uid && rev > (baseRev ?? 0))
    const own = since.every((write) => write.device === this.#name)
    if (own) this.#violated(`5: ${row?.uid} is in conflict with its own author`)
  }

  /** What is found in the middle of an exchange would be taken for a bad line; it is said afterwards. */
  #violated(what: string): void {
    this.#violation ??= what
  }
  #violation: string | undefined

  /** What the person sees. */
  async #screen(): Promise<Teaching[]> {
    return applyOutbox(await this.#db.teachings.toArray(), await readOutbox(this.#db, this.#person))
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
