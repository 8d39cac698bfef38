import { church } from '@fellowship/schema/church'
import { shareAddress } from '@fellowship/schema/elders/elder-photo'
import { artwork } from '@fellowship/schema/feed/feed.limits'
import { eventsPath } from '@fellowship/schema/events/event-address'
import type { ComingDate } from '@fellowship/schema/events/events.schema'
import { siteWords } from '@fellowship/schema/feed/site-words'
import { seriesPath, type SeriesAround } from '@fellowship/schema/series/series-address'
import type { Site } from '@fellowship/schema/site/site.contract'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type {
  AudioObject,
  Church,
  CollectionPage,
  Event,
  GeoCoordinates,
  Organization,
  PodcastSeries,
  PostalAddress,
  WithContext,
} from 'schema-dts'
import { withOffset } from '../../machine/calendar.ts'
import { dataBlock, element, textElement } from '../../machine/xml.ts'
import { secondsOf } from '@fellowship/schema/teachings/duration'
import { pageOf, summaryOf } from '../feed/feed.ts'

/** A picture of a shared link, in pixels. */
export interface SharedPicture {
  url: string
  width: number
  height: number
  alt: string
}

/** The facts about a page for search engines and link previews. */
export interface PageFacts {
  /** Without the fellowship's name, which is appended; the home page has none. */
  title?: string
  description: string
  /** Absolute canonical address. */
  canonical?: string
  /** Open Graph type. */
  type?: 'website' | 'article'
  /** A picture of the page's own, absolute; the site's by default. */
  picture?: SharedPicture | undefined
  audio?: { url: string; type: string } | undefined
  /** A podcast feed of this page alone. */
  feed?: { title: string; href: string }
  /** schema.org data. */
  data?: object
  /** Adds `noindex`: for pages that search engines should not list. */
  hidden?: boolean
}

/** The tags of a page's head, each on its own line. */
export function headTags(origin: string, facts: PageFacts): string {
  const title = facts.title ? `${facts.title} – ${church().name}` : church().name
  const lines = [textElement('title', title), meta('description', facts.description)]
  if (facts.hidden) lines.push(meta('robots', 'noindex'))
  if (facts.canonical) {
    lines.push(element('link', { rel: 'canonical', href: facts.canonical }))
    lines.push(...openGraph(origin, title, facts))
  }
  const whole = { title: siteWords().podcast.title, href: `${origin}/feed.xml` }
  for (const feed of [...(facts.feed ? [facts.feed] : []), whole])
    lines.push(element('link', { rel: 'alternate', type: 'application/rss+xml', ...feed }))
  if (facts.data) lines.push(dataBlock('application/ld+json', facts.data))
  return lines.join('\n    ')
}

function openGraph(
  origin: string,
  title: string,
  { description, canonical, type, audio, picture }: PageFacts,
): string[] {
  const { width, height } = artwork.share
  const image = picture ?? { url: origin + sharePath(), width, height, alt: shareAlt() }
  const properties: [name: string, content: string | number][] = [
    ['og:title', title],
    ['og:description', description],
    ['og:type', type ?? 'website'],
    ['og:url', canonical!],
    ['og:site_name', church().name],
    ['og:locale', church().language.replaceAll('-', '_')],
    ['og:image', image.url],
    ['og:image:width', image.width],
    ['og:image:height', image.height],
    ['og:image:alt', image.alt],
    ...(audio
      ? ([
          ['og:audio', audio.url],
          ['og:audio:type', audio.type],
        ] as [string, string][])
      : []),
  ]
  return [
    ...properties.map(([property, content]) => element('meta', { property, content })),
    meta('twitter:card', picture ? 'summary' : 'summary_large_image'),
  ]
}

/** The church's own picture of shared links, or the drawn one. */
const sharePath = (): string => shareAddress(church().share ?? '') ?? artwork.share.path
const shareAlt = (): string =>
  church().share ? church().name : `${church().name}: hills, a river and a small hall`

const meta = (name: string, content: string) => element('meta', { name, content })

function postalAddress(): PostalAddress {
  const { street, locality, postalCode, countryCode } = church().address
  return {
    '@type': 'PostalAddress',
    streetAddress: street,
    addressLocality: locality,
    postalCode,
    addressCountry: countryCode,
  }
}

/** The church as schema.org Church, for search engines. */
export function churchData(origin: string): WithContext<Church> {
  const { map, services } = church()
  const events = services.map(({ weekday, time }): Event => ({
    '@type': 'Event',
    name: `${weekday} Service`,
    location: { '@id': `${origin}/#church` },
    eventSchedule: {
      '@type': 'Schedule',
      repeatFrequency: 'P1W',
      byDay: `https://schema.org/${weekday}`,
      startTime: `${time}:00`,
      scheduleTimezone: church().timeZone,
    },
  }))
  return {
    '@context': 'https://schema.org',
    '@type': 'Church',
    '@id': `${origin}/#church`,
    name: church().name,
    description: siteWords().description,
    url: `${origin}/`,
    image: origin + sharePath(),
    logo: `${origin}/icons/icon-512.png`,
    address: postalAddress(),
    ...(map && { geo: geoOf(map), hasMap: mapAddress(map) }),
    isAccessibleForFree: true,
    ...(events.length > 0 && { event: events.length === 1 ? events[0]! : events }),
  }
}

type Pin = NonNullable<Site['map']>

const geoOf = ({ latitude, longitude }: Pin): GeoCoordinates => ({
  '@type': 'GeoCoordinates',
  latitude,
  longitude,
})

const mapAddress = ({ latitude, longitude, zoom }: Pin) =>
  `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=${zoom}/${latitude}/${longitude}`

/** One teaching and its recording as schema.org data (AudioObject), part of the podcast and of its series. */
export function teachingData(
  origin: string,
  teaching: Teaching,
  series: readonly SeriesAround<Teaching>[],
): WithContext<AudioObject> {
  const { audioUrl, audioBytes, audioMime, date, speaker } = teaching
  const seconds = secondsOf(teaching.duration)
  return {
    '@context': 'https://schema.org',
    '@type': 'AudioObject',
    name: shownTitle(teaching),
    description: summaryOf(teaching),
    url: pageOf(origin, teaching),
    ...(audioUrl && {
      contentUrl: origin + audioUrl,
      ...(audioMime && { encodingFormat: audioMime }),
      contentSize: String(audioBytes),
    }),
    ...(seconds && { duration: isoDuration(seconds) }),
    datePublished: date,
    uploadDate: date,
    inLanguage: church().language,
    author: { '@type': 'Person', name: speaker },
    publisher: publisherOf(origin),
    isPartOf: [
      { '@type': 'PodcastSeries', name: siteWords().podcast.title, webFeed: `${origin}/feed.xml` },
      ...series.map((each): PodcastSeries => {
        const url = origin + seriesPath(each)
        return { '@type': 'PodcastSeries', name: each.title, url, webFeed: `${url}/feed.xml` }
      }),
    ],
  }
}

/** The list on a page: the total number and the first entries. */
interface Listing {
  readonly count: number
  readonly first: readonly { name: string; url: string }[]
}

/** Lists no more rows than a page shows, even if there are more. */
export const listingOf = <Row>(
  rows: readonly Row[],
  itemOf: (row: Row) => Listing['first'][number],
): Listing => ({ count: rows.length, first: rows.slice(0, mostListed).map(itemOf) })

interface ListPage {
  title: string
  description: string
  canonical: string
}

/** A page that lists others, as schema.org CollectionPage with the first of them. */
export const collectionData = (origin: string, page: ListPage, { count, first }: Listing) =>
  listData(origin, page, {
    count,
    first: first.map(({ name, url }) => ({ name, url })),
  })

/** Coming dates of events as schema.org Event, the first of them. */
export const eventsData = (origin: string, page: ListPage, dates: readonly ComingDate[]) =>
  listData(origin, page, {
    count: dates.length,
    first: dates.slice(0, mostListed).map((date) => ({ item: eventData(origin, date) })),
  })

function listData(
  origin: string,
  { title, description, canonical }: ListPage,
  { count, first }: { count: number; first: readonly object[] },
): WithContext<CollectionPage> {
  return {
    '@context': 'https://schema.org',
    '@type': 'CollectionPage',
    name: title,
    description,
    url: canonical,
    inLanguage: church().language,
    publisher: publisherOf(origin),
    mainEntity: {
      '@type': 'ItemList',
      numberOfItems: count,
      itemListElement: first.map((entry, at) => ({ '@type': 'ListItem', position: at + 1, ...entry })),
    },
  }
}

const eventData = (origin: string, date: ComingDate): Event => ({
  '@type': 'Event',
  name: date.title,
  ...(date.description && { description: date.description }),
  startDate: withOffset(date.starts, church().timeZone),
  endDate: withOffset(date.ends, church().timeZone),
  eventStatus: `https://schema.org/${date.cancelled ? 'EventCancelled' : 'EventScheduled'}`,
  eventAttendanceMode: 'https://schema.org/OfflineEventAttendanceMode',
  location: { '@type': 'Place', name: date.place || church().name, address: postalAddress() },
  organizer: publisherOf(origin),
  url: origin + eventsPath,
})

/** A series as schema.org PodcastSeries, with its first episodes in order. */
export function seriesData(
  origin: string,
  facts: { title: string; description: string; canonical: string },
  { feed, image, listed }: { feed: string; image: string | undefined; listed: Listing },
): WithContext<PodcastSeries> {
  return {
    '@context': 'https://schema.org',
    '@type': 'PodcastSeries',
    name: facts.title,
    description: facts.description,
    url: facts.canonical,
    inLanguage: church().language,
    publisher: publisherOf(origin),
    webFeed: feed,
    ...(image && { image }),
    hasPart: listed.first.map(({ name, url }, at) => ({
      '@type': 'PodcastEpisode',
      episodeNumber: at + 1,
      name,
      url,
    })),
  }
}

/** A church is a place in schema.org, and only an organisation publishes. */
const publisherOf = (origin: string): Organization => ({
  '@type': 'Organization',
  '@id': `${origin}/#publisher`,
  name: church().name,
  url: `${origin}/`,
})

const mostListed = 50

/** ISO 8601: 2530 seconds are 'PT42M10S'. */
function isoDuration(seconds: number): string {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  return `PT${hours ? `${hours}H` : ''}${minutes ? `${minutes}M` : ''}${rest || seconds < 1 ? `${rest}S` : ''}`
}
