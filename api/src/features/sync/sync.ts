import { decodeCursor, encodeCursor, type Cursor } from '@fellowship/sync/protocol/cursor'
import { canContinue, readPage, type FeedClock, type PageRequest } from '@fellowship/sync/server/change-feed'
import type { SyncPage } from '@fellowship/schema/sync/sync.schema'
import type { Context } from '../../context.ts'
import {
  acceptedEncoding,
  compressedBody,
  type CompressedBody,
  type ContentCoding,
} from '../../http/content-coding.ts'
import { madeForKey, RecentMap } from '../../machine/caches.ts'
import { allElders } from '../elders/elders.ts'
import { eventRows } from '../events/events.ts'
import { noticeRows } from '../notices/notices.ts'
import { allPassages } from '../passages/passages.ts'
import { liveSeries } from '../series/series.ts'
import { readSite } from '../site/site.ts'
import { liveTeachings } from '../teachings/teachings.ts'
import { publicPages } from '../written-pages/written-pages.ts'
import { firstChangeAfter, postgresFeed, type RowReaders } from './sync.sql.ts'

export { farthestNumber, farthestRevision, renewEpoch, skipNumbers } from './sync.sql.ts'
export { syncedTables } from './database-history.ts'
export { purgeTombstones, readClock } from './sync.sql.ts'

/** The change feed of all replicated tables. */
export const feedOf = ({ sql, config }: Pick<Context, 'sql' | 'config'>) =>
  postgresFeed(sql, readers, (tx) => readSite({ sql: tx, config }))

const readers: RowReaders = {
  teaching: liveTeachings,
  elder: allElders,
  passage: allPassages,
  series: liveSeries,
  event: (tx, uids) => eventRows.live(tx, uids),
  notice: (tx, uids) => noticeRows.live(tx, uids),
  page: publicPages,
}

/** A page with its content coding. */
interface EncodedPage {
  body: Buffer
  encoding: ContentCoding | undefined
}

/**
 * Cached pages of the present revision. After an upload the devices of a whole movement pull from some
 * hundred revisions, most of them from the last few; reading a page again costs as much as a thousand cached ones.
 */
const deltasKept = 256

/** A page after a cursor, and when the first of its changes was made. */
interface Delta {
  page: SyncPage
  since: Date | undefined
}

/**
 * Serves pages. The snapshot, which every new device requests, is built and compressed once per revision; pages after a
 * cursor are cached until the next one.
 *
 * @param onLag called with each page of changes: the seconds since the first of them was made
 */
export function syncPages(
  { sql, clock, config }: Pick<Context, 'sql' | 'clock' | 'config'>,
  onLag: (seconds: number) => void = () => undefined,
) {
  const feed = feedOf({ sql, config })
  const snapshots = { withPlaces: madeForKey<CompressedBody>(), plain: madeForKey<CompressedBody>() }
  let deltas: { key: string; pages: RecentMap<Promise<Delta>> } | undefined

  /**
   * @param onCost called before an uncached page is read, and before the snapshot is sent, which grows with the
   * library; if it throws, the request is refused
   */
  return async function page(
    request: PageRequest,
    at: FeedClock,
    acceptEncoding: string | undefined,
    onCost: () => void,
  ): Promise<EncodedPage> {
    const key = encodeCursor(at)
    const cursor = decodeCursor(request.since)
    if (canContinue(cursor, at)) {
      const { page: made, since } = await deltaPage(cursor, request.limit, key, onCost)
      if (since) onLag(Math.max(0, (clock.now().getTime() - since.getTime()) / 1000))
      const delta = { ...made, serverTime: clock.now().toISOString() }
      return { body: Buffer.from(JSON.stringify(delta)), encoding: undefined }
    }
    onCost()
    const { plain, brotli, gzip } = await snapshotAt(key, request.places ?? false)
    const encoding = acceptedEncoding(acceptEncoding, ['br', 'gzip'])
    return { body: encoding === 'br' ? await brotli() : encoding === 'gzip' ? await gzip() : plain, encoding }
  }

  function snapshotAt(key: string, places: boolean): Promise<CompressedBody> {
    return snapshots[places ? 'withPlaces' : 'plain'](key, async () =>
      compressedBody(Buffer.from(JSON.stringify(await readPage(feed, { places }, clock.now())))),
    )
  }

  function deltaPage(
    cursor: Cursor,
    limit: number | undefined,
    key: string,
    onRead: () => void,
  ): Promise<Delta> {
    if (deltas?.key !== key) deltas = { key, pages: new RecentMap(deltasKept) }
    const { pages } = deltas
    const since = encodeCursor(cursor)
    const name = `${since} ${limit ?? ''}`
    const known = pages.get(name)
    if (known) return known
    onRead()
    const delta = readDelta(cursor.rev, { since, limit })
    delta.catch(() => pages.delete(name))
    pages.set(name, delta)
    return delta
  }

  async function readDelta(
    rev: number,
    request: { since: string; limit: number | undefined },
  ): Promise<Delta> {
    const page = await readPage(feed, request, clock.now())
    const hasChanges = page.mode === 'delta' && page.changes.length > 0
    return { page, since: hasChanges ? await firstChangeAfter(sql, rev) : undefined }
  }
}
