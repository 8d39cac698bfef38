import {
  firstDataId,
  firstHtmlPaths,
  firstTeachingCount,
  type DrawPage,
  type FirstData,
} from '@fellowship/schema/feed/first-data'
import type { Context } from '../../context.ts'
import { listElders } from '../elders/elders.ts'
import { newestTeachings } from '../teachings/teachings.ts'
import { readFeedState } from './feed.sql.ts'
import { dataBlock } from './markup.ts'

/** What stands in a page before any script has run. */
export interface FirstHtml {
  /** Changes when what it shows does. */
  readonly key: string
  readonly html: string
  /** What it was drawn from, as a block of data. */
  readonly data: string
}

/**
 * The first HTML of the public pages, drawn once per revision of the database. Undefined for every other address: those
 * are drawn by the browser alone.
 */
export function firstPages(
  { sql, config }: Pick<Context, 'sql' | 'config'>,
  draw: DrawPage,
): (pathname: string) => Promise<FirstHtml | undefined> {
  let made: { key: string; data: Promise<FirstData>; pages: Map<string, Promise<string>> } | undefined
  return async (pathname) => {
    if (!firstHtmlPaths.includes(pathname)) return undefined
    const { key } = await readFeedState(sql)
    if (made?.key !== key) made = { key, data: readFirstData({ sql, config }), pages: new Map() }
    const current = made
    try {
      const data = await current.data
      const drawn = current.pages.get(pathname) ?? draw(pathname, data)
      current.pages.set(pathname, drawn)
      return {
        key: `${pathname} ${key}`,
        html: await drawn,
        data: dataBlock('application/json', data, firstDataId),
      }
    } catch (error) {
      if (made === current) made = undefined
      throw error
    }
  }
}

async function readFirstData({ sql, config }: Pick<Context, 'sql' | 'config'>): Promise<FirstData> {
  const [elders, teachings] = await Promise.all([
    listElders({ sql }),
    newestTeachings(sql, firstTeachingCount),
  ])
  return { elders, teachings, contactEmail: config.contactEmail }
}
