import type { IncomingMessage } from 'node:http'
import { contactEmailMeta } from '@fellowship/schema/church'
import { coverAddress } from '@fellowship/schema/elders/elder-photo'
import { elderPhoto } from '@fellowship/schema/elders/elders.limits'
import { siteWords } from '@fellowship/schema/feed/site-words'
import { mapTiles, tileUrlMeta } from '@fellowship/schema/map/map.limits'
import { freshPage, type RenderPage } from '@fellowship/schema/pages/prerender-data'
import { isPage } from '@fellowship/schema/routes'
import {
  seriesListPath,
  seriesPath,
  slugAt,
  type SeriesAround,
} from '@fellowship/schema/series/series-address'
import { seriesTexts } from '@fellowship/schema/series/series.texts'
import { sharePath, startSecond } from '@fellowship/schema/teachings/share-link'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import { teachingKey, teachingPath } from '@fellowship/schema/teachings/teaching-address'
import {
  groupAddress,
  type GroupAddress,
  groupsOfKind,
  teachingGroups,
} from '@fellowship/schema/teachings/teaching-groups'
import { groupTexts } from '@fellowship/schema/teachings/teachings.texts'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { Context } from '../../context.ts'
import { decodedPath } from '../../http/caller.ts'
import { knownOrigins, siteOrigin } from '../../http/origins.ts'
import { element } from '../../machine/xml.ts'
import type { PageHead } from '../../http/page-html.ts'
import type { PageSource } from '../../http/static-files.ts'
import { mayBeSignedIn } from '../../machine/sessions.ts'
import { describe, type LiveLibrary, pageOf } from '../feed/feed.ts'
import {
  churchData,
  collectionData,
  headTags,
  listingOf,
  type PageFacts,
  seriesData,
  teachingData,
} from './head-tags.ts'
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
  const { tileUrl, contactEmail, publicUrl } = context.config
  const isKnown = knownOrigins(context.clock)
  return {
    async headOf(request) {
      const origin = siteOrigin(context.config, request)
      const { status, movedTo, facts } = await factsOf(library, origin, request)
      if (movedTo !== undefined) return { status, movedTo, html: '' }
      const htmlAttributes = chosenDisplay(request.headers.cookie)
      const visitor = !mayBeSignedIn(request.headers.cookie)
      const url = request.url ?? '/'
      const head = {
        status,
        html: headTags(origin, facts),
        htmlAttributes,
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
    commonHead: [
      ...(tileUrl === mapTiles.url ? [] : [element('meta', { name: tileUrlMeta, content: tileUrl })]),
      ...(contactEmail ? [element('meta', { name: contactEmailMeta, content: contactEmail })] : []),
    ].join(''),
    onError: (error) => context.log.error({ err: error }, 'a page went out without its head'),
  }
}

type Page = { status: PageHead['status']; facts: PageFacts; movedTo?: string }

async function factsOf(
  library: () => Promise<LiveLibrary>,
  origin: string,
  request: IncomingMessage,
): Promise<Page> {
  const [path = '/', query = ''] = (request.url ?? '/').split('?', 2)
  const pathname = path === '/' ? path : path.replace(/\/$/, '')
  const page = pages[pathname]
  const search = new URLSearchParams(query)
  const uid = pathname === '/teaching' ? search.get('t') : null
  if (uid !== null) {
    const teaching = (await library()).withUid(uid.toLowerCase())
    return teaching ? moved(sharePath(teaching, startSecond(search.get('at')))) : unknown
  }
  if (teachingKey(pathname) !== undefined) {
    const { at, seriesAround } = await library()
    const teaching = at(pathname)
    if (!teaching) return unknown
    const own = teachingPath(teaching)
    if (own !== path) return moved(query === '' ? own : `${own}?${query}`)
    return { status: 200, facts: teachingFacts(origin, teaching, seriesAround(teaching)) }
  }
  if (pathname === seriesListPath || slugAt(pathname) !== undefined)
    return seriesPage(await library(), origin, path)
  const decoded = decodedPath(pathname)
  const address = groupAddress(decoded)
  if (address) return groupPage(await library(), origin, path, address)
  if (page) {
    const canonical = pathname === '/' ? `${origin}/` : origin + pathname
    return { status: 200, facts: { ...page, canonical, data: churchData(origin) } }
  }
  return isPage(decoded) ? { status: 200, facts: hidden } : unknown
}

const pages: Readonly<Record<string, Pick<PageFacts, 'title' | 'description'>>> = {
  '/': { description: siteWords.description },
  '/about': { title: 'Who We Are', description: siteWords.about },
  '/teaching': { title: 'Teaching', description: siteWords.teaching },
}

const hidden: PageFacts = { description: siteWords.description, hidden: true }
const unknown: Page = { status: 404, facts: { ...hidden, title: '404 Page Not Found' } }

const moved = (movedTo: string): Page => ({ status: 200, facts: hidden, movedTo })

function groupPage(
  { teachings }: LiveLibrary,
  origin: string,
  asked: string,
  { kind, path, isList }: GroupAddress,
): Page {
  const own = encodeURI(path)
  const group = isList ? undefined : teachingGroups(teachings).get(path)
  if (!isList && !group) return unknown
  if (own !== asked) return moved(own)
  const canonical = origin + own
  const texts = groupTexts[kind]
  if (!group) {
    const listed = listingOf(groupsOfKind(kind, teachings), (each) => ({
      name: each.name,
      url: origin + encodeURI(each.path),
    }))
    const facts = { title: texts.all, description: texts.listed, canonical }
    return { status: 200, facts: { ...facts, data: collectionData(origin, facts, listed) } }
  }
  const listed = listingOf(group.teachings, linkTo(origin))
  const facts = { title: group.name, description: texts.about(group.name), canonical }
  const feed = { title: group.name, href: `${canonical}/feed.xml` }
  return { status: 200, facts: { ...facts, feed, data: collectionData(origin, facts, listed) } }
}

/** The list of all series, or one of them by its slug or its uid. */
function seriesPage({ series, seriesAt }: LiveLibrary, origin: string, asked: string): Page {
  const pathname = asked.replace(/\/$/, '')
  const found = pathname === seriesListPath ? undefined : seriesAt(pathname)
  if (!found && pathname !== seriesListPath) return unknown
  const own = found ? seriesPath(found.series) : seriesListPath
  if (own !== asked) return moved(own)
  const canonical = origin + own
  if (!found) {
    const listed = listingOf(series, (each) => ({ name: each.title, url: origin + seriesPath(each) }))
    const facts = { title: seriesTexts.all, description: seriesTexts.listed, canonical }
    return { status: 200, facts: { ...facts, data: collectionData(origin, facts, listed) } }
  }
  const { title, description, imageUrl } = found.series
  const cover = imageUrl ? coverAddress(imageUrl) : undefined
  const listed = listingOf(found.teachings, linkTo(origin))
  const facts = { title, description: description || seriesTexts.about(title), canonical }
  const feed = { title, href: `${canonical}/feed.xml` }
  const picture = cover ? { url: origin + cover, side: elderPhoto.coverSide, alt: title } : undefined
  const data = seriesData(origin, facts, { feed: feed.href, image: picture?.url, listed })
  return { status: 200, facts: { ...facts, feed, ...(picture && { picture }), data } }
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
  return {
    title: shownTitle(teaching),
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
