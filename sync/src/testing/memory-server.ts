import { problems } from '@fellowship/schema/problem'
import { kinds, type Change, type Kind } from '@fellowship/schema/sync/sync.schema'
import type { SeriesText } from '@fellowship/schema/series/series-words'
import { emptyText, wordNames, type TeachingText } from '@fellowship/schema/teachings/teaching-words'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { FeedClock, FeedPort, FeedView, Row } from '../server/change-feed.ts'
import { isRepeated, refusalFor, type DoneMutation, type Present, type Target } from '../server/mutation.ts'

/**
 * A write on the server: new text for a row, with its new recording if any; its deletion; or an addition of the server
 * itself adds to a teaching that is there.
 */
export type Write = { kind: Kind; uid: string } & (
  | { text: Partial<TeachingText> | Partial<SeriesText>; audio?: MemoryAudio }
  | { deleted: true }
  | { loudness: number }
)

export type MemoryAudio = Pick<Teaching, 'audioUrl' | 'audioBytes' | 'audioMime'>

/** A row of any kind; it has the words of its own. */
export type MemoryRow = Row &
  TeachingText &
  MemoryAudio & {
    kind: Kind
    id: number
    teachings?: readonly string[]
    loudness?: number | null
    /** Since when its words and its recording are the same. */
    changedRev: number
  }

interface Data {
  clock: FeedClock
  /** The revision at which the epoch began. */
  epochRev: number
  /** The number of the next new row. */
  nextId: number
  /** 'kind:uid' → row */
  rows: Map<string, MemoryRow>
  /** 'kind:uid' → newest change */
  changes: Map<string, { kind: Kind; uid: string; rev: number; op: 'put' | 'del' }>
  /** Applied mutations by idempotency key, with the responses sent. */
  done: Map<string, DoneMutation & { response: unknown }>
}

export interface Mutation extends DoneMutation, Target {
  mutationId: string
  kind: 'teaching' | 'series'
  /** Of a teaching; a series is named by its uid alone. */
  teachingId: number
  op: 'create' | 'edit' | 'delete'
  text?: Partial<TeachingText> | Partial<SeriesText>
  /** The sending device; used by the invariants only. */
  device: string
}

/** One applied write, for the invariants. */
export interface Applied {
  mutationId: string | undefined
  device: string | undefined
  userId: number | undefined
  uid: string
  before: number | undefined
  baseRev: number | undefined
  rev: number
  /** How many restores were before it. */
  restores: number
  /** Whether the server itself added something. */
  isAdded: boolean
  /** Whether the words and the recording of `baseRev` were those of `before`. */
  isSeen: boolean
}

/** An in-memory server: the rules of the database's triggers over plain maps, with the history of every state. */
export class MemoryServer implements FeedPort {
  #data: Data = {
    clock: { epoch: epochOf(0), rev: 0, floor: 0 },
    epochRev: 0,
    nextId: 1,
    rows: new Map(),
    changes: new Map(),
    done: new Map(),
  }
  /** The rows at each '<epoch>.<rev>', to compare devices with while a history is running. */
  readonly past = new Map<string, readonly MemoryRow[]>()
  readonly applied: Applied[] = []
  /** Every text each row has ever had, by uid. */
  readonly texts = new Map<string, MemoryRow[]>()
  /** The text of each revision that was given out last, by '<uid>.<rev>'. */
  readonly #versions = new Map<string, string>()
  restores = 0
  copies = 0

  constructor() {
    this.#recordState()
  }

  get data(): Data {
    return this.#data
  }

  /** Commits one transaction under one revision. Writes that change nothing are skipped. */
  commit(
    writes: readonly Write[],
    by: Partial<Pick<Mutation, 'mutationId' | 'device' | 'userId' | 'baseRev'>> = {},
  ): void {
    const { clock, rows, changes } = this.#data
    const rev = clock.rev + 1
    let wrote = false
    for (const write of writes) {
      const { kind, uid } = write
      const key = `${kind}:${uid}`
      const before = rows.get(key)
      if ('deleted' in write) {
        if (!rows.delete(key)) continue
      } else if ('loudness' in write) {
        if (!before || before.loudness === write.loudness) continue
        rows.set(key, { ...before, loudness: write.loudness, rev })
        this.#versions.set(`${uid}.${rev}`, textState(before))
      } else {
        const id = before?.id ?? this.#data.nextId
        const row = { ...emptyRow(kind, uid), id, ...before, ...write.text, ...write.audio } as MemoryRow
        if (before && textState(before) === textState(row)) continue
        if (!before) this.#data.nextId += 1
        rows.set(key, { ...row, rev, changedRev: rev })
        this.#versions.set(`${uid}.${rev}`, textState(row))
        this.texts.set(uid, [...(this.texts.get(uid) ?? []), row])
      }
      wrote = true
      changes.set(key, { kind, uid, rev, op: 'deleted' in write ? 'del' : 'put' })
      this.applied.push({
        mutationId: by.mutationId,
        device: by.device,
        userId: by.userId,
        uid,
        before: before?.rev,
        baseRev: by.baseRev,
        rev,
        restores: this.restores,
        isAdded: 'loudness' in write,
        isSeen:
          before?.rev === by.baseRev ||
          (before !== undefined && this.#versions.get(`${uid}.${by.baseRev}`) === textState(before)),
      })
    }
    if (!wrote) return
    clock.rev = rev
    this.#recordState()
  }

  /**
   * Applies a mutation as the API does; returns the response's status and body, and the row that it was applied to, as it
   * was before.
   */
  mutate(mutation: Mutation): { status: number; body: Record<string, unknown>; before?: MemoryRow } {
    const { done } = this.#data
    const row = this.rowOf(mutation)
    const before = done.get(mutation.mutationId)
    if (before && isRepeated(before, mutation))
      return { status: 200, body: before.response as Record<string, unknown> }
    const code = before ? 'idempotency_mismatch' : this.#refusalOf(mutation, row)
    if (!code) return { status: 200, ...(row && { before: row }), body: this.#apply(mutation, row) }
    const current = code === 'revision_conflict' ? { current: withoutKind(row!) } : {}
    return { status: problems[code].status, body: { success: false, code, ...current } }
  }

  /** The row that a change names: by its uid, or a teaching by its number alone. */
  rowOf({
    kind = 'teaching',
    uid,
    teachingId,
  }: Pick<Mutation, 'uid' | 'teachingId'> & { kind?: Mutation['kind'] }): MemoryRow | undefined {
    const { rows } = this.#data
    if (uid !== undefined) return rows.get(`${kind}:${uid}`)
    return [...rows.values()].find(({ kind, id }) => kind === 'teaching' && id === teachingId)
  }

  /** Since when a row's words and recording are the same; revisions from before a restore may have others. */
  presentOf({ uid, rev, changedRev }: MemoryRow): Present {
    return { uid, rev, sameSince: Math.max(changedRev, this.#data.epochRev + 1) }
  }

  /** Purges tombstones up to a revision, as the database does after 180 days. */
  purgeTombstones(upTo: number): void {
    const { clock, changes } = this.#data
    for (const [key, change] of changes) {
      if (change.op !== 'del' || change.rev > upTo) continue
      changes.delete(key)
      clock.floor = Math.max(clock.floor, change.rev)
    }
  }

  backup(): Data {
    return structuredClone(this.#data)
  }

  /**
   * Restores a backup, or a copy of the whole database, which has no record of the revisions and ids assigned since; only
   * the uid identifies their rows. Either begins a new epoch, with revisions above the assigned ones. A second copy
   * assigns some revisions again, as if the server's clock were wrong too: only the epoch distinguishes them.
   */
  restore(backup: Data, from: 'backup' | 'copy' = 'backup'): void {
    const { clock, nextId } = this.#data
    this.#data = structuredClone(backup)
    this.restores += 1
    if (from === 'copy') this.copies += 1
    const known = from === 'backup' ? { rev: clock.rev, nextId } : { rev: 0, nextId: 0 }
    // The server continues from the time of day, which is above all revisions assigned before.
    const timeOfDay = this.copies < 2 ? this.restores ** 2 * revisionsAhead : 0
    const rev = Math.max(known.rev + revisionsAhead, this.#data.clock.rev + revisionsAhead, timeOfDay)
    this.#data.clock = { epoch: epochOf(this.restores), rev, floor: rev }
    this.#data.epochRev = rev
    // After a copy, other teachings may get ids that devices already have.
    if (from === 'backup')
      this.#data.nextId = Math.max(known.nextId, this.#data.nextId) + this.restores * numbersAhead
    this.#recordState()
  }

  consistently<T>(read: (view: FeedView) => Promise<T>): Promise<T> {
    const { clock, rows, changes } = this.#data
    const snapshot = { clock: { ...clock }, rows: new Map(rows), changes: [...changes.values()] }
    return read({
      clock: () => Promise.resolve(snapshot.clock),
      changesAfter: (rev, limit) =>
        Promise.resolve(alignedChanges(snapshot.changes, snapshot.rows, rev, limit)),
      allRows: () => Promise.resolve(rowsByKind([...snapshot.rows.values()])),
    })
  }

  #refusalOf(mutation: Mutation, row: MemoryRow | undefined) {
    if (mutation.op !== 'create') return refusalFor(row && this.presentOf(row), mutation)
    if (row) return 'revision_conflict'
    return this.#data.changes.has(`${mutation.kind}:${mutation.uid}`) ? 'not_found' : undefined
  }

  #apply(mutation: Mutation, row: MemoryRow | undefined): Record<string, unknown> {
    const { kind, uid } = row ?? { kind: mutation.kind, uid: mutation.uid! }
    const change: Write =
      mutation.op === 'delete' ? { kind, uid, deleted: true } : { kind, uid, text: mutation.text! }
    this.commit([change], mutation)
    const after = this.#data.rows.get(`${kind}:${uid}`)
    const response =
      mutation.op === 'delete' ? { success: true, rev: this.#data.clock.rev } : withoutKind(after!)
    const { mutationId, requestHash, userId } = mutation
    this.#data.done.set(mutationId, { requestHash, userId, response })
    return { ...response }
  }

  #recordState(): void {
    const { clock, rows } = this.#data
    this.past.set(`${clock.epoch}.${clock.rev}`, [...rows.values()])
  }
}

const revisionsAhead = 1_000_000
const numbersAhead = 10_000

/** A row's uid from its number. */
export const uidOf = (number: number): string => `00000000-0000-8000-8000-${String(number).padStart(12, '0')}`

/** Serializes rows to a text that is equal for equal sets of rows. */
export function stateOf(rows: readonly { kind: string; uid: string; rev: number }[]): string {
  return rows
    .map(
      (row) =>
        `${row.kind}:${row.uid}:${row.rev}:${textState(row as MemoryRow)}:${(row as MemoryRow).loudness}`,
    )
    .sort()
    .join('\n')
}

const textState = (row: Partial<MemoryRow>) =>
  [...wordNames.map((name) => row[name]), row.audioUrl, row.teachings].join('|')

function emptyRow(kind: Kind, uid: string) {
  if (kind === 'series') return { kind, uid, rev: 0, slug: uid, title: '', description: '', teachings: [] }
  return {
    kind,
    uid,
    rev: 0,
    ...emptyText,
    date: '2026-01-01',
    year: 2026,
    audioUrl: null,
    duration: null,
    audioBytes: null,
    audioMime: null,
    copyUrl: null,
    copyBytes: null,
    copyMime: null,
    loudness: null,
    transcriptRev: null,
    handouts: null,
    reference: uid,
  }
}

function alignedChanges(
  changes: { kind: Kind; uid: string; rev: number; op: 'put' | 'del' }[],
  rows: Data['rows'],
  after: number,
  limit: number,
): Change[] {
  const sorted = changes.filter(({ rev }) => rev > after).sort((a, b) => a.rev - b.rev)
  const last = sorted[limit - 1]?.rev
  return sorted
    .filter(({ rev }) => last === undefined || rev <= last)
    .map(({ kind, uid, rev, op }) => {
      const row = rows.get(`${kind}:${uid}`)
      return op === 'put' && row
        ? { kind, uid, rev, op, row: withoutKind(row) }
        : { kind, uid, rev, op: 'del' }
    })
}

function rowsByKind(rows: MemoryRow[]): Record<Kind, Row[]> {
  const rowsOf = (kind: Kind) => rows.filter((row) => row.kind === kind).map(withoutKind)
  return Object.fromEntries(kinds.map((kind) => [kind, rowsOf(kind)])) as Record<Kind, Row[]>
}

/** A row as it is sent. */
export function withoutKind(row: MemoryRow): Row {
  const rest: Partial<MemoryRow> = { ...row }
  delete rest.kind
  delete rest.changedRev
  return rest as Row
}

const epochOf = (restores: number) => `00000000-0000-4000-8000-${String(restores).padStart(12, '0')}`
