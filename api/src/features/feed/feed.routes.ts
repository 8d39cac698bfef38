import { createHash, randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Problem } from '@fellowship/schema/problem'
import type { Context } from '../../context.ts'
import { rawRoute, sendBody, type RawRoute } from '../../http/deliver.ts'
import { knownOrigins } from '../../http/known-origins.ts'
import { openHeaders } from '../../http/security-headers.ts'
import { siteOrigin } from '../../http/site-origin.ts'
import { documents, filled, type LiveLibrary } from './feed.ts'
import { isPartFeed } from './part-feeds.ts'
import { robotsTxt } from './sitemap.ts'

const paths = ['/feed.xml', '/sitemap.xml', '/robots.txt']

/** The podcast feed, those of speakers and books, the sitemap and robots.txt, open to other sites. */
export function feedRoute(context: Context, library: () => Promise<LiveLibrary>): RawRoute {
  const { config, clock } = context
  const current = documents(context, library)
  const isKnown = knownOrigins(clock)
  const kept = compressedCopies()
  const open = openHeaders(config)
  const headers = Object.entries({ ...open, 'cache-control': 'public, max-age=300' }).flat()
  return rawRoute(context, {
    matches: (_, pathname) => paths.includes(pathname) || isPartFeed(pathname),
    failureHeaders: open,
    failureBody: 'text',
    async send(request, response, pathname) {
      const origin = siteOrigin(config, request)
      const { type, key, modified, plain } = await documentAt(pathname, origin)
      const isWorthwhile = config.publicUrl !== undefined || isKnown(origin)
      return sendBody(request, response, {
        headers,
        type,
        tag: createHash('sha256').update(`${pathname} ${origin} ${key}`).digest('base64url').slice(0, 27),
        modified,
        codings: isWorthwhile ? ['gzip'] : [],
        encode: (coding) => (coding === 'gzip' ? kept(`${pathname} ${origin}`, key, plain) : plain()),
      })
    },
  })

  async function documentAt(pathname: string, origin: string): Promise<Document> {
    if (pathname === '/robots.txt') {
      const text = robotsTxt(origin)
      return { type: 'text/plain; charset=utf-8', key: text, plain: () => Buffer.from(text) }
    }
    const { key, feed, sitemap, partFeed, changed: modified } = await current()
    const isFeed = pathname !== '/sitemap.xml'
    const document = !isFeed ? sitemap : pathname === '/feed.xml' ? feed : partFeed(decoded(pathname))
    if (!document)
      throw new Problem('not_found', 'There is no teaching for this feed. The whole podcast is at /feed.xml.')
    const type = isFeed ? 'application/rss+xml' : 'application/xml'
    const plain = () => filled(document, origin)
    return { type: `${type}; charset=utf-8`, key: `${started} ${key}`, modified, plain }
  }
}

/** Empty, which is no path, where the percent-encoding is broken. */
function decoded(pathname: string): string {
  try {
    return decodeURIComponent(pathname)
  } catch {
    return ''
  }
}

interface Document {
  type: string
  /** What it was made from, together with the origin. */
  key: string
  plain: () => Buffer
  modified?: Date
}

/** Another release may write other documents from the same revision. */
const started = randomUUID()

/** Compresses each document once; of an older revision nothing is kept. */
function compressedCopies() {
  const copies = new Map<string, { key: string; made: Promise<Buffer> }>()
  return (name: string, key: string, plain: () => Buffer): Promise<Buffer> => {
    const known = copies.get(name)
    if (known?.key === key) return known.made
    const made = promisify(gzip)(plain())
    copies.delete(name)
    copies.set(name, { key, made })
    if (copies.size > mostCopies) copies.delete(copies.keys().next().value!)
    made.catch(() => copies.delete(name))
    return made
  }
}

/** Three documents for each of four origins. */
const mostCopies = 12
