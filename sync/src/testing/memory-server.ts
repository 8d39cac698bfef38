import { kinds, type Change, type Kind } from '@fellowship/schema/sync/sync.schema'
import { emptyText, wordNames, type TeachingText } from '@fellowship/schema/teachings/teaching-words'
import type { FeedClock, FeedPort, FeedView, Row } from '../server/change-feed.ts'
import { judgeMutation, type AskedMutation, type DoneMutation } from '../server/mutation.ts'

/** A direct write of the server: text of a row, or that it is gone. */
export type Write = { kind: Kind; uid: string } & ({ text: Partial<TeachingText> } | { gone: true })

export type MemoryRow = Row & TeachingText & { kind: Kind; id: number }

interface Data {
  clock: FeedClock
  /** 'kind:uid' → row */
  rows: Map<string, MemoryRow>
  /** 'kind:uid' → newest change */
  changes: Map<string, { kind: Kind; uid: string; rev: number; op: 'put' | 'del' }>
  /** Mutations that were done, with the answers given. */
  done: Map<string, DoneMutation & { answer: unknown }>
}

export interface Mutation extends AskedMutation {
  mutationId: string
  teachingId: number
  op: 'edit' | 'delete'
  text?: TeachingText
  /** Which device asks: for the invariants, not for the rules. */
  device: string
}

/** One write as it was done, for the invariants. */
export interface Applied {
  mutationId: string | undefined
  device: string | undefined
  uid: string
  before: number | undefined
  baseRev: number | undefined
  rev: number
}

/** The server of the simulation: the rules of the database's triggers over plain maps, with a memory of every state. */
export class MemoryServer implements FeedPort {
  #data: Data = {
    clock: { epoch: epochOf(0), rev: 0, floor: 0 },
    rows: new Map(),
    changes: new Map(),
    done: new Map(),
  }
  /** What the rows were at each '<epoch>.<rev>', for judging devices in the middle of a history. */
  readonly past = new Map<string, string>()
  readonly applied: Applied[] = []
  /** Every text that a row ever had. */
  readonly texts = new Map<string, TeachingText[]>()
  restores = 0

  constructor() {
    this.#remember()
  }

  get data(): Data {
    return this.#data
  }

  /** One transaction: one revision, whatever it touches. A write that changes nothing leaves no trace. */
  commit(
    writes: readonly Write[],
    by: Partial<Pick<Mutation, 'mutationId' | 'device' | 'baseRev'>> = {},
  ): void {
    const { clock, rows, changes } = this.#data
    const rev = clock.rev + 1
    let wrote = false
    for (const write of writes) {
      const { kind, uid } = write
      const key = `${kind}:${uid}`
      const before = rows.get(key)
      if ('gone' in write) {
        if (!rows.delete(key)) continue
      } else {
        const row = { ...emptyRow(kind, uid), ...before, ...write.text }
        if (before && textState(before) === textState(row)) continue
        rows.set(key, { ...row, rev })
        this.texts.set(uid, [...(this.texts.get(uid) ?? []), row])
      }
      wrote = true
      changes.set(key, { kind, uid, rev, op: 'gone' in write ? 'del' : 'put' })
      this.applied.push({
        mutationId: by.mutationId,
        device: by.device,
        uid,
        before: before?.rev,
        baseRev: by.baseRev,
        rev,
      })
    }
    if (!wrote) return
    clock.rev = rev
    this.#remember()
  }

  /** Does a mutation as the API does, or says why not. */
  mutate(asked: Mutation): { status: number; body: Record<string, unknown> } {
    const { rows, done } = this.#data
    const row = [...rows.values()].find(({ kind, id }) => kind === 'teaching' && id === asked.teachingId)
    const verdict = judgeMutation(done.get(asked.mutationId), asked, row?.rev)
    switch (verdict) {
      case 'replay':
        return { status: 200, body: done.get(asked.mutationId)!.answer as Record<string, unknown> }
      case 'idempotency_mismatch':
        return { status: 422, body: { code: verdict } }
      case 'not_found':
        return { status: 404, body: { code: verdict } }
      case 'revision_conflict':
        return { status: 409, body: { code: verdict, current: row && withoutKind(row) } }
      case 'apply':
        return { status: 200, body: this.#apply(asked, row!) }
    }
  }

  /** Forgets deletions up to a revision, as the database does after 180 days. */
  forgetDeletions(upTo: number): void {
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

  /** Brings a backup back, in a new epoch. */
  restore(backup: Data): void {
    this.#data = structuredClone(backup)
    this.#data.clock.epoch = epochOf((this.restores += 1))
    this.#remember()
  }

  consistently<T>(read: (view: FeedView) => Promise<T>): Promise<T> {
    const { clock, rows, changes } = this.#data
    const moment = { clock: { ...clock }, rows: new Map(rows), changes: [...changes.values()] }
    return read({
      clock: () => Promise.resolve(moment.clock),
      changesAfter: (rev, limit) => Promise.resolve(alignedChanges(moment.changes, moment.rows, rev, limit)),
      allRows: () => Promise.resolve(rowsByKind([...moment.rows.values()])),
    })
  }

  #apply(asked: Mutation, row: MemoryRow): Record<string, unknown> {
    const { kind, uid } = row
    const change: Write = asked.op === 'delete' ? { kind, uid, gone: true } : { kind, uid, text: asked.text! }
    this.commit([change], asked)
    const after = this.#data.rows.get(`${kind}:${uid}`)
    const answer = asked.op === 'delete' ? { success: true, rev: this.#data.clock.rev } : withoutKind(after!)
    const { mutationId, requestHash, userId } = asked
    this.#data.done.set(mutationId, { requestHash, userId, answer })
    return { ...answer }
  }

  #remember(): void {
    const { clock, rows } = this.#data
    this.past.set(`${clock.epoch}.${clock.rev}`, stateOf([...rows.values()]))
  }
}

/** A text that is equal for equal sets of rows. */
export function stateOf(rows: readonly { kind: string; uid: string; rev: number }[]): string {
  return rows
    .map((row) => `${row.kind}:${row.uid}:${row.rev}:${textState(row as MemoryRow)}`)
    .sort()
    .join('\n')
}

const textState = (text: TeachingText) => wordNames.map((name) => text[name]).join('|')

function emptyRow(kind: Kind, uid: string) {
  const id = Number(/\d+$/.exec(uid)?.[0] ?? 0)
  return {
    kind,
    uid,
    id,
    rev: 0,
    ...emptyText,
    date: '2026-01-01',
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
  const of = (kind: Kind) => rows.filter((row) => row.kind === kind).map(withoutKind)
  return Object.fromEntries(kinds.map((kind) => [kind, of(kind)])) as Record<Kind, Row[]>
}

function withoutKind(row: MemoryRow): Row {
  const rest: Partial<MemoryRow> = { ...row }
  delete rest.kind
  return rest as Row
}

const epochOf = (life: number) => `00000000-0000-4000-8000-${String(life).padStart(12, '0')}`
