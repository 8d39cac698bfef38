import { createHash, randomUUID } from 'node:crypto'
import { church } from '@fellowship/schema/church'
import { teachingGroups } from '@fellowship/schema/teachings/teaching-groups'
import type { Context } from '../../context.ts'
import { madeForKey, onceMade, RecentMap } from '../../machine/caches.ts'
import { feedXml, feedGroup, feedOfSeries, groupOfFeed, seriesOfFeed } from './feed-xml.ts'
import { readChanged, readGuids, readPodcastGuid, savePodcastGuid } from './feed.sql.ts'
import { siteDefaults } from '../site/site.ts'
import type { LiveLibrary } from './live-library.ts'
import { sitemapXml } from './sitemap.ts'

export { liveLibrary, type LiveLibrary } from './live-library.ts'
export { describe, summaryOf, pageOf, seriesPicture } from './teaching-facts.ts'

/** A document without its origin, which is filled in for each request. */
interface OriginTemplate {
  readonly parts: readonly Buffer[]
}

interface Documents {
  /** The revision they were made from. */
  readonly key: string
  /** Made at the first read, as are the others: most requesting apps have this revision. */
  readonly feed: () => OriginTemplate
  readonly sitemap: () => OriginTemplate
  /**
   * The feed of a speaker, of a book or of a series, by its path without percent-encoding, made on request; undefined if it
   * has no teaching.
   */
  readonly groupFeed: (path: string) => (() => OriginTemplate) | undefined
  readonly changed: Date
}

/**
 * The feed and the sitemap, made once per revision of the database. If a site without PUBLIC_URL has several names,
 * they are still made once: the origin is filled in afterwards.
 */
export function documents(
  { sql, config }: Pick<Context, 'sql' | 'config'>,
  library: () => Promise<LiveLibrary>,
) {
  const made = madeForKey<Documents>()
  return async (): Promise<Documents> => {
    const current = await library()
    return made(current.key, () => make(current))
  }

  async function make({ key, teachings, series, seriesAt }: LiveLibrary): Promise<Documents> {
    const changed = await readChanged(sql)
    const { publicUrl } = config
    const { contactEmail: shown } = church()
    // The example of a new site is no address.
    const contactEmail = shown === siteDefaults().contactEmail ? undefined : shown
    // The identity is permanent, so it is derived from a configured address only.
    const address = publicUrl && `${publicUrl}/feed.xml`
    const guid = address
      ? await savePodcastGuid(sql, podcastGuid(address), address)
      : // One that was moved in is permanent already.
        await readPodcastGuid(sql)
    const guids = await readGuids(sql)
    const groupAt = (path: string) => {
      const found = seriesAt(seriesOfFeed(path) ?? '')
      if (found) return { group: feedOfSeries(found.series), teachings: found.teachings }
      const group = teachingGroups(teachings).get(groupOfFeed(path) ?? '')
      return group && { group: feedGroup(group), teachings: group.teachings }
    }
    const groupFeeds = new RecentMap<OriginTemplate>(groupFeedsKept)
    const groupFeed = (path: string) => {
      const found = groupAt(path)!
      // The identity is the whole podcast's.
      const facts = { origin: placeholder, changed, contactEmail, guid: undefined, guids, group: found.group }
      const feed = groupFeeds.get(path) ?? templateOf(feedXml(found.teachings, facts))
      groupFeeds.set(path, feed)
      return feed
    }
    return {
      key,
      feed: onceMade(() =>
        templateOf(feedXml(teachings, { origin: placeholder, changed, contactEmail, guid, guids })),
      ),
      sitemap: onceMade(() => templateOf(sitemapXml(placeholder, teachings, series))),
      groupFeed: (path) => (groupAt(path) ? () => groupFeed(path) : undefined),
      changed,
    }
  }
}

/** The feed with every teaching, for a church that moves out. */
export async function wholeFeed(
  { sql }: Pick<Context, 'sql'>,
  {
    teachings,
    guids,
    origin,
  }: Pick<LiveLibrary, 'teachings'> & { guids: Map<string, string>; origin: string },
): Promise<string> {
  const changed = await readChanged(sql)
  const guid = await readPodcastGuid(sql)
  return feedXml(teachings, { origin, changed, contactEmail: undefined, guid, guids, most: Infinity })
}

/** The document for an origin. */
export function filled({ parts }: OriginTemplate, origin: string): Buffer {
  const name = Buffer.from(origin)
  return Buffer.concat(parts.flatMap((part, at) => (at === 0 ? [part] : [name, part])))
}

/** Cached uncompressed feeds of speakers and books, megabytes each at most. */
const groupFeedsKept = 8

/** Stands for the origin. Random, so that no teaching's words can contain it. */
const placeholder = `http://${randomUUID()}.invalid`

const templateOf = (document: string): OriginTemplate => ({
  parts: document.split(placeholder).map((part) => Buffer.from(part)),
})

/** The UUID namespace that the podcast namespace defines for guids. */
const namespace = 'ead4c236-bf58-58c6-a2c6-a6b28d128cb6'

/** The podcast guid of a feed address: UUIDv5 of the address without scheme and trailing slashes. */
export function podcastGuid(feedAddress: string): string {
  const name = feedAddress.replace(/^[a-z]+:\/\//i, '').replace(/\/+$/, '')
  const hash = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest()
  const bytes = hash.subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x50
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
