import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { decodeCursor, encodeCursor } from '@fellowship/sync/protocol/cursor'
import { canContinue, readPage, type FeedClock } from '@fellowship/sync/server/change-feed'
import type { Context } from '../../context.ts'
import type { Database } from '../../db/connection.ts'
import { liveTeachings } from '../teachings/teachings.ts'
import { postgresFeed, readElders, readPassages, type RowReaders } from './sync.sql.ts'

export { forgetDeletions, readClock } from './sync.sql.ts'

/** The feed of this product's database. */
export const feedOf = (sql: Database) => postgresFeed(sql, readers)

const readers: RowReaders = {
  teaching: async (tx, uids) => (await liveTeachings(tx, uids)).map((row) => ({ ...row })),
  elder: readElders,
  passage: readPassages,
}

/** A page as it goes over the wire. */
export interface EncodedPage {
  body: Buffer
  encoding: 'br' | 'gzip' | undefined
}

/**
 * Pages for devices. The snapshot, which every new device asks for, is built and compressed once per revision;
 * deltas are small and differ from device to device.
 */
export function syncPages({ sql, clock }: Pick<Context, 'sql' | 'clock'>) {
  const feed = feedOf(sql)
  let snapshot: { key: string; encoded: Promise<Snapshot> } | undefined

  return async function page(
    asked: { since?: string | undefined; limit?: number | undefined },
    at: FeedClock,
    accepts: (encoding: 'br' | 'gzip') => boolean,
  ): Promise<EncodedPage> {
    if (canContinue(decodeCursor(asked.since), at)) {
      const delta = await readPage(feed, asked, clock.now())
      return { body: Buffer.from(JSON.stringify(delta)), encoding: undefined }
    }
    const key = encodeCursor(at)
    if (snapshot?.key !== key) {
      const encoded = encode(readPage(feed, {}, clock.now()))
      encoded.catch(() => (snapshot = undefined))
      snapshot = { key, encoded }
    }
    const { plain, br, gz } = await snapshot.encoded
    if (accepts('br')) return { body: br, encoding: 'br' }
    return accepts('gzip') ? { body: gz, encoding: 'gzip' } : { body: plain, encoding: undefined }
  }
}

interface Snapshot {
  plain: Buffer
  br: Buffer
  gz: Buffer
}

/** Compression runs on the library's own threads; quality 9 costs a blink and 11 seconds. */
async function encode(page: Promise<unknown>): Promise<Snapshot> {
  const plain = Buffer.from(JSON.stringify(await page))
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length }
  const [br, gz] = await Promise.all([promisify(brotliCompress)(plain, { params }), promisify(gzip)(plain)])
  return { plain, br, gz }
}
