import type { XmlElement } from '../../machine/xml.ts'
import type { IncomingTeaching } from '@fellowship/schema/imports/incoming-teaching'
import { dateOfMoment, incomingOf, personOf, type RawTeaching } from './incoming.ts'

/** One page of a podcast feed, as it was read. */
export interface FeedPage {
  readonly title: string
  readonly podcastGuid: string | null
  /** The address of the feed by its own words; empty if it names none. */
  readonly self: string
  /** The address of the next page; empty if this is the last one. */
  readonly next: string
  /** Newest first, as feeds are. */
  readonly items: readonly IncomingTeaching[]
}

/**
 * Reads the channel of an RSS 2.0 feed with the itunes and podcast namespaces.
 *
 * @param base the address of the feed, from which relative addresses are resolved; empty for a file
 */
export function readFeed(channel: XmlElement, base: string): FeedPage {
  const links = [...all(channel, 'atom:link'), ...all(channel, 'atom10:link')]
  const linked = (rel: string) =>
    links.find(({ attributes }) => attributes['rel'] === rel)?.attributes['href']
  const guid = text(channel, 'podcast:guid').toLowerCase()
  const author = personOf(text(channel, 'itunes:author') || text(channel, 'managingEditor'))
  const cover = pictureOf(channel, base)
  return {
    title: text(channel, 'title'),
    podcastGuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(guid) ? guid : null,
    self: absolute(linked('self') ?? '', base),
    next: absolute(linked('next') ?? '', base),
    items: all(channel, 'item').map((item) => {
      const raw = rawOf(item, base, author)
      // Many hosts repeat the picture of the podcast in each item.
      return incomingOf(raw.picture === cover ? { ...raw, picture: '' } : raw)
    }),
  }
}

function rawOf(item: XmlElement, base: string, author: string): RawTeaching {
  const enclosure = recordingOf(item)
  const guid = text(item, 'guid')
  const isPermaLink = child(item, 'guid')?.attributes['isPermaLink'] !== 'false'
  const link = absolute(text(item, 'link'), base)
  const pages = [link, ...(isPermaLink && /^https?:/.test(guid) ? [guid] : [])]
  const when = dateOfMoment(text(item, 'pubDate') || text(item, 'dc:date'))
  const season = child(item, 'podcast:season')?.attributes['name'] ?? ''
  return {
    guid,
    title: text(item, 'title') || text(item, 'itunes:title'),
    speaker: speakerOf(item) || author,
    ...when,
    description: text(item, 'content:encoded') || text(item, 'description') || text(item, 'itunes:summary'),
    series: season,
    audio: absolute(enclosure.url, base),
    bytes: Number(enclosure.length),
    picture: pictureOf(item, base),
    pages: [...new Set(pages)].filter((page) => page !== ''),
    transcript: absolute(transcriptOf(item), base),
    chapters: absolute(child(item, 'podcast:chapters')?.attributes['url'] ?? '', base),
  }
}

/** The transcript in the format that has most: some feeds offer several, also as HTML. */
function transcriptOf(item: XmlElement): string {
  const offered = all(item, 'podcast:transcript').map(({ attributes }) => attributes)
  const types = ['text/vtt', 'application/x-subrip', 'application/srt', 'text/srt', 'text/plain']
  const best = types.flatMap((type) => offered.filter((each) => each['type']?.toLowerCase() === type))[0]
  return (best ?? offered.find(({ type }) => !/html|json/i.test(type ?? '')))?.['url'] ?? ''
}

/** The first enclosure that is a recording. Some feeds enclose a picture or a PDF too. */
function recordingOf(item: XmlElement): { url: string; length: string } {
  const enclosed = [...all(item, 'enclosure'), ...all(item, 'media:content')].map(({ attributes }) => ({
    url: (attributes['url'] ?? '').trim(),
    length: attributes['length'] ?? attributes['fileSize'] ?? '',
    type: attributes['type'] ?? '',
  }))
  const isRecording = ({ url, type }: { url: string; type: string }) =>
    url !== '' &&
    (/^(?:audio|video)\//.test(type) || !/\.(?:jpe?g|png|gif|webp|pdf|html?)(?:$|\?)/i.test(url))
  return enclosed.find(isRecording) ?? { url: '', length: '' }
}

/** The person of an item, by the tags that feeds use for it. */
function speakerOf(item: XmlElement): string {
  const persons = all(item, 'podcast:person')
  const host = persons.find(({ attributes }) => (attributes['role'] ?? 'host').toLowerCase() === 'host')
  const named = [
    (host ?? persons[0])?.text,
    text(item, 'itunes:author'),
    text(item, 'dc:creator'),
    text(item, 'author'),
  ]
  return named.map((name) => personOf(name ?? '')).find((name) => name !== '') ?? ''
}

const pictureOf = (element: XmlElement, base: string): string =>
  absolute(child(element, 'itunes:image')?.attributes['href'] ?? '', base)

/** An absolute address of http or https; empty for anything else. */
export function absolute(address: string, base: string): string {
  const trimmed = address.trim()
  if (trimmed === '') return ''
  if (!URL.canParse(trimmed, base || undefined)) return ''
  const url = new URL(trimmed, base || undefined)
  return /^https?:$/.test(url.protocol) ? url.href : ''
}

const all = (element: XmlElement, name: string): readonly XmlElement[] => element.children[name] ?? []
const child = (element: XmlElement, name: string): XmlElement | undefined => element.children[name]?.[0]
const text = (element: XmlElement, name: string): string => child(element, name)?.text.trim() ?? ''
