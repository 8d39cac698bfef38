import {
  addressModule,
  prerenderDataId,
  prerenderedModules,
  prerenderedPaths,
  prerenderedRows,
  prerenderedTeachingCount,
  quotingPath,
  type PrerenderData,
  type PrerenderedPart,
  type RenderPage,
} from '@fellowship/schema/pages/prerender-data'
import { groupAddress, groupsOfKind, teachingGroups } from '@fellowship/schema/teachings/teaching-groups'
import { seriesListPath, slugAt } from '@fellowship/schema/series/series-address'
import { teachingAt, teachingKey } from '@fellowship/schema/teachings/teaching-address'
import type { Passage } from '@fellowship/schema/passages/passages.contract'
import { splitAtReferences } from '@fellowship/schema/passages/reference'
import {
  quotedReferences,
  siteReferences,
  taglineReference,
} from '@fellowship/schema/passages/site-references'
import { hasVisitDetails } from '@fellowship/schema/visit/visit.texts'
import type { Context } from '../../context.ts'
import { readRevision } from '../../db/kept-by-revision.ts'
import { listElders } from '../elders/elders.ts'
import { listPassages } from '../passages/passages.ts'
import { newestTeachings, teachingYears } from '../teachings/teachings.ts'
import { visitDetails } from '../visit/visit.ts'
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
    const key = await readRevision(sql)
    if (made?.key !== key)
      made = { key, data: readPrerenderData({ sql, config }), pages: new RecentMap(pagesKept) }
    const current = made
    const page = `${pathname} ${visitor}`
    try {
      const known = current.pages.get(page)
      if (known) return await known
      const part = isFixed ? undefined : partAt(pathname, await library())
      if (!isFixed && (!part || !mayRender())) return undefined
      const rendering = render(part)
      current.pages.set(page, rendering)
      return await rendering
    } catch (error) {
      if (made === current) made = undefined
      throw error
    }

    async function render(part: PrerenderedPart | undefined): Promise<PrerenderedPage> {
      const data = { ...pageData(pathname, await current.data, part), visitor }
      const html = await renderPage(pathname, data)
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
  pathname === seriesListPath ||
  slugAt(pathname) !== undefined ||
  groupAddress(decodedPath(pathname)) !== undefined

function partAt(pathname: string, library: LiveLibrary): PrerenderedPart | undefined {
  const { at, around, seriesAround } = library
  const teaching = at(pathname)
  if (teaching) return { path: pathname, rows: around(teaching), series: seriesAround(teaching) }
  return seriesPartAt(pathname, library) ?? groupPartAt(pathname, library)
}

function seriesPartAt(pathname: string, { allSeries, seriesAt }: LiveLibrary): PrerenderedPart | undefined {
  if (pathname === seriesListPath) {
    const groups = allSeries().map(({ series: { slug, title }, teachings: { length } }) => ({
      path: `${seriesListPath}/${slug}`,
      name: title,
      count: length,
    }))
    return { path: pathname, rows: [], groups }
  }
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
  const { kind, path, isList } = address
  if (isList) return { path, rows: [], groups: groupsOfKind(kind, teachings) }
  const group = teachingGroups(teachings).get(path)
  if (!group) return undefined
  const { name, teachings: rows } = group
  return { path, rows: rows.slice(0, prerenderedRows), name, count: rows.length }
}

/** The data that all pages share. */
interface SiteData extends Omit<PrerenderData, 'passages' | 'named'> {
  /** The translation that pages show of each reference: the newest. */
  readonly passages: ReadonlyMap<string, Passage>
}

async function readPrerenderData({ sql, config }: Pick<Context, 'sql' | 'config'>): Promise<SiteData> {
  const [elders, teachings, years, passages, visit] = await Promise.all([
    listElders({ sql }),
    newestTeachings(sql, prerenderedTeachingCount),
    teachingYears(sql),
    listPassages({ sql }),
    visitDetails({ sql }),
  ])
  return {
    elders,
    teachings,
    years,
    passages: new Map(passages.map((passage) => [passage.reference, passage])),
    ...(hasVisitDetails(visit) && { visit }),
    contactEmail: config.contactEmail,
  }
}

/** The data of one page: with the passages that it quotes or names, so that popovers need nothing but the page. */
function pageData(
  pathname: string,
  { passages, ...site }: SiteData,
  part: PrerenderedPart | undefined,
): PrerenderData {
  const find = (reference: string) => passages.get(reference)
  const foundIn = (text: string) => splitAtReferences(text, find).flatMap(({ found }) => found ?? [])
  const teaching = part && teachingAt(part.rows, part.path)
  const quoted = teaching
    ? foundIn(teaching.scriptureReference ?? '')
    : pathname === quotingPath
      ? quotedReferences.flatMap((each) => find(each) ?? [])
      : undefined
  const texts = teaching ? [teaching.description ?? ''] : textsOf(pathname, site, part)
  const named = new Set(texts.flatMap(foundIn))
  for (const passage of quoted ?? []) named.delete(passage)
  return { ...site, ...(part && { part }), ...(quoted && { passages: quoted }), named: [...named] }
}

/** The texts of a page whose references open their passage. */
function textsOf(
  pathname: string,
  { elders, teachings }: Pick<SiteData, 'elders' | 'teachings'>,
  part: PrerenderedPart | undefined,
): string[] {
  if (part)
    return [part.description ?? '', ...part.rows.map(({ scriptureReference }) => scriptureReference ?? '')]
  const scriptures = teachings.map(({ scriptureReference }) => scriptureReference ?? '')
  if (pathname === '/teaching') return [taglineReference, ...scriptures]
  if (pathname === '/about') return [...siteReferences, ...elders.map(({ extendedBio }) => extendedBio)]
  return scriptures.slice(0, 1)
}
