import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Context } from '../../context.ts'
import { rawRoute, sendBody, type RawRoute } from '../../http/deliver.ts'
import { siteOrigin } from '../../http/site-origin.ts'
import { documents } from './feed.ts'
import { robotsTxt } from './sitemap.ts'

const paths = ['/feed.xml', '/sitemap.xml', '/robots.txt']

/** The podcast feed, the sitemap and robots.txt, open to other sites. */
export function feedRoute(context: Context): RawRoute {
  const current = documents(context)
  return rawRoute(context, {
    matches: (_, pathname) => paths.includes(pathname),
    failureHeaders: openToAll,
    failureBody: 'text',
    async send(request, response, pathname) {
      const { type, text, modified } = await documentAt(pathname, siteOrigin(context.config, request))
      const plain = Buffer.from(text)
      return sendBody(request, response, {
        headers,
        type,
        tag: createHash('sha256').update(plain).digest('base64url').slice(0, 27),
        modified,
        codings: ['gzip'],
        encode: (coding) => (coding === 'gzip' ? promisify(gzip)(plain) : plain),
      })
    },
  })

  async function documentAt(pathname: string, origin: string): Promise<Document> {
    if (pathname === '/robots.txt') return { type: 'text/plain; charset=utf-8', text: robotsTxt(origin) }
    const { feed, sitemap, changed: modified } = await current(origin)
    return pathname === '/feed.xml'
      ? { type: 'application/rss+xml; charset=utf-8', text: feed, modified }
      : { type: 'application/xml; charset=utf-8', text: sitemap, modified }
  }
}

interface Document {
  type: string
  text: string
  modified?: Date
}

const openToAll = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
}

const headers = Object.entries({ ...openToAll, 'cache-control': 'public, max-age=300' }).flat()
