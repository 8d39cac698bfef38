import { createHash } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Problem } from '@fellowship/schema/problem'
import type { Context } from '../../context.ts'
import { acceptedEncoding } from '../../http/accepted-encoding.ts'
import { asProblem } from '../../http/on-error.ts'
import { documents } from './feed.ts'
import { siteOrigin } from '../../http/site-origin.ts'
import { robotsTxt } from './sitemap.ts'

/** The addresses that machines read. */
export const isFeedAddress = (pathname: string): boolean =>
  ['/feed.xml', '/sitemap.xml', '/robots.txt'].includes(pathname)

/** `GET|HEAD` of the podcast feed, the sitemap and robots.txt, open to other sites, answered 304 while nothing changed. */
export function feedDelivery(context: Context): RequestListener {
  const current = documents(context)
  return (request, response) => {
    void deliver(request, response).catch((error: unknown) => refuse(response, asProblem(error, context)))
  }

  async function deliver(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD')
      throw new Problem('method_not_allowed')
    }
    const origin = siteOrigin(context.config, request)
    const pathname = (request.url ?? '').split('?', 1)[0]
    if (pathname === '/robots.txt') {
      return send(request, response, { type: 'text/plain; charset=utf-8', text: robotsTxt(origin) })
    }
    const { feed, sitemap, changed } = await current(origin)
    return pathname === '/feed.xml'
      ? send(request, response, { type: 'application/rss+xml; charset=utf-8', text: feed, changed })
      : send(request, response, { type: 'application/xml; charset=utf-8', text: sitemap, changed })
  }
}

interface Document {
  type: string
  text: string
  changed?: Date
}

async function send(
  request: IncomingMessage,
  response: ServerResponse,
  { type, text, changed }: Document,
): Promise<void> {
  const encoding = acceptedEncoding(request.headers['accept-encoding'], ['gzip'])
  const tag = createHash('sha256').update(text).digest('base64url').slice(0, 27)
  const etag = `"${tag}${encoding ? `-${encoding}` : ''}"`
  const headers = {
    ...openToAll,
    etag,
    ...(changed && { 'last-modified': changed.toUTCString() }),
    'cache-control': 'public, max-age=300',
    vary: 'accept-encoding',
  }
  if (isUnchanged(request, etag, changed)) {
    response.writeHead(304, headers).end()
    return
  }
  const plain = Buffer.from(text)
  const body = encoding === 'gzip' ? await promisify(gzip)(plain) : plain
  response.writeHead(200, {
    ...headers,
    'content-type': type,
    'content-length': body.length,
    ...(encoding && { 'content-encoding': encoding }),
  })
  response.end(request.method === 'HEAD' ? undefined : body)
}

/** RFC 9110 13.2.2: If-None-Match first, If-Modified-Since only without it. */
function isUnchanged({ headers }: IncomingMessage, etag: string, changed: Date | undefined): boolean {
  const tags = headers['if-none-match']
  if (tags !== undefined) return tags.split(',').some((one) => one.trim().replace(/^W\//, '') === etag)
  const since = Date.parse(headers['if-modified-since'] ?? '')
  // The very time that was told before: a library restored from a backup is older than what its readers have seen.
  return changed !== undefined && Math.floor(changed.getTime() / 1000) * 1000 === since
}

const openToAll = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
}

function refuse(response: ServerResponse, problem: Problem): void {
  if (response.headersSent) return void response.destroy()
  response.writeHead(problem.status, {
    ...openToAll,
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
  })
  response.end(problem.message)
}
