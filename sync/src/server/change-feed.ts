import type { Change, DeltaPage, Kind, SnapshotPage, SyncPage } from '@fellowship/schema/sync/sync.schema'
import { minClientSchema, pageLimit } from '@fellowship/schema/sync/sync.limits'
import type { Site } from '@fellowship/schema/site/site.contract'
import { toColumns, withPlaces } from '../protocol/columns.ts'
import { decodeCursor, encodeCursor, type Cursor } from '../protocol/cursor.ts'
import { digestsOf, type Digests } from '../protocol/digest.ts'

/** The server's position. Tombstones up to `floor` have been purged. */
export interface FeedClock {
  epoch: string
  rev: number
  floor: number
}

export type Row = Readonly<Record<string, unknown>> & { uid: string; rev: number }

/** One consistent snapshot of the database: all reads through it see the same state. */
export interface FeedView {
  clock(): Promise<FeedClock>
  /**
   * The newest state of each row changed after `rev`, in revision order: the first `limit`, plus all further changes of
   * the last one's revision, so that a page never splits a transaction.
   */
  changesAfter(rev: number, limit: number): Promise<Change[]>
  /** Every live row of every kind. */
  allRows(): Promise<Record<Kind, Row[]>>
  /** The digests of all live rows at this clock, if the port knows a cheaper way than reading them. */
  digests?(clock: FeedClock): Promise<Digests>
  /** The identity of the site, with the revision of its last change; undefined if the port has none. */
  site?(): Promise<Site | undefined>
}

export interface FeedPort {
  /** Runs `read` on one consistent snapshot. */
  consistently<T>(read: (view: FeedView) => Promise<T>): Promise<T>
}

export interface PageRequest {
  since?: string | undefined
  limit?: number | undefined
  /** Whether a snapshot names the teachings of series by their places in it. */
  places?: boolean
}

/** Reads the page after a cursor: a delta, or a snapshot when the cursor cannot be continued. */
export async function readPage(
  port: FeedPort,
  { since, limit = pageLimit.standard, places = false }: PageRequest,
  serverTime: Date,
): Promise<SyncPage> {
  return port.consistently(async (view) => {
    const clock = await view.clock()
    const cursor = decodeCursor(since)
    return canContinue(cursor, clock)
      ? deltaPage(view, clock, cursor, limit, serverTime)
      : snapshotPage(view, clock, { serverTime, places })
  })
}

/**
 * Whether a delta can continue from the cursor. It cannot when a restore has renewed the epoch, when tombstones after
 * the cursor have been purged, or when the cursor is ahead of the server.
 */
export function canContinue(cursor: Cursor | undefined, clock: FeedClock): cursor is Cursor {
  if (!cursor) return false
  if (cursor.epoch !== clock.epoch) return false
  if (cursor.rev < clock.floor) return false
  return cursor.rev <= clock.rev
}

/** Computes the digests of all live rows in a view. */
export async function digestsOfAll(view: FeedView): Promise<Digests> {
  return digestsOf(
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
  // A full page may be followed by more; a shorter one reached the head.
  const more = last !== undefined && changes.length >= limit && last.rev < clock.rev
  const rev = more ? last.rev : clock.rev
  return {
    mode: 'delta',
    changes,
    ...pageFields(clock, rev, serverTime),
    more,
    ...(!more && (await siteAfter(view, cursor.rev))),
    ...(!more && (await (view.digests?.(clock) ?? digestsOfAll(view)))),
  }
}

async function snapshotPage(
  view: FeedView,
  clock: FeedClock,
  { serverTime, places }: { serverTime: Date; places: boolean },
): Promise<SnapshotPage> {
  const rows = await view.allRows()
  const tables = Object.fromEntries(Object.entries(rows).map(([kind, list]) => [kind, toColumns(list)]))
  return {
    mode: 'snapshot',
    tables: places ? withPlaces(tables) : tables,
    ...pageFields(clock, clock.rev, serverTime),
    more: false,
    ...(await siteAfter(view, -1)),
    ...(await digestsOfAll({ ...view, allRows: () => Promise.resolve(rows) })),
  }
}

/** The site if it has changed after `rev`. */
async function siteAfter(view: FeedView, rev: number): Promise<{ site?: Site }> {
  const site = await view.site?.()
  return site && site.rev > rev ? { site } : {}
}

const pageFields = (clock: FeedClock, rev: number, serverTime: Date) => ({
  next: encodeCursor({ epoch: clock.epoch, rev }),
  head: { rev: clock.rev },
  serverTime: serverTime.toISOString(),
  minClientSchema,
})
