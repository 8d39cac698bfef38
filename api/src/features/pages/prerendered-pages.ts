import {
  addressModule,
  prerenderDataId,
  prerenderedModules,
  prerenderedPaths,
  prerenderedRows,
  prerenderedTeachingCount,
  type PrerenderData,
  type PrerenderedPart,
  type RenderPage,
} from '@fellowship/schema/pages/prerender-data'
import {
  groupAddress,
  groupKinds,
  groupsOfKind,
  listedTeachings,
  teachingGroups,
} from '@fellowship/schema/teachings/teaching-groups'
import { browsePath } from '@fellowship/schema/pages/places'
import { seriesListPath, slugAt } from '@fellowship/schema/series/series-address'
import { churchDate } from '@fellowship/schema/dates'
import { eventsPath } from '@fellowship/schema/events/event-address'
import { datesOnHome, prerenderedDates } from '@fellowship/schema/events/events.limits'
import type { ComingDate } from '@fellowship/schema/events/events.schema'
import { noticesOn, type NoticeRow } from '@fellowship/schema/notices/notices.contract'
import { teachingAt, teachingKey } from '@fellowship/schema/teachings/teaching-address'
import type { Passage } from '@fellowship/schema/passages/passages.contract'
import { splitAtReferences } from '@fellowship/schema/passages/reference'
import { taglineReference } from '@fellowship/schema/passages/site-references'
import { paragraphsOf } from '@fellowship/schema/transcripts/paragraphs'
import { pagePath, pageSlugAt } from '@fellowship/schema/written-pages/page-text'
import type { AboutParts, PageRow } from '@fellowship/schema/written-pages/written-pages.schema'
import type { Site } from '@fellowship/schema/site/site.contract'
import type { Context } from '../../context.ts'
import { readRevision } from '../../db/kept-by-revision.ts'
import { comingEvents } from '../events/events.ts'
import { noticeRows } from '../notices/notices.ts'
import { listElders } from '../elders/elders.ts'
import { listPassages } from '../passages/passages.ts'
import { newestTeachings, teachingYears } from '../teachings/teachings.ts'
import { approvedTexts } from '../transcripts/transcripts.ts'
import { refreshSite } from '../site/site.ts'
import { publicPages } from '../written-pages/written-pages.ts'
import type { LiveLibrary } from '../feed/feed.ts'
import { decodedPath } from '../../http/caller.ts'
import { RecentMap } from '../../machine/caches.ts'
import { dataBlock } from '../../machine/xml.ts'

/** A page's content before any script has run. */
interface PrerenderedPage {
  /** Changes whenever the content may have changed. */
  readonly key: string
  /** The module of the client that hydrates it. */
  readonly module: string
  readonly html: string
  /** The data it was rendered from, as a data block for hydration. */
  readonly data: string
}

/**
 * The prerendered public pages, each rendered once per revision of the database. Undefined for every other address: those
 * are rendered by the browser only.
 */
export function prerenderedPages(
  { sql, config, clock }: Pick<Context, 'sql' | 'config' | 'clock'>,
  library: () => Promise<LiveLibrary>,
  renderPage: RenderPage,
): (pathname: string, visitor: boolean) => Promise<PrerenderedPage | undefined> {
  let made: { key: string; data: Promise<SiteData>; pages: RecentMap<Promise<PrerenderedPage>> } | undefined
  const mayRender = renderAllowance(clock)
  return async (pathname, visitor) => {
    const isFixed = prerenderedPaths.includes(pathname)
    if (!isFixed && !mayBePart(pathname)) return undefined
    // Events and notices depend on the day.
    const key = `${await readRevision(sql)} ${churchDate(clock.now())}`
    if (made?.key !== key)
      made = { key, data: readPrerenderData({ sql, config, clock }), pages: new RecentMap(pagesKept) }
    const current = made
    const page = `${pathname} ${visitor}`
    try {
      const known = current.pages.get(page)
      if (known) return await known
      const part = isFixed ? undefined : partAt(pathname, await library(), await current.data)
      if (!isFixed && (!part || !mayRender())) return undefined
      const rendering = withText(part).then(render)
      current.pages.set(page, rendering)
      return await rendering
    } catch (error) {
      if (made === current) made = undefined
      throw error
    }

    async function withText(part: PrerenderedPart | undefined): Promise<PrerenderedPart | undefined> {
      const teaching = part && teachingAt(part.rows, part.path)
      if (!teaching || teaching.transcriptRev === null) return part
      const [text] = await approvedTexts(sql, [teaching.uid])
      return text ? { ...part, said: paragraphsOf(text.sentences) } : part
    }

    async function render(part: PrerenderedPart | undefined): Promise<PrerenderedPage> {
      const { site, ...rows } = await current.data
      const data = { ...pageData(pathname, rows, part), visitor }
      const html = await renderPage(pathname, { ...data, site })
      return {
        key: `${page} ${key}`,
        module: prerenderedModules[pathname] ?? addressModule,
        html,
        data: dataBlock('application/json', data, prerenderDataId),
      }
    }
  }
}

/** Cached pages of one revision: a library has thousands. */
const pagesKept = 100

/** Pages of teachings rendered per second; if there are more requests, the browser renders the content. */
const rendersASecond = 20

/** Whether another page may be rendered now: a reader of every page in the library must not hold up the others. */
function renderAllowance(clock: Context['clock']): () => boolean {
  let second = 0
  let count = 0
  return () => {
    const now = Math.floor(clock.now().getTime() / 1000)
    if (now !== second) [second, count] = [now, 0]
    count += 1
    return count <= rendersASecond
  }
}

const mayBePart = (pathname: string) =>
  teachingKey(pathname) !== undefined ||
  pathname === browsePath ||
  pathname === eventsPath ||
  pageSlugAt(decodedPath(pathname)) !== undefined ||
  slugAt(pathname) !== undefined ||
  groupAddress(decodedPath(pathname)) !== undefined

function partAt(
  pathname: string,
  library: LiveLibrary,
  { coming, pages }: SiteData,
): PrerenderedPart | undefined {
  const { at, around, seriesAround } = library
  const teaching = at(pathname)
  if (teaching) return { path: pathname, rows: around(teaching), series: seriesAround(teaching) }
  if (pathname === eventsPath) return { path: pathname, rows: [], dates: coming.slice(0, prerenderedDates) }
  if (pathname === browsePath) return browsePart(library)
  if (pages.has(decodedPath(pathname))) return { path: pathname, rows: [] }
  return seriesPartAt(pathname, library) ?? groupPartAt(pathname, library)
}

function browsePart({ allSeries, teachings }: LiveLibrary): PrerenderedPart {
  const series = allSeries().map(({ series: { slug, title, imageUrl }, teachings: { length } }) => ({
    path: `${seriesListPath}/${slug}`,
    name: title,
    count: length,
    imageUrl,
  }))
  const groups = groupKinds.flatMap((kind) => groupsOfKind(kind, teachings))
  return { path: browsePath, rows: [], groups: [...series, ...groups] }
}

function seriesPartAt(pathname: string, { seriesAt }: LiveLibrary): PrerenderedPart | undefined {
  const found = seriesAt(pathname)
  if (!found) return undefined
  const { slug, title, description, imageUrl } = found.series
  return {
    path: `${seriesListPath}/${slug}`,
    rows: found.teachings.slice(0, prerenderedRows),
    name: title,
    description,
    imageUrl,
    count: found.teachings.length,
  }
}

function groupPartAt(pathname: string, { teachings }: LiveLibrary): PrerenderedPart | undefined {
  const address = groupAddress(decodedPath(pathname))
  if (!address) return undefined
  const group = teachingGroups(teachings).get(address.path)
  if (!group) return undefined
  const rows = listedTeachings(group)
  return { path: address.path, rows: rows.slice(0, prerenderedRows), name: group.name, count: rows.length }
}

/** The data that all pages share. */
interface SiteData extends Omit<PrerenderData, 'passages' | 'named' | 'site'> {
  readonly site: Site
  /** All dates of events that pages show. */
  readonly coming: readonly ComingDate[]
  readonly notices: readonly NoticeRow[]
  /** By path. */
  readonly pages: ReadonlyMap<string, PageRow>
  /** The translation that pages show of each reference: the newest. */
  readonly passages: ReadonlyMap<string, Passage>
}

async function readPrerenderData({
  sql,
  config,
  clock,
}: Pick<Context, 'sql' | 'config' | 'clock'>): Promise<SiteData> {
  const [elders, teachings, years, passages, site, coming, notices, written] = await Promise.all([
    listElders({ sql }),
    newestTeachings(sql, prerenderedTeachingCount),
    teachingYears(sql),
    listPassages({ sql }),
    refreshSite({ sql, config }),
    comingEvents({ sql, clock }),
    noticeRows.live(sql),
    publicPages(sql),
  ])
  return {
    elders,
    teachings,
    years,
    passages: new Map(passages.map((passage) => [passage.reference, passage])),
    site,
    coming,
    notices: noticesOn(notices, churchDate(clock.now())),
    pages: new Map(written.map((page) => [pagePath(page), page])),
  }
}

/** The data of one page: with the passages that it quotes or names, so that popovers need nothing but the page. */
function pageData(
  pathname: string,
  { passages, coming, notices, pages, ...site }: Omit<SiteData, 'site'>,
  part: PrerenderedPart | undefined,
): PrerenderData {
  const find = (reference: string) => passages.get(reference)
  const foundIn = (text: string) => splitAtReferences(text, find).flatMap(({ found }) => found ?? [])
  const teaching = part && teachingAt(part.rows, part.path)
  const written = pages.get(decodedPath(pathname))
  const about = pathname === '/about' ? (written?.parts as AboutParts | undefined) : undefined
  const quoted = teaching
    ? foundIn(teaching.scriptureReference ?? '')
    : about && about.quotes.flatMap(({ reference }) => find(reference) ?? [])
  const texts = teaching ? [teaching.description ?? ''] : textsOf(pathname, site, part, written)
  const named = new Set(texts.flatMap(foundIn))
  for (const passage of quoted ?? []) named.delete(passage)
  const ofHome = pathname === '/' && { coming: coming.slice(0, datesOnHome), notices }
  return {
    ...site,
    ...ofHome,
    ...(part && { part }),
    ...(written && { written }),
    ...(quoted && { passages: quoted }),
    named: [...named],
  }
}

/** The texts of a page whose references open their passage. */
function textsOf(
  pathname: string,
  { elders, teachings }: Pick<SiteData, 'elders' | 'teachings'>,
  part: PrerenderedPart | undefined,
  written: PageRow | undefined,
): string[] {
  if (written?.parts === null) return [written.text]
  if (part)
    return [part.description ?? '', ...part.rows.map(({ scriptureReference }) => scriptureReference ?? '')]
  const scriptures = teachings.map(({ scriptureReference }) => scriptureReference ?? '')
  if (pathname === '/teaching') return [taglineReference, ...scriptures]
  if (pathname === '/about')
    return [JSON.stringify(written?.parts), ...elders.map(({ extendedBio }) => extendedBio)]
  return scriptures.slice(0, 1)
}
