import type { AnswerOf } from '@fellowship/schema/endpoint'
import { checkEpisodes } from '@fellowship/schema/feed/check-episodes'
import {
  answered,
  checkAddress,
  checkArtwork,
  checkShow,
  type FromOutside,
  type ArtworkFacts,
  type EpisodeFacts,
  type ShowFacts,
} from '@fellowship/schema/feed/check-show'
import type { feed } from '@fellowship/schema/feed/feed.contract'
import { lineOf, type HealthLine } from '@fellowship/schema/system/system.contract'
import { pictureFacts } from '../../machine/picture/pictures.ts'
import { parseXml, XmlBroken, type XmlElement } from '../../machine/xml.ts'
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'

interface Site {
  readonly ask: RequestOwnSite
  /** The site's origin, without a trailing slash. */
  readonly origin: string
  readonly publicUrl: string | undefined
}

/**
 * Fetches the feed, its picture and its recordings as a podcast app does, and checks them against the requirements of
 * podcast directories. Every recording gets a HEAD request; a few, spread over the years, a range request.
 */
export async function checkFeed({ ask, origin, publicUrl }: Site): Promise<AnswerOf<typeof feed.check>> {
  const address = `${origin}/feed.xml`
  const place = checkAddress(address, await fromOutside(address, publicUrl))
  const words = await fetchFeed(ask)
  if (typeof words === 'string') return { address, lines: [place, formatLine(words)] }
  const picture = await askArtwork(words.artwork, { ask, origin })
  const episodes = await askRecordings(words.episodes, { ask, origin })
  const lines = [
    place,
    formatLine(),
    ...checkShow(words.show, address),
    checkArtwork(picture),
    ...checkEpisodes(episodes),
  ]
  return { address, lines }
}

const outsideTimeoutMs = 10_000

async function fromOutside(address: string, publicUrl: string | undefined): Promise<FromOutside> {
  if (!publicUrl) return 'not set'
  if (!publicUrl.startsWith('https://')) return 'not secure'
  try {
    const { status } = await fetch(address, {
      method: 'HEAD',
      signal: AbortSignal.timeout(outsideTimeoutMs),
    })
    return status
  } catch {
    return 'no answer'
  }
}

async function fetchFeed(ask: RequestOwnSite): Promise<FeedWords | string> {
  const { status, headers, body } = await ask('/feed.xml')
  if (status !== 200) return `The feed ${answered(status)}.`
  const type = headers['content-type'] ?? ''
  return /\bxml\b/.test(type) ? readFeed(body.toString('utf8')) : `The feed is sent as ${type}, not as XML.`
}

function formatLine(fault?: string): HealthLine {
  const line = lineOf('format', 'Format')
  return fault === undefined
    ? line.good('The feed is read without a mistake.')
    : line.bad(fault, 'The server’s log has the details.')
}

/** The path of an address on this site; undefined for one elsewhere. */
const pathOn = (origin: string, address: string): string | undefined =>
  address.startsWith(`${origin}/`) ? address.slice(origin.length) : undefined

async function askArtwork(address: string, { ask, origin }: Omit<Site, 'publicUrl'>): Promise<ArtworkFacts> {
  const path = pathOn(origin, address)
  if (path === undefined) return { address, status: 0, picture: undefined }
  const head = await ask(path, { method: 'HEAD' })
  if (head.status !== 200) return { address, status: head.status, picture: undefined }
  const { status, body } = await ask(path)
  return { address, status, picture: await pictureFacts(body) }
}

const atOnce = 8
const sampleSize = 12

async function askRecordings(
  episodes: FeedWords['episodes'],
  { ask, origin }: Omit<Site, 'publicUrl'>,
): Promise<EpisodeFacts[]> {
  const step = Math.ceil(episodes.length / sampleSize)
  const facts: EpisodeFacts[] = []
  for (let start = 0; start < episodes.length; start += atOnce) {
    const some = episodes.slice(start, start + atOnce)
    facts.push(...(await Promise.all(some.map((episode, at) => askOne(episode, (start + at) % step === 0)))))
  }
  return facts

  async function askOne(episode: FeedWords['episodes'][number], withRange: boolean): Promise<EpisodeFacts> {
    const path = pathOn(origin, episode.url)
    if (path === undefined) return { ...episode, answer: { status: 0, length: '' }, rangeStatus: undefined }
    const { status, headers } = await ask(path, { method: 'HEAD' })
    const part = withRange ? await ask(path, { headers: { range: 'bytes=0-1' } }) : undefined
    const rangeStatus = part && (part.status === 206 && part.body.length !== 2 ? 0 : part.status)
    return { ...episode, answer: { status, length: headers['content-length'] ?? '' }, rangeStatus }
  }
}

/** The contents of a feed, before any of its addresses was requested. */
interface FeedWords {
  readonly show: ShowFacts
  /** Address of the picture; empty if it has none. */
  readonly artwork: string
  readonly episodes: readonly Omit<EpisodeFacts, 'answer' | 'rangeStatus'>[]
}

/** Reads RSS as a podcast app does; returns a sentence with the reason if it is invalid. */
function readFeed(xml: string): FeedWords | string {
  try {
    const channel = parseXml(xml)['rss']?.[0]?.children['channel']?.[0]
    return channel ? wordsOf(channel) : 'What is there is XML, but no podcast feed.'
  } catch (error) {
    if (!(error instanceof XmlBroken)) throw error
    return `What is there is no valid XML (${error.message}).`
  }
}

function wordsOf(channel: XmlElement): FeedWords {
  const owner = child(channel, 'itunes:owner')
  const self = channel.children['atom:link']?.find(({ attributes }) => attributes['rel'] === 'self')
  return {
    show: {
      title: text(channel, 'title'),
      description: text(channel, 'description'),
      language: text(channel, 'language'),
      category: attribute(channel, 'itunes:category', 'text'),
      explicit: text(channel, 'itunes:explicit'),
      link: text(channel, 'link'),
      author: text(channel, 'itunes:author'),
      ownerEmail: owner ? text(owner, 'itunes:email') : '',
      self: self?.attributes['href'] ?? '',
      guid: text(channel, 'podcast:guid'),
    },
    artwork: attribute(channel, 'itunes:image', 'href'),
    episodes: (channel.children['item'] ?? []).map((item) => ({
      title: text(item, 'title'),
      guid: text(item, 'guid'),
      pubDate: text(item, 'pubDate'),
      duration: text(item, 'itunes:duration'),
      url: attribute(item, 'enclosure', 'url'),
      length: attribute(item, 'enclosure', 'length'),
      type: attribute(item, 'enclosure', 'type'),
    })),
  }
}

const child = (element: XmlElement, name: string): XmlElement | undefined => element.children[name]?.[0]
const text = (element: XmlElement, name: string): string => child(element, name)?.text.trim() ?? ''
const attribute = (element: XmlElement, name: string, key: string): string =>
  child(element, name)?.attributes[key] ?? ''

/** The answer of this site. Status 0: no answer within ten seconds, or one beyond 32 MB. */
interface OwnAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** Requests a path of this site over HTTP; it begins with a slash. Never rejects. */
export type RequestOwnSite = (
  path: string,
  options?: { method?: 'GET' | 'HEAD'; headers?: Record<string, string> },
) => Promise<OwnAnswer>

const timeoutMs = 10_000
const maxBytes = 32 * 1024 * 1024

/**
 * An HTTP client for this server: it connects to the address at which a request came in and sends that request's Host, so
 * that answers are those an outside client gets. No other server can be reached with it.
 */
export function ownSite({ socket, headers: { host } }: IncomingMessage): RequestOwnSite {
  const { localAddress, localPort } = socket
  return (path, { method = 'GET', headers = {} } = {}) =>
    new Promise((resolve) => {
      const nothing = () => resolve({ status: 0, headers: {}, body: Buffer.alloc(0) })
      const outgoing = request(
        {
          host: localAddress,
          port: localPort,
          path,
          method,
          headers: { host, ...headers },
          timeout: timeoutMs,
        },
        (response) => {
          const parts: Buffer[] = []
          let bytes = 0
          response.on('data', (part: Buffer) => {
            parts.push(part)
            bytes += part.length
            if (bytes > maxBytes) outgoing.destroy()
          })
          response.once('error', nothing)
          response.once('close', nothing)
          response.once('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: Buffer.concat(parts),
            }),
          )
        },
      )
      outgoing.once('timeout', () => outgoing.destroy())
      outgoing.once('error', nothing)
      outgoing.end()
    })
}
