import {
  prerenderDataId,
  prerenderedPaths,
  prerenderedTeachingCount,
  quotingPath,
  type RenderPage,
  type PrerenderData,
} from '@fellowship/schema/pages/prerender-data'
import type { Passage } from '@fellowship/schema/passages/passages.schema'
import { splitAtReferences } from '@fellowship/schema/passages/reference'
import {
  quotedReferences,
  siteReferences,
  taglineReference,
} from '@fellowship/schema/passages/site-references'
import { hasVisitDetails } from '@fellowship/schema/visit/visit.schema'
import type { Context } from '../../context.ts'
import { listElders } from '../elders/elders.ts'
import { listPassages } from '../passages/passages.ts'
import { newestTeachings, teachingYears } from '../teachings/teachings.ts'
import { visitDetails } from '../visit/visit.ts'
import { readRevision } from '../feed/feed.ts'
import { dataBlock } from '../../http/markup.ts'

/** A page's content before any script has run. */
export interface PrerenderedPage {
  /** Changes whenever the content may have changed. */
  readonly key: string
  readonly html: string
  /** The data it was rendered from, as a data block for hydration. */
  readonly data: string
}

/**
 * The prerendered public pages, rendered once per revision of the database. Undefined for every other address: those are
 * rendered by the browser only.
 */
export function prerenderedPages(
  { sql, config }: Pick<Context, 'sql' | 'config'>,
  renderPage: RenderPage,
): (pathname: string, visitor: boolean) => Promise<PrerenderedPage | undefined> {
  let made: { key: string; data: Promise<SiteData>; pages: Map<string, Promise<string>> } | undefined
  return async (pathname, visitor) => {
    if (!prerenderedPaths.includes(pathname)) return undefined
    const key = await readRevision(sql)
    if (made?.key !== key) made = { key, data: readPrerenderData({ sql, config }), pages: new Map() }
    const current = made
    try {
      const data = { ...pageData(pathname, await current.data), visitor }
      const page = `${pathname} ${visitor}`
      const rendered = current.pages.get(page) ?? renderPage(pathname, data)
      current.pages.set(page, rendered)
      return {
        key: `${page} ${key}`,
        html: await rendered,
        data: dataBlock('application/json', data, prerenderDataId),
      }
    } catch (error) {
      if (made === current) made = undefined
      throw error
    }
  }
}

/** What the pages together show. */
interface SiteData extends Omit<PrerenderData, 'passages' | 'named'> {
  /** Of each reference the translation that pages show, which is the newest. */
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
function pageData(pathname: string, { passages, ...site }: SiteData): PrerenderData {
  const quoted =
    pathname === quotingPath ? quotedReferences.flatMap((each) => passages.get(each) ?? []) : undefined
  const named = new Set(
    textsOf(pathname, site).flatMap((text) =>
      splitAtReferences(text, (reference) => passages.get(reference)).flatMap(({ found }) => found ?? []),
    ),
  )
  for (const passage of quoted ?? []) named.delete(passage)
  return { ...site, ...(quoted && { passages: quoted }), named: [...named] }
}

/** The texts of a page whose references open their passage. */
function textsOf(pathname: string, { elders, teachings }: Pick<SiteData, 'elders' | 'teachings'>): string[] {
  const scriptures = teachings.map(({ scriptureReference }) => scriptureReference ?? '')
  if (pathname === '/teaching') return [taglineReference, ...scriptures]
  if (pathname === '/about') return [...siteReferences, ...elders.map(({ extendedBio }) => extendedBio)]
  return scriptures.slice(0, 1)
}
