import { decodeCursor, encodeCursor } from '@fellowship/sync/protocol/cursor'
import { canContinue, readPage, type FeedClock } from '@fellowship/sync/server/change-feed'
import type { Context } from '../../context.ts'
import { acceptedEncoding, type ContentCoding } from '../../http/accepted-encoding.ts'
import { compressedBody, type CompressedBody } from '../../http/compressed-body.ts'
import type { Database } from '../../db/connection.ts'
import { liveTeachings } from '../teachings/teachings.ts'
import { postgresFeed, readElders, readPassages, type RowReaders } from './sync.sql.ts'

export { renewEpoch, skipNumbers } from './epoch.sql.ts'
export { purgeTombstones, readClock } from './sync.sql.ts'

/** The change feed of all replicated tables. */
export const feedOf = (sql: Database) => postgresFeed(sql, readers)

const readers: RowReaders = {
  teaching: async (tx, uids) => (await liveTeachings(tx, uids)).map((row) => ({ ...row })),
  elder: readElders,
  passage: readPassages,
}

/** A page with its content coding. */
export interface EncodedPage {
  body: Buffer
  encoding: ContentCoding | undefined
}

/** Serves pages; the snapshot, which every new device requests, is built and compressed once per revision. */
export function syncPages({ sql, clock }: Pick<Context, 'sql' | 'clock'>) {
  const feed = feedOf(sql)
  let snapshot: { key: string; body: Promise<CompressedBody> } | undefined

  return async function page(
    request: { since?: string | undefined; limit?: number | undefined },
    at: FeedClock,
    acceptEncoding: string | undefined,
  ): Promise<EncodedPage> {
    if (canContinue(decodeCursor(request.since), at)) {
      const delta = await readPage(feed, request, clock.now())
      return { body: Buffer.from(JSON.stringify(delta)), encoding: undefined }
    }
    const key = encodeCursor(at)
    if (snapshot?.key !== key) {
      const body = readPage(feed, {}, clock.now()).then((made) =>
        compressedBody(Buffer.from(JSON.stringify(made))),
      )
      body.catch(() => (snapshot = undefined))
      snapshot = { key, body }
    }
    const { plain, brotli, gzip } = await snapshot.body
    const encoding = acceptedEncoding(acceptEncoding, ['br', 'gzip'])
    return { body: encoding === 'br' ? await brotli() : encoding === 'gzip' ? await gzip() : plain, encoding }
  }
}
