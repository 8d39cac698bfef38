import { kinds, type Change, type Kind } from '@fellowship/schema/sync/sync.schema'
import type { FeedClock, FeedPort, FeedView, Row } from '../server/change-feed.ts'

type Write = { kind: Kind; uid: string; value: string } | { kind: Kind; uid: string; gone: true }

interface Data {
  clock: FeedClock
  /** 'kind:uid' → row */
  rows: Map<string, Row & { kind: Kind }>
  /** 'kind:uid' → newest change */
  changes: Map<string, { kind: Kind; uid: string; rev: number; op: 'put' | 'del' }>
}

/** The server of the simulation: the rules of the database's triggers over plain maps, with a memory of every state. */
export class MemoryServer implements FeedPort {
  #data: Data = { clock: { epoch: epochOf(0), rev: 0, floor: 0 }, rows: new Map(), changes: new Map() }
  #epochs = 0
  /** What the rows were at each '<epoch>.<rev>', for judging devices in the middle of a history. */
  readonly past = new Map<string, string>()

  constructor() {
    this.#remember()
  }

  get data(): Data {
    return this.#data
  }

  /** One transaction: one revision, whatever it touches. A write that changes nothing leaves no trace. */
  commit(writes: readonly Write[]): void {
    const { clock, rows, changes } = this.#data
    const rev = clock.rev + 1
    let wrote = false
    for (const write of writes) {
      const key = `${write.kind}:${write.uid}`
      const { kind, uid } = write
      if ('gone' in write) {
        if (!rows.delete(key)) continue
      } else {
        if (rows.get(key)?.['value'] === write.value) continue
        rows.set(key, { kind, uid, rev, value: write.value, reference: write.value })
      }
      wrote = true
      changes.set(key, { kind, uid, rev, op: 'gone' in write ? 'del' : 'put' })
    }
    if (!wrote) return
    clock.rev = rev
    this.#remember()
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
    this.#data.clock.epoch = epochOf((this.#epochs += 1))
    this.#remember()
  }

  consistently<T>(read: (view: FeedView) => Promise<T>): Promise<T> {
    const { clock, rows, changes } = structuredClone(this.#data)
    return read({
      clock: () => Promise.resolve(clock),
      changesAfter: (rev, limit) => Promise.resolve(alignedChanges([...changes.values()], rows, rev, limit)),
      allRows: () => Promise.resolve(rowsByKind([...rows.values()])),
    })
  }

  #remember(): void {
    const { clock, rows } = this.#data
    this.past.set(`${clock.epoch}.${clock.rev}`, stateOf([...rows.values()]))
  }
}

/** A text that is equal for equal sets of rows. */
export function stateOf(
  rows: readonly { kind: string; uid: string; rev: number; value?: unknown }[],
): string {
  return rows
    .map(({ kind, uid, rev, value }) => `${kind}:${uid}:${rev}:${String(value)}`)
    .sort()
    .join('\n')
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

function rowsByKind(rows: (Row & { kind: Kind })[]): Record<Kind, Row[]> {
  const of = (kind: Kind) => rows.filter((row) => row.kind === kind).map(withoutKind)
  return Object.fromEntries(kinds.map((kind) => [kind, of(kind)])) as Record<Kind, Row[]>
}

function withoutKind({ kind: _, ...row }: Row & { kind: Kind }): Row {
  return row as unknown as Row
}

const epochOf = (life: number) => `00000000-0000-4000-8000-${String(life).padStart(12, '0')}`
