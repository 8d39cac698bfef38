import {
  prerenderDataId,
  prerenderedPaths,
  prerenderedTeachingCount,
  quotingPath,
  type RenderPage,
  type PrerenderData,
} from '@fellowship/schema/pages/prerender-data'
import type { Passage } from '@fellowship/schema/passages/passages.schema'
import { quotedReferences } from '@fellowship/schema/passages/site-references'
import type { Context } from '../../context.ts'
import { listElders } from '../elders/elders.ts'
import { listPassages } from '../passages/passages.ts'
import { newestTeachings } from '../teachings/teachings.ts'
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
  let made: { key: string; data: Promise<PrerenderData>; pages: Map<string, Promise<string>> } | undefined
  return async (pathname, visitor) => {
    if (!prerenderedPaths.includes(pathname)) return undefined
    const key = await readRevision(sql)
    if (made?.key !== key) made = { key, data: readPrerenderData({ sql, config }), pages: new Map() }
    const current = made
    try {
      const { passages, ...rest } = await current.data
      const data = { ...rest, visitor, ...(pathname === quotingPath && { passages }) }
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

async function readPrerenderData({ sql, config }: Pick<Context, 'sql' | 'config'>): Promise<PrerenderData> {
  const [elders, teachings, passages] = await Promise.all([
    listElders({ sql }),
    newestTeachings(sql, prerenderedTeachingCount),
    quotedPassages(sql),
  ])
  return { elders, teachings, passages, contactEmail: config.contactEmail }
}

/** Of each quoted passage the translation that pages show, which is the newest. */
async function quotedPassages(sql: Context['sql']): Promise<Passage[]> {
  const rows = (await listPassages({ sql })).filter(({ reference }) =>
    (quotedReferences as readonly string[]).includes(reference),
  )
  return [...new Map(rows.map((row) => [row.reference, row])).values()]
}
