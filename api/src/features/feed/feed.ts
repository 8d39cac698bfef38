import type { Context } from '../../context.ts'
import { liveTeachings } from '../teachings/teachings.ts'
import { feedXml } from './feed-xml.ts'
import { savePodcastGuid, readFeedState } from './feed.sql.ts'
import { podcastGuid } from './podcast-guid.ts'
import { sitemapXml } from './sitemap.ts'

export { readFeedState } from './feed.sql.ts'
export { describe, summaryOf, pageOf, secondsOf, serviceClock } from './teaching-facts.ts'

export interface Documents {
  readonly feed: string
  readonly sitemap: string
  readonly changed: Date
}

/**
 * The feed and the sitemap for one origin, cached per revision of the database. Of several origins (a site without
 * PUBLIC_URL that has two names) the last one is cached.
 */
export function documents({ sql, config }: Pick<Context, 'sql' | 'config'>) {
  let made: { key: string; made: Promise<Documents> } | undefined
  return async (origin: string): Promise<Documents> => {
    const { key, changed } = await readFeedState(sql)
    const wanted = `${key} ${origin}`
    if (made?.key !== wanted) {
      const entry = { key: wanted, made: make(origin, changed) }
      made = entry
      entry.made.catch(() => {
        if (made === entry) made = undefined
      })
    }
    return made.made
  }

  async function make(origin: string, changed: Date): Promise<Documents> {
    const teachings = await liveTeachings(sql)
    const { contactEmail, publicUrl } = config
    const address = `${origin}/feed.xml`
    // The identity is permanent, so it is derived from a configured address only.
    const guid = publicUrl ? await savePodcastGuid(sql, podcastGuid(address), address) : undefined
    return {
      feed: feedXml(teachings, { origin, changed, contactEmail, guid }),
      sitemap: sitemapXml(origin, teachings),
      changed,
    }
  }
}
