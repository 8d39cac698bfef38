import { createHash, randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { feed } from '@fellowship/schema/feed/feed.contract'
import { feedsMadeAnew, feedsMadeAtOnce } from '@fellowship/schema/feed/feed.limits'
import { Problem } from '@fellowship/schema/problem'
import type { Context } from '../../context.ts'
import { addressOfCaller, decodedPath } from '../../http/caller.ts'
import type { ContentCoding } from '../../http/content-coding.ts'
import { rawRoute, type RawRoute, sendBody } from '../../http/deliver.ts'
import { concurrencyLimiter, memoryLimiter } from '../../http/limiter.ts'
import { knownOrigins, siteOrigin } from '../../http/origins.ts'
import { ownSite, checkFeed } from './feed-check.ts'
import { openHeaders } from '../../http/security-headers.ts'
import { type App, serve } from '../../http/serve.ts'
import { RecentMap } from '../../machine/caches.ts'
import { documents, filled, type LiveLibrary } from './feed.ts'
import { isGroupFeed } from './feed-xml.ts'
import { robotsTxt } from './sitemap.ts'

const paths = ['/feed.xml', '/sitemap.xml', '/robots.txt']

/** Three documents, compressed and not, for each of four origins. */
const documentsKept = 24
/** Compressed feeds of speakers and books, a few hundred kilobytes each at most. */
const groupFeedsKept = 64

/** The podcast feed, those of speakers and books, the sitemap and robots.txt, open to other sites. */
export function feedRoute(context: Context, library: () => Promise<LiveLibrary>): RawRoute {
  const { config, clock } = context
  const current = documents(context, library)
  const isKnown = knownOrigins(clock)
  // A cache of its own: requests for all speakers' feeds must not evict the compressed sitemap.
  const [whole, groups] = [keptCopies(documentsKept), keptCopies(groupFeedsKept)]
  const madeAnew = memoryLimiter(clock, feedsMadeAnew)
  const onTheWay = concurrencyLimiter(
    feedsMadeAtOnce,
    () => new Problem('rate_limited', undefined, { retryAfter: 10 }),
  )
  const open = openHeaders(config)
  const headers = Object.entries({ ...open, 'cache-control': 'public, max-age=300' }).flat()
  return rawRoute(context, {
    matches: (_, pathname) => paths.includes(pathname) || isGroupFeed(pathname),
    failureHeaders: open,
    failureBody: 'text',
    async send(request, response, pathname) {
      const origin = siteOrigin(config, request)
      // Other spellings of an address share its copy.
      const name = decodedPath(pathname)
      const place = `${name} ${origin}`
      const { type, key, modified, plain } = await documentAt(name, origin)
      const isWorthwhile = config.publicUrl !== undefined || isKnown(origin)
      return sendBody(request, response, {
        headers,
        type,
        tag: createHash('sha256').update(`${place} ${key}`).digest('base64url').slice(0, 27),
        modified,
        codings: isWorthwhile ? ['gzip'] : [],
        encode(coding) {
          if (isWorthwhile && paths.includes(name)) return whole({ name: place, key, coding, plain })
          const caller = addressOfCaller(request, context)
          const anew = () => {
            madeAnew.take(caller)
            return plain()
          }
          if (isWorthwhile && coding) return groups({ name: place, key, coding, plain: anew })
          // First, so that a refusal, which may wait, holds no place.
          madeAnew.take(caller)
          response.once('close', onTheWay.enter(caller))
          return plain()
        },
      })
    },
  })

  async function documentAt(name: string, origin: string): Promise<Document> {
    if (name === '/robots.txt') {
      const text = robotsTxt(origin)
      return { type: 'text/plain; charset=utf-8', key: text, plain: () => Buffer.from(text) }
    }
    const { key, feed, sitemap, groupFeed, changed: modified } = await current()
    const isSitemap = name === '/sitemap.xml'
    const template = isSitemap ? sitemap : name === '/feed.xml' ? feed : groupFeed(name)
    if (!template)
      throw new Problem('not_found', 'There is no teaching for this feed. The whole podcast is at /feed.xml.')
    const type = isSitemap ? 'application/xml' : 'application/rss+xml'
    const plain = () => filled(template(), origin)
    return { type: `${type}; charset=utf-8`, key: `${started} ${key}`, modified, plain }
  }
}

interface Document {
  type: string
  /** The source of the document, together with the origin. */
  key: string
  plain: () => Buffer
  modified?: Date
}

/** Another release may write other documents from the same revision. */
const started = randomUUID()

/** A document as it is sent. */
interface Wanted {
  /** Distinguishes it from others. */
  readonly name: string
  /** If the revision changes, all copies are dropped. */
  readonly key: string
  /** gzip, or undefined for none. */
  readonly coding: ContentCoding | undefined
  plain: () => Buffer
}

/**
 * Makes each document once for a coding, and compresses it once.
 *
 * @param most number of cached copies; the least recently used is dropped
 */
export function keptCopies(most: number) {
  const copies = new RecentMap<{ key: string; made: Promise<Buffer> }>(most)
  return ({ name, key, coding, plain }: Wanted): Promise<Buffer> => {
    const place = `${coding ?? 'plain'} ${name}`
    const known = copies.get(place)
    const copy = known?.key === key ? known : { key, made: make(coding, plain) }
    copies.set(place, copy)
    if (copy !== known) copy.made.catch(() => copies.get(place) === copy && copies.delete(place))
    return copy.made
  }
}

async function make(coding: ContentCoding | undefined, plain: () => Buffer): Promise<Buffer> {
  return coding === undefined ? plain() : promisify(gzip)(plain())
}

/** `GET /api/admin/feed-check`. */
export function mountFeedCheck(app: App, context: Context): void {
  const { config } = context
  serve(app, context, feed.check, ({ http: { env } }) =>
    checkFeed({
      ask: ownSite(env.incoming),
      origin: siteOrigin(config, env.incoming),
      publicUrl: config.publicUrl,
    }),
  )
}
