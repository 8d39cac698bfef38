import type {
  Change,
  DeltaPage,
  Digest,
  Kind,
  SnapshotPage,
  SyncPage,
} from '@fellowship/schema/sync/sync.schema'
import { minClientSchema, pageLimit } from '@fellowship/schema/sync/sync.limits'
import { toColumns } from '../protocol/columns.ts'
import { decodeCursor, encodeCursor, type Cursor } from '../protocol/cursor.ts'
import { digestOf } from '../protocol/digest.ts'

/** Where the server stands. Deletions up to `floor` are forgotten. */
export interface FeedClock {
  epoch: string
  rev: number
  floor: number
}

export type Row = Readonly<Record<string, unknown>> & { uid: string; rev: number }

/** One consistent view of the database: everything read through it is of the same moment. */
export interface FeedView {
  clock(): Promise<FeedClock>
  /**
   * Newest states of what changed after `rev`, in revision order: the first `limit`, and then every further change
   * of the last one's revision, so that no transaction of the server is torn.
   */
  changesAfter(rev: number, limit: number): Promise<Change[]>
  /** Every live row of every kind. */
  allRows(): Promise<Record<Kind, Row[]>>
}

export interface FeedPort {
  consistently<T>(read: (view: FeedView) => Promise<T>): Promise<T>
}

/** The page that follows a cursor: a delta, or a snapshot where the cursor cannot be continued. */
export async function readPage(
  port: FeedPort,
  { since, limit = pageLimit.standard }: { since?: string | undefined; limit?: number | undefined },
  serverTime: Date,
): Promise<SyncPage> {
  return port.consistently(async (view) => {
    const clock = await view.clock()
    const cursor = decodeCursor(since)
    return canContinue(cursor, clock)
      ? deltaPage(view, clock, cursor, limit, serverTime)
      : snapshotPage(view, clock, serverTime)
  })
}

/**
 * A cursor is of no use when it is of another life of the database (a restore renews the epoch), when deletions
 * after it were forgotten, or when it is ahead of the server.
 */
export function canContinue(cursor: Cursor | undefined, clock: FeedClock): cursor is Cursor {
  if (!cursor) return false
  if (cursor.epoch !== clock.epoch) return false
  if (cursor.rev < clock.floor) return false
  return cursor.rev <= clock.rev
}

/** The digest of every live row in a view. */
export async function digestOfAll(view: FeedView): Promise<Digest> {
  return digestOf(
    Object.entries(await view.allRows()).flatMap(([kind, rows]) =>
      rows.map(({ uid, rev }) => ({ kind, uid, rev })),
    ),
  )
}

async function deltaPage(
  view: FeedView,
  clock: FeedClock,
  cursor: Cursor,
  limit: number,
  serverTime: Date,
): Promise<DeltaPage> {
  const changes = cursor.rev === clock.rev ? [] : await view.changesAfter(cursor.rev, limit)
  const last = changes.at(-1)
  // A page that reached the limit may be followed by more; a shorter one brought everything up to the head.
  const more = last !== undefined && changes.length >= limit && last.rev < clock.rev
  const rev = more ? last.rev : clock.rev
  return {
    mode: 'delta',
    changes,
    ...common(clock, rev, serverTime),
    more,
    ...(!more && { digest: await digestOfAll(view) }),
  }
}

async function snapshotPage(view: FeedView, clock: FeedClock, serverTime: Date): Promise<SnapshotPage> {
  const rows = await view.allRows()
  return {
    mode: 'snapshot',
    tables: Object.fromEntries(Object.entries(rows).map(([kind, of]) => [kind, toColumns(of)])),
    ...common(clock, clock.rev, serverTime),
    more: false,
    digest: await digestOfAll({ ...view, allRows: () => Promise.resolve(rows) }),
  }
}

const common = (clock: FeedClock, rev: number, serverTime: Date) => ({
  next: encodeCursor({ epoch: clock.epoch, rev }),
  head: { rev: clock.rev },
  serverTime: serverTime.toISOString(),
  minClientSchema,
})
