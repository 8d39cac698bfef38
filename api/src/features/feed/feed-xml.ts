import { chapters } from '@fellowship/schema/chapters/chapters.contract'
import { church } from '@fellowship/schema/church'
import { artwork, feedItems } from '@fellowship/schema/feed/feed.limits'
import { siteWords } from '@fellowship/schema/feed/site-words'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { transcriptAddress } from '@fellowship/schema/transcripts/transcript-address'
import { element, escapeMarkup, textElement } from '../../machine/xml.ts'
import { secondsOf } from '@fellowship/schema/teachings/duration'
import { summaryOf, pageOf, podcastType, seriesPicture, serviceTime } from './teaching-facts.ts'
import { coverPath } from '@fellowship/schema/covers/cover-path'
import { seriesPath } from '@fellowship/schema/series/series-address'
import type { Series } from '@fellowship/schema/series/series.schema'
import { seriesTexts } from '@fellowship/schema/series/series.texts'
import { groupAddress, groupKinds, type TeachingGroup } from '@fellowship/schema/teachings/teaching-groups'
import { groupTexts } from '@fellowship/schema/teachings/teachings.texts'

/** A speaker, a book or a series with a feed of its own. */
export interface FeedGroup {
  readonly name: string
  /** Of the feed, percent-encoded. */
  readonly path: string
  /** Path of the page that lists the same teachings, percent-encoded. */
  readonly page: string
  readonly about: string
  /** Path of a square picture of its own; the podcast's by default. */
  readonly picture?: string | undefined
  /** To be heard in the order of the list, from its beginning. */
  readonly isSerial?: boolean
}

interface FeedFacts {
  /** Without a trailing slash. */
  origin: string
  /** When a teaching last changed. */
  changed: Date
  /** Directories verify the owner of the feed by this address. */
  contactEmail: string | undefined
  /** The podcast's identity, once it has one. */
  guid: string | undefined
  /** Guids by uid, of teachings that moved in from another feed. */
  guids?: ReadonlyMap<string, string>
  /** Items at most; by default as many as apps read. */
  most?: number
  /** The group of this feed; absent for the whole library. */
  group?: FeedGroup | undefined
}

/**
 * The podcast feed: RSS 2.0 with the tags that Apple requires and recommends, and those of the podcast namespace.
 * Recordings that directories do not accept (WAV) are left out until they have a small copy.
 *
 * @param teachings newest first, or in the order of a series
 */
export function feedXml(teachings: readonly Teaching[], facts: FeedFacts): string {
  const lines = [...channelHead(facts), ...newestItems(teachings, facts).flat()].map((line) => `    ${line}`)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<rss version="2.0"${namespaces}>`,
    '  <channel>',
    ...lines,
    '  </channel>',
    '</rss>',
    '',
  ].join('\n')
}

const namespaces = Object.entries({
  itunes: 'http://www.itunes.com/dtds/podcast-1.0.dtd',
  atom: 'http://www.w3.org/2005/Atom',
  podcast: 'https://podcastindex.org/namespace/1.0',
})
  .map(([prefix, address]) => ` xmlns:${prefix}="${address}"`)
  .join('')

/** Reads no further than it needs, so that the feed of a larger library costs the same. */
function newestItems(teachings: readonly Teaching[], facts: FeedFacts): string[][] {
  const items: string[][] = []
  for (const [at, teaching] of teachings.entries()) {
    if (items.length === (facts.most ?? feedItems)) break
    const lines = item(teaching, facts, at + 1)
    if (lines.length > 0) items.push(lines)
  }
  return items
}

function channelHead({ origin, changed, contactEmail, guid, group }: FeedFacts): string[] {
  const { title, description, language, category } = siteWords().podcast
  return [
    textElement('title', group ? `${church().name}: ${group.name}` : title),
    textElement('link', origin + (group?.page ?? '/teaching')),
    textElement('description', group?.about ?? description),
    textElement('language', language),
    textElement('lastBuildDate', changed.toUTCString()),
    element('atom:link', {
      href: origin + (group?.path ?? '/feed.xml'),
      rel: 'self',
      type: 'application/rss+xml',
    }),
    textElement('itunes:author', church().name),
    element('itunes:image', { href: origin + (group?.picture ?? artwork.podcast.path) }),
    element('itunes:category', { text: category.text }, element('itunes:category', { text: category.sub })),
    textElement('itunes:explicit', 'false'),
    // 'serial' begins with the first episode.
    textElement('itunes:type', group?.isSerial ? 'serial' : 'episodic'),
    ...(contactEmail
      ? [
          element(
            'itunes:owner',
            {},
            textElement('itunes:name', church().name) + textElement('itunes:email', contactEmail),
          ),
          element('podcast:locked', { owner: contactEmail }, 'no'),
        ]
      : []),
    ...(guid ? [textElement('podcast:guid', guid)] : []),
  ]
}

function item(teaching: Teaching, { origin, group, guids }: FeedFacts, number: number): string[] {
  const { uid, date, duration, speaker } = teaching
  const enclosure = enclosureOf(teaching)
  if (!enclosure) return []
  const seconds = secondsOf(duration)
  const members = [
    textElement('title', shownTitle(teaching)),
    textElement('description', summaryOf(teaching)),
    textElement('itunes:summary', summaryOf(teaching)),
    textElement('link', pageOf(origin, teaching)),
    // Permanent: a changed title or recording is still the same episode.
    element('guid', { isPermaLink: 'false' }, escapeMarkup(guids?.get(uid) ?? uid)),
    textElement('pubDate', serviceTime(date)),
    element('enclosure', { ...enclosure, url: origin + enclosure.url }),
    ...(enclosure.url === teaching.copyUrl ? [] : smallCopy(teaching, origin)),
    ...(teaching.transcriptRev === null
      ? []
      : [element('podcast:transcript', { url: origin + transcriptAddress(uid), type: 'text/vtt' })]),
    textElement('itunes:author', speaker),
    ...(teaching.chapters
      ? [
          element('podcast:chapters', {
            url: origin + chapters.read.path.replace(':uid', uid),
            type: 'application/json+chapters',
          }),
        ]
      : []),
    ...(seconds ? [textElement('itunes:duration', String(seconds))] : []),
    textElement('itunes:explicit', 'false'),
    ...(group?.isSerial ? [textElement('itunes:episode', String(number))] : []),
    textElement('itunes:episodeType', 'full'),
    element('podcast:person', { role: 'host' }, escapeMarkup(speaker)),
  ]
  return ['<item>', ...members.map((line) => `  ${line}`), '</item>']
}

/** The recording, or its small copy if directories do not accept the recording's format. */
function enclosureOf({ audioUrl, audioBytes, copyUrl, copyBytes }: Teaching) {
  const type = audioUrl ? podcastType(audioUrl) : undefined
  if (audioUrl && audioBytes && type) return { url: audioUrl, length: audioBytes, type }
  const copyType = copyUrl ? podcastType(copyUrl) : undefined
  return copyUrl && copyBytes && copyType ? { url: copyUrl, length: copyBytes, type: copyType } : undefined
}

/** For apps that offer a smaller recording of the same episode. */
function smallCopy({ copyUrl, copyBytes, copyMime }: Teaching, origin: string): string[] {
  if (!copyUrl || !copyBytes || !copyMime) return []
  const source = element('podcast:source', { uri: origin + copyUrl })
  const about = { type: copyMime, length: copyBytes, bitrate: copyBitrate, title: 'Small' }
  return [element('podcast:alternateEnclosure', about, source)]
}

/** Bits a second of a small copy. */
const copyBitrate = 32_000

/** Whether an address may be the feed of a speaker, of a book or of a series. */
export const isGroupFeed = (pathname: string): boolean =>
  feedAddress.test(pathname) || seriesFeed.test(pathname)

/** The path of the series whose feed this is; undefined for any other address. */
export const seriesOfFeed = (pathname: string): string | undefined => seriesFeed.exec(pathname)?.[1]

/** The path of the group whose feed this is, decoded; undefined for any other address. */
export function groupOfFeed(pathname: string): string | undefined {
  const page = feedAddress.exec(pathname)?.[1]
  const address = page === undefined ? undefined : groupAddress(page)
  return address?.path === page ? page : undefined
}

/** The channel of a group's feed. */
export const feedGroup = ({ kind, path, name }: TeachingGroup): FeedGroup => ({
  name,
  page: encodeURI(path),
  path: encodeURI(`${path}/feed.xml`),
  about: groupTexts[kind].about(name),
  picture: coverPath({ kind, title: name }, 'png'),
})

const feedAddress = new RegExp(`^(/(?:${groupKinds.join('|')})/[^/]+)/feed\\.xml$`)
const seriesFeed = /^(\/series\/[^/]+)\/feed\.xml$/

/** The channel of a series' feed. */
export const feedOfSeries = (series: Series): FeedGroup => ({
  name: series.title,
  page: seriesPath(series),
  path: `${seriesPath(series)}/feed.xml`,
  about: series.description || seriesTexts.about(series.title),
  isSerial: true,
  picture: seriesPicture(series),
})
