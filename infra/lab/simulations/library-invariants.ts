import { kinds, type Kind } from '@fellowship/schema/sync/sync.schema'
import { seriesFields } from '@fellowship/schema/series/series-words'
import { addedWords, wordNames } from '@fellowship/schema/teachings/teaching-words'
import type { AppDatabase, OutboxEntry } from '@fellowship/sync/client/database/app-database'
import { find, readOutbox } from '@fellowship/sync/client/outbox/outbox'
import { kindOf } from '@fellowship/sync/client/outbox/entry-words'
import { readSyncState } from '@fellowship/sync/client/replica/sync-state'
import { decodeCursor } from '@fellowship/sync/protocol/cursor'
import { isSame, type Words } from '@fellowship/sync/protocol/merge'
import { withoutAddedColumns } from './releases.ts'
import {
  stateOf,
  type MemoryRow,
  type MemoryServer,
  type Mutation,
} from '@fellowship/sync/testing/memory-server'

const addedNames: readonly string[] = addedWords

type StoredRow = { kind: Kind; uid: string; rev: number }

/**
 * Watches the library of a device, its outbox and the server, and reports each violation of the invariants 1 to 16 and 22 that
 * `runDeviceHistory` lists. A restore may undo applied mutations, so 2, 3 (of edits) and 5 are not checked after one.
 */
export class LibraryInvariants {
  readonly #server: MemoryServer
  readonly #app: AppDatabase
  readonly #device: string
  readonly #people: readonly number[]
  readonly #report: (violation: string) => void
  #lastCursor = { epoch: '', rev: -1 }
  /** Whether the device may lack members that an earlier release did not know. */
  #isOlder = false
  /** Cursors of complete pages: the device then holds the server's rows of that revision. */
  readonly #completeCursors = new Set<string>()
  /** The outbox at the last check, by `seq`. */
  #knownEntries = new Map<number, OutboxEntry>()
  /** The `seq` of entries that may leave the outbox: acknowledged or discarded. */
  readonly #released = new Set<number>()
  /** Mutations of discarded entries: the server may have applied one without the device having its answer. */
  readonly #withdrawn = new Set<string | undefined>()
  /** Words that were discarded and that no other entry or state of the server has. */
  readonly #discarded = new Set<string>()
  /** Mutations from forms that were opened before other writes of the same person. */
  readonly #late = new Set<string>()
  /** The fields of each row that a person of this device has written. */
  readonly #touched = new Set<string>()
  readonly #acknowledged = new Map<
    string,
    { kind: Kind; op: OutboxEntry['op']; rev: number; restores: number }
  >()
  /** The server's revision when a change of a row arrived: the device may show it before its cursor is there. */
  readonly #ahead = new Map<string, { restores: number; rev: number }>()

  constructor(
    server: MemoryServer,
    {
      app,
      device,
      people,
      report,
    }: { app: AppDatabase; device: string; people: readonly number[]; report: (violation: string) => void },
  ) {
    this.#server = server
    this.#app = app
    this.#device = device
    this.#people = people
    this.#report = report
  }

  /** A page of the feed that was sent to the device. */
  served({ next, more }: { next?: string; more?: boolean }): void {
    if (next === undefined) return
    // Another tab may get there by pages that lack later changes.
    if (more) this.#completeCursors.delete(next)
    else this.#completeCursors.add(next)
  }

  /** The device or its server was of an earlier release, which does not know all members of a row. */
  becameOlder(): void {
    this.#isOlder = true
    this.#completeCursors.clear()
  }

  /** Invariant 9: the person has written a word, and the screen shows this row. */
  edited(userId: number, uid: string, field: string, word: Words[string], shown: object | undefined): void {
    this.written(userId, uid, field, word)
    if (!isSame((shown as Words | undefined)?.[field], word))
      this.#report(`9: an edit of ${uid} is not on the screen`)
  }

  /** The person has written a word, possibly one that they discarded before. */
  written(userId: number, uid: string, field: string, word: Words[string]): void {
    this.#touched.add(`${userId} ${uid} ${field}`)
    this.#discarded.delete(`${uid} ${field} ${String(word)}`)
  }

  /** It was saved from a form that may have been open for long: its author has not seen even their own later words there. */
  savedLate({ mutationId }: OutboxEntry): void {
    this.#late.add(mutationId)
  }

  /** The person has decided that the entry changes nothing. */
  release({ seq }: OutboxEntry): void {
    this.#released.add(seq)
  }

  /** The person has discarded an entry, of all that are shown. */
  discarded(entry: OutboxEntry, entries: readonly OutboxEntry[]): void {
    const { uid, seq, op, patch } = entry
    this.withdraw([entry])
    const others = entries.filter((other) => other.uid === uid && other.seq !== seq)
    // Without its beginning no other entry of a series can be sent.
    if (op === 'create') this.withdraw(others)
    const known = [...(this.#server.texts.get(uid) ?? []), ...others.map((other) => other.patch)]
    for (const [field, word] of Object.entries(patch)) {
      if (isSame(word, '') || known.some((text) => isSame((text as Words)[field], word))) continue
      this.#discarded.add(`${uid} ${field} ${String(word)}`)
    }
  }

  /** The person has discarded these entries. */
  withdraw(entries: readonly OutboxEntry[]): void {
    for (const { seq, mutationId } of entries) {
      this.#released.add(seq)
      this.#withdrawn.add(mutationId)
    }
  }

  /** The outbox has reported an entry as done. */
  acknowledged(entry: OutboxEntry): void {
    const { seq, mutationId, uid, op } = entry
    this.#released.add(seq)
    const { applied, data, restores } = this.#server
    const kind = kindOf(entry)
    const done = applied.findLast((each) => each.mutationId === mutationId)
    // A write in a state that is gone says nothing of the row's revision now.
    if (done?.restores === restores) this.#acknowledged.set(uid, { kind, op, rev: done.rev, restores })
    if (done) return
    // A deletion of a deleted row is acknowledged without being applied.
    if (op !== 'delete' && restores === 0) this.#report('3: acknowledged, but never applied')
    if (op === 'delete' && data.rows.has(`${kind}:${uid}`))
      this.#report('3: a deletion was acknowledged, and the row is there')
  }

  /** Invariants 3, 4, 5, 11, 15 and 16, when a mutation reaches the server. */
  async arrived(mutation: Mutation, status: number, before: MemoryRow | undefined): Promise<void> {
    const { mutationId, userId, baseRev, text } = mutation
    const { applied, copies, restores, data } = this.#server
    const row = this.#server.rowOf(mutation)
    const entry = await find(this.#app, mutationId)
    const uid = entry?.uid ?? row?.uid
    if (uid !== undefined && status !== 409) this.#ahead.set(uid, { restores, rev: data.clock.rev })
    if (entry && entry.ownerUserId !== userId) this.#report('11: sent as another user')
    // A frozen page may send it after it was discarded.
    if (this.#withdrawn.has(mutationId)) return
    for (const [field, word] of Object.entries(text ?? {}))
      if (this.#discarded.has(`${uid} ${field} ${String(word)}`))
        this.#report(`15: the discarded ${field} of ${uid} was sent`)
    if (entry && row && row.uid !== entry.uid && status !== 404)
      this.#report(`16: a change of ${entry.uid} met ${row.uid}`)
    const names: readonly string[] = entry?.kind === 'series' ? seriesFields : wordNames
    const base = (entry?.base ?? {}) as Words
    // The base of an earlier release lacks words, and so do rows that such a server sent.
    const isUnknown = (field: string) => !(field in base) || (this.#isOlder && addedNames.includes(field))
    const hasSeen = names.every(
      (field) => isUnknown(field) || isSame(base[field], (before as never)?.[field]),
    )
    // If two copies were put back, the revision of the base may be that of other words.
    const isAmbiguous = copies >= 2 && !hasSeen
    if (status === 200 && entry?.op === 'edit' && before && row && row.uid === uid && !isAmbiguous)
      for (const field of names)
        if (
          !isSame((before as never)[field], (row as never)[field]) &&
          !this.#touched.has(`${userId} ${uid} ${field}`)
        )
          this.#report(`22: ${field} of ${uid} was changed, which its author did not touch`)
    if (entry?.baseRev === baseRev && before && !hasSeen && copies < 2)
      this.#report(`4: words of ${uid} were overwritten that its author did not see`)
    if (restores > 0) return
    const isApplied = applied.some((write) => write.mutationId === mutationId)
    // 422: a frozen page sends it as it was before it was rebased.
    if (status !== 200 && status !== 422 && isApplied)
      this.#report(`3: a mutation of ${uid} that was applied is refused with ${status}`)
    if (status !== 409) return
    const isOwn = applied
      .filter((write) => write.uid === row?.uid && write.rev > (baseRev ?? 0) && !write.isAdded)
      .every(
        (write) =>
          write.device === this.#device && write.userId === userId && !this.#withdrawn.has(write.mutationId),
      )
    if (isOwn && !this.#late.has(mutationId!))
      this.#report(`5: ${uid} conflicts with writes of its own device`)
  }

  /** The invariants that hold at any time: 6, 7, 10, 13, and the rows at a cursor. */
  async check(): Promise<void> {
    const { outbox, own, state, rows } = await this.#read()
    this.#checkOutbox(outbox)
    for (const [userId, entries] of own) {
      if (userId === undefined && entries.length > 0) throw new Error('10: entries while signed out')
      if (entries.some(({ ownerUserId }) => ownerUserId !== userId))
        throw new Error('10: another user’s entries')
    }
    this.#checkAcknowledged(rows)
    const cursor = decodeCursor(state.cursor)
    if (state.cursor === undefined || !cursor) {
      if (rows.length > 0) throw new Error('rows without a cursor')
      return
    }
    const last = this.#lastCursor
    if (cursor.epoch === last.epoch && cursor.rev < last.rev)
      throw new Error(`6: the cursor moved back from ${last.rev} to ${cursor.rev}`)
    this.#lastCursor = cursor
    if (!this.#completeCursors.has(state.cursor) || !('shape' in state)) return
    const then = this.#server.past.get(`${cursor.epoch}.${cursor.rev}`) ?? []
    const restores = Number(cursor.epoch.slice(-12))
    const isAhead = ({ uid }: StoredRow) => {
      const at = this.#ahead.get(uid)
      return at !== undefined && (at.restores > restores || (at.restores === restores && at.rev > cursor.rev))
    }
    const settled = (some: readonly StoredRow[]) => this.#stateOf(some.filter((row) => !isAhead(row)))
    if (settled(rows) !== settled(then))
      throw new Error(`the device differs from the server's state at revision ${cursor.rev}`)
  }

  /** Invariants 1, 2 and 4, once the device has pulled without faults. */
  async finish(): Promise<void> {
    const { applied, restores, copies, data } = this.#server
    const { state, rows } = await this.#read()
    const cursor = decodeCursor(state.cursor)
    if (cursor?.rev !== data.clock.rev || cursor.epoch !== data.clock.epoch)
      throw new Error('1: the cursor is not at the head')
    if (this.#stateOf(rows) !== this.#stateOf([...data.rows.values()]))
      throw new Error('1: device and server differ after a pull without faults')
    const seen = new Set<string>()
    for (const { mutationId, before, baseRev, uid, isSeen } of applied) {
      if (mutationId === undefined) continue
      if (restores === 0 && seen.has(mutationId))
        throw new Error(`2: mutation ${mutationId} was applied twice`)
      seen.add(mutationId)
      // Two copies put back give out the same revisions, so one of them says nothing of the other's words.
      if (!isSeen && copies < 2) throw new Error(`4: ${uid} was at ${before}, its author saw ${baseRev}`)
    }
  }

  #stateOf(rows: readonly StoredRow[]): string {
    return stateOf(this.#isOlder ? rows.map(withoutAddedColumns) : rows)
  }

  /** Invariant 7. */
  #checkOutbox(outbox: readonly OutboxEntry[]): void {
    const present = new Map(outbox.map((entry) => [entry.seq, entry]))
    const { applied, data, texts } = this.#server
    for (const [seq, entry] of this.#knownEntries) {
      if (present.has(seq) || this.#released.has(seq)) continue
      if (applied.some(({ mutationId }) => mutationId === entry.mutationId)) continue
      const isThere = data.rows.has(`${kindOf(entry)}:${entry.uid}`)
      // An edit may also leave when the server has the same text already.
      const hasSameText = (texts.get(entry.uid) ?? []).some((text) => hasWords(text, entry))
      if (entry.op === 'delete' ? isThere : !hasSameText)
        throw new Error(`7: ${entry.op} of ${entry.uid} left the outbox unacknowledged`)
    }
    this.#knownEntries = present
  }

  /** Invariant 13. */
  #checkAcknowledged(rows: readonly StoredRow[]): void {
    for (const [uid, { kind, op, rev, restores }] of this.#acknowledged) {
      if (restores !== this.#server.restores) continue
      const row = rows.find((each) => each.kind === kind && each.uid === uid)
      const isUndone = row !== undefined && (op === 'delete' ? row.rev <= rev : row.rev < rev)
      if (isUndone) throw new Error(`13: an acknowledged ${op} of ${uid} was undone on the device`)
    }
  }

  /** In one transaction: one for each read was half of a history's transactions. */
  async #read() {
    const app = this.#app
    return app.transaction('r', [app.outbox, ...app.replicaTables], async () => {
      const outbox = await app.outbox.toArray()
      const own = new Map<number | undefined, OutboxEntry[]>()
      for (const userId of [...this.#people, undefined]) own.set(userId, await readOutbox(app, userId))
      const rows: StoredRow[] = []
      for (const kind of kinds)
        for (const row of await app.tableOf(kind).toArray()) rows.push({ ...row, kind })
      return { outbox, own, state: await readSyncState(app), rows }
    })
  }
}

/** Whether a text has the words that an entry would write. */
const hasWords = (text: MemoryRow, { patch }: OutboxEntry): boolean =>
  Object.entries(patch).every(
    ([field, word]) => word === undefined || isSame((text as unknown as Words)[field], word),
  )
