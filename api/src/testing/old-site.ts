import { once } from 'node:events'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { guestFetch, type Guest } from '../machine/guest-fetch.ts'
import { escapeMarkup } from '../machine/xml.ts'
import { fixture } from './multipart.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** The site that a church moves from: answers by path; any other path is 404. */
export interface OldSite {
  /** Without a slash at its end. */
  readonly url: string
  readonly host: string
  /** Every request, as method and path. */
  readonly asked: string[]
  answer(path: string, how: Answer | string | Buffer): void
  /** A guest that may fetch from it, and waits for nothing. */
  readonly guest: Guest
  /** How long the guest would have waited, in milliseconds. */
  readonly waits: number[]
}

/** Ends with the test. */
export async function oldSite(): Promise<OldSite> {
  const answers = new Map<string, Answer>()
  const asked: string[] = []
  const server = http.createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    const how = answers.get(request.url ?? '')
    if (how) how(request, response)
    else response.writeHead(404, { 'content-length': 0 }).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const waits: number[] = []
  return {
    url: `http://${host}`,
    host,
    asked,
    waits,
    answer: (path, how) =>
      void answers.set(
        path,
        typeof how === 'function' ? how : (request, response) => send(request, response, how),
      ),
    guest: guestFetch({
      privateHosts: [host],
      userAgent: 'Test/1.0 (+mailto:test@example.org)',
      wait: async (ms) => void waits.push(ms),
    }),
  }
}

/** Sends a document or a recording, also a part of it. */
export function send(request: IncomingMessage, response: ServerResponse, content: string | Buffer): void {
  const bytes = Buffer.from(content as string)
  const type = typeof content === 'string' ? 'application/xml' : 'audio/mpeg'
  const from = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? -1)
  const headers = { 'content-type': type, etag: `"${bytes.length}"` }
  if (from < 0) response.writeHead(200, { ...headers, 'content-length': bytes.length })
  else {
    const rest = { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` }
    response.writeHead(206, { ...headers, ...rest, 'content-length': bytes.length - from })
  }
  if (request.method === 'HEAD') response.end()
  else response.end(bytes.subarray(Math.max(0, from)))
}

/** A short recording of its own for each number. */
export async function recordingOf(number: number): Promise<Buffer> {
  return Buffer.concat([await fixture('cbr.mp3'), Buffer.from(`recording ${number}`)])
}

/** One item of a feed by its tags; their texts are escaped. */
export const feedItem = ({
  enclosure,
  more = '',
  ...texts
}: Record<string, string> & { enclosure?: string; more?: string }): string => {
  const tags = Object.entries(texts).map(([name, text]) => `<${name}>${escapeMarkup(text)}</${name}>`)
  const enclosed =
    enclosure === undefined
      ? ''
      : `<enclosure url="${escapeMarkup(enclosure)}" type="audio/mpeg" length="0"/>`
  return `<item>${tags.join('')}${enclosed}${more}</item>`
}

/** A podcast feed, the newest item first. */
export const feedOf = (items: readonly string[], channel = ''): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:podcast="https://podcastindex.org/namespace/1.0"
  xmlns:atom="http://www.w3.org/2005/Atom" xmlns:content="http://purl.org/rss/1.0/modules/content/">
<channel><title>Old Church</title>${channel}${items.join('\n')}</channel></rss>`
