import { coverPath } from '@fellowship/schema/covers/cover-path'
import { shareAddress } from '@fellowship/schema/elders/elder-photo'
import { elderPhoto } from '@fellowship/schema/elders/elders.limits'
import { artwork } from '@fellowship/schema/feed/feed.limits'
import { siteWords } from '@fellowship/schema/feed/site-words'
import { mapTiles, tileUrlMeta } from '@fellowship/schema/map/map.limits'
import { freshPage, type RenderPage } from '@fellowship/schema/pages/prerender-data'
import { meantPages } from '@fellowship/schema/meant-pages'
import { browsePath, movedPages } from '@fellowship/schema/pages/places'
import { isPage } from '@fellowship/schema/routes'
import { seriesPath, slugAt, type SeriesAround } from '@fellowship/schema/series/series-address'
import { seriesTexts } from '@fellowship/schema/series/series.texts'
import { sharePath, startSecond } from '@fellowship/schema/teachings/share-link'
import { eventsPath } from '@fellowship/schema/events/event-address'
import type { ComingDate } from '@fellowship/schema/events/events.schema'
import { eventTexts } from '@fellowship/schema/events/events.texts'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import { teachingKey, teachingPath } from '@fellowship/schema/teachings/teaching-address'
import {
  groupAddress,
  type GroupAddress,
  groupKinds,
  groupsOfKind,
  listedTeachings,
  teachingGroups,
} from '@fellowship/schema/teachings/teaching-groups'
import { groupTexts } from '@fellowship/schema/teachings/teachings.texts'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { pagePath, pageSlugAt, textBlocks } from '@fellowship/schema/written-pages/page-text'
import type { PageRow } from '@fellowship/schema/written-pages/written-pages.schema'
import type { Context } from '../../context.ts'
import { readRevision } from '../../db/kept-by-revision.ts'
import { decodedPath } from '../../http/caller.ts'
import { knownOrigins, siteOrigin } from '../../http/origins.ts'
import { madeForKey } from '../../machine/caches.ts'
import { element } from '../../machine/xml.ts'
import type { PageHead } from '../../http/page-html.ts'
import type { PageSource } from '../../http/static-files.ts'
import { mayBeSignedIn } from '../../machine/sessions.ts'
import { comingEvents } from '../events/events.ts'
import { describe, type LiveLibrary, pageOf, seriesPicture } from '../feed/feed.ts'
import {
  churchData,
  collectionData,
  eventsData,
  headTags,
  listingOf,
  type PageFacts,
  type SharedPicture,
  seriesData,
  teachingData,
} from './head-tags.ts'
import { publicPages } from '../written-pages/written-pages.ts'
import { filledFiles } from './filled-files.ts'
import { prerenderedPages } from './prerendered-pages.ts'

/**
 * Head, status and prerendered content of each page; an unknown teaching is a 404 like an unknown path. Every page, also the
 * one in the service worker's cache, carries the configured tile URL and contact email.
 */
export function pageSource(
  context: Pick<Context, 'sql' | 'config' | 'log' | 'clock'>,
  library: () => Promise<LiveLibrary>,
  renderPage?: RenderPage,
): PageSource {
  const prerendered = renderPage && prerenderedPages(context, library, renderPage)
  const { tileUrl, publicUrl } = context.config
  const kept = madeForKey<PageRow[]>()
  const written = async () => kept(await readRevision(context.sql), () => publicPages(context.sql))
  const isKnown = knownOrigins(context.clock)
  return {
    async headOf(request) {
      const origin = siteOrigin(context.config, request)
      const sources = { library, coming: () => comingEvents(context), written }
      const { status, movedTo, facts } = await meantFacts(sources, origin, request.url ?? '/')
      if (movedTo !== undefined) return { status, movedTo, html: '' }
      const htmlAttributes = chosenDisplay(request.headers.cookie)
      const visitor = !mayBeSignedIn(request.headers.cookie)
      const url = request.url ?? '/'
      const head = {
        status,
        html: headTags(origin, facts),
        htmlAttributes,
        recording: facts.audio && new URL(facts.audio.url).pathname,
        isKept: publicUrl !== undefined || isKnown(origin),
        isShared:
          // Without PUBLIC_URL the page contains the Host header.
          publicUrl !== undefined &&
          status === 200 &&
          !facts.hidden &&
          visitor &&
          htmlAttributes === '' &&
          !url.endsWith(freshPage),
      }
      // If a page has another query, it depends on it, and only the browser renders it.
      const address = url.endsWith(freshPage) ? url.slice(0, -freshPage.length) : url
      const body =
        status === 200 && !address.includes('?') ? await prerendered?.(address, visitor) : undefined
      return { ...head, isFirstVisit: visitor && !url.endsWith(freshPage), ...(body && { body }) }
    },
    commonHead: tileUrl === mapTiles.url ? '' : element('meta', { name: tileUrlMeta, content: tileUrl }),
    filled: filledFiles(context.config),
    onError: (error) => context.log.error({ err: error }, 'a page went out without its head'),
  }
}

type Page = { status: PageHead['status']; facts: PageFacts; movedTo?: string }

/** The rows that pages are made of. */
interface Sources {
  library: () => Promise<LiveLibrary>
  coming: () => Promise<ComingDate[]>
  /** By path. */
  written: () => Promise<PageRow[]>
}

/** As `factsOf`; if an address is of no page, the page that it probably means. */
async function meantFacts(sources: Sources, origin: string, url: string): Promise<Page> {
  const found = await factsOf(sources, origin, url)
  if (found.status !== 404) return found
  const [path = '/', query = ''] = url.split('?', 2)
  for (const meant of meantPages(decodedPath(path))) {
    const own = encodeURI(meant) + (query === '' ? '' : `?${query}`)
    const { status, movedTo } = await factsOf(sources, origin, own)
    if (status !== 404) return moved(movedTo ?? own)
  }
  return found
}

async function factsOf({ library, coming, written }: Sources, origin: string, url: string): Promise<Page> {
  const [path = '/', query = ''] = url.split('?', 2)
  const pathname = path === '/' ? path : path.replace(/\/$/, '')
  const page = fixedPage(pathname)
  const search = new URLSearchParams(query)
  const uid = pathname === '/teaching' ? search.get('t') : null
  if (uid !== null) {
    const teaching = (await library()).withUid(uid.toLowerCase().replace(/[^0-9a-f]+$/, ''))
    return teaching ? moved(sharePath(teaching, startSecond(search.get('at')))) : unknown()
  }
  if (teachingKey(pathname) !== undefined) {
    const { at, seriesAround } = await library()
    const teaching = at(pathname)
    if (!teaching) return unknown()
    const own = teachingPath(teaching)
    if (own !== path) return moved(query === '' ? own : `${own}?${query}`)
    return { status: 200, facts: teachingFacts(origin, teaching, seriesAround(teaching)) }
  }
  const place = movedPages[pathname]
  if (place !== undefined) return moved(place)
  if (pathname === browsePath)
    return path === pathname ? browsePage(await library(), origin) : moved(pathname)
  if (pathname === eventsPath) return path === pathname ? eventsPage(await coming(), origin) : moved(pathname)
  if (slugAt(pathname) !== undefined) return seriesPage(await library(), origin, path)
  const decoded = decodedPath(pathname)
  const address = groupAddress(decoded)
  if (address) return groupPage(await library(), origin, path, address)
  if (page) {
    const canonical = pathname === '/' ? `${origin}/` : origin + pathname
    const about = pathname === '/about' && (await written()).find(({ slug }) => slug === 'about')?.parts
    const title = about ? { title: about['title'] as string } : {}
    return { status: 200, facts: { ...page, ...title, canonical, data: churchData(origin) } }
  }
  if (pageSlugAt(decoded) !== undefined && !isPage(decoded)) {
    const row = (await written()).find((each) => pagePath(each) === decoded)
    return !row ? unknown() : path === pathname ? writtenPage(row, origin) : moved(pathname)
  }
  return isPage(decoded) ? { status: 200, facts: hidden() } : unknown()
}

function fixedPage(pathname: string): Pick<PageFacts, 'title' | 'description'> | undefined {
  const { description, about, teaching } = siteWords()
  if (pathname === '/') return { description }
  if (pathname === '/about') return { title: 'Who We Are', description: about }
  return pathname === '/teaching' ? { title: 'Teaching', description: teaching } : undefined
}

/** A page that administrators wrote. */
function writtenPage({ slug, title, text, imageUrl }: PageRow, origin: string): Page {
  const canonical = `${origin}/${encodeURIComponent(slug)}`
  const [first] = textBlocks(text).filter(({ kind }) => kind === 'paragraph')
  const description = cutAtWord(first?.text ?? siteWords().description)
  const shared = imageUrl === null ? undefined : shareAddress(imageUrl)
  const { width, height } = artwork.share
  const picture = shared ? { url: origin + shared, width, height, alt: title } : undefined
  return { status: 200, facts: { title, description, canonical, picture, data: churchData(origin) } }
}

/** At most about so many characters as search engines show. */
const cutAtWord = (text: string, most = 160) =>
  text.length <= most ? text : `${text.slice(0, most).replace(/\s+\S*$/, '')}…`

/** The page of the coming events. */
function eventsPage(dates: readonly ComingDate[], origin: string): Page {
  const facts = { title: 'Events', description: eventTexts.listed, canonical: origin + eventsPath }
  return { status: 200, facts: { ...facts, data: eventsData(origin, facts, dates) } }
}

const hidden = (): PageFacts => ({ description: siteWords().description, hidden: true })
const unknown = (): Page => ({ status: 404, facts: { ...hidden(), title: '404 Page Not Found' } })

const moved = (movedTo: string): Page => ({ status: 200, facts: hidden(), movedTo })

function groupPage(
  { teachings }: LiveLibrary,
  origin: string,
  asked: string,
  { kind, path }: GroupAddress,
): Page {
  const own = encodeURI(path)
  const group = teachingGroups(teachings).get(path)
  if (!group) return unknown()
  if (own !== asked) return moved(own)
  const canonical = origin + own
  const texts = groupTexts[kind]
  const listed = listingOf(listedTeachings(group), linkTo(origin))
  const facts = { title: group.name, description: texts.about(group.name), canonical }
  const feed = { title: group.name, href: `${canonical}/feed.xml` }
  const picture = square(origin + coverPath({ kind, title: group.name }, 'png'), group.name)
  return { status: 200, facts: { ...facts, feed, picture, data: collectionData(origin, facts, listed) } }
}

/** The page that lists all series, speakers and books. */
function browsePage({ series, teachings }: LiveLibrary, origin: string): Page {
  const ofSeries = listingOf(series, (each) => ({ name: each.title, url: origin + seriesPath(each) }))
  const ofGroups = groupKinds.map((kind) =>
    listingOf(groupsOfKind(kind, teachings), ({ name, path }) => ({ name, url: origin + encodeURI(path) })),
  )
  const all = [ofSeries, ...ofGroups]
  const facts = { title: 'Browse', description: siteWords().browse, canonical: origin + browsePath }
  const data = collectionData(origin, facts, {
    count: all.reduce((sum, { count }) => sum + count, 0),
    first: all.flatMap(({ first }) => first),
  })
  return { status: 200, facts: { ...facts, data } }
}

/** One series by its slug or its uid. */
function seriesPage({ seriesAt }: LiveLibrary, origin: string, asked: string): Page {
  const pathname = asked.replace(/\/$/, '')
  const found = seriesAt(pathname)
  if (!found) return unknown()
  const own = seriesPath(found.series)
  if (own !== asked) return moved(own)
  const canonical = origin + own
  const { title, description } = found.series
  const listed = listingOf(found.teachings, linkTo(origin))
  const facts = { title, description: description || seriesTexts.about(title), canonical }
  const feed = { title, href: `${canonical}/feed.xml` }
  const picture = square(origin + seriesPicture(found.series), title)
  const data = seriesData(origin, facts, { feed: feed.href, image: picture.url, listed })
  return { status: 200, facts: { ...facts, feed, picture, data } }
}

const square = (url: string, alt: string): SharedPicture => {
  const { coverSide } = elderPhoto
  return { url, width: coverSide, height: coverSide, alt }
}

const linkTo = (origin: string) => (teaching: Teaching) => ({
  name: shownTitle(teaching),
  url: pageOf(origin, teaching),
})

function teachingFacts(
  origin: string,
  teaching: Teaching,
  series: readonly SeriesAround<Teaching>[],
): PageFacts {
  const { audioUrl, audioMime } = teaching
  const title = shownTitle(teaching)
  const pictured = series.find(({ imageUrl }) => imageUrl)
  const picture = pictured ? seriesPicture(pictured) : coverPath({ kind: 'teaching', title }, 'png')
  return {
    title,
    picture: square(origin + picture, title),
    description: describe(teaching),
    canonical: pageOf(origin, teaching),
    type: 'article',
    audio: audioUrl ? { url: origin + audioUrl, type: audioMime ?? 'audio/mpeg' } : undefined,
    data: teachingData(origin, teaching, series),
  }
}

/**
 * The reader's text size, contrast and colour scheme, as attributes of the html element, from the cookie in which the page stores them:
 * the first paint has them already. Invalid values are ignored.
 */
export function chosenDisplay(cookies: string | undefined): string {
  const [, text, contrast, scheme] =
    // If a device chose before colour schemes were added, its cookie has two parts.
    /(?:^|;\s*)comfort=(large|larger|)\.(more|normal|)(?:\.(light|dark|))?(?:;|$)/.exec(cookies ?? '') ?? []
  return [
    text && ` data-text="${text}"`,
    contrast && ` data-contrast="${contrast}"`,
    scheme && ` data-scheme="${scheme}"`,
  ]
    .filter(Boolean)
    .join('')
}
