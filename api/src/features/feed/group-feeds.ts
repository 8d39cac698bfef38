import { coverAddress } from '@fellowship/schema/elders/elder-photo'
import { seriesPath } from '@fellowship/schema/series/series-address'
import type { Series } from '@fellowship/schema/series/series.schema'
import { seriesTexts } from '@fellowship/schema/series/series.texts'
import { groupAddress, groupKinds, type TeachingGroup } from '@fellowship/schema/teachings/teaching-groups'
import { groupTexts } from '@fellowship/schema/teachings/teaching-groups.texts'
import type { FeedGroup } from './feed-xml.ts'

/** Whether an address may be the feed of a speaker, of a book or of a series. */
export const isGroupFeed = (pathname: string): boolean =>
  feedAddress.test(pathname) || seriesFeed.test(pathname)

/** The path of the series whose feed this is; undefined for any other address. */
export const seriesOfFeed = (pathname: string): string | undefined => seriesFeed.exec(pathname)?.[1]

/** The path of the group whose feed this is, decoded; undefined for any other address. */
export function groupOfFeed(pathname: string): string | undefined {
  const page = feedAddress.exec(pathname)?.[1]
  const address = page === undefined ? undefined : groupAddress(page)
  return address?.path === page ? page : undefined
}

/** The channel of a group's feed. */
export const feedGroup = ({ kind, path, name }: TeachingGroup): FeedGroup => ({
  name,
  page: encodeURI(path),
  path: encodeURI(`${path}/feed.xml`),
  about: groupTexts[kind].about(name),
})

const feedAddress = new RegExp(`^(/(?:${groupKinds.join('|')})/[^/]+)/feed\\.xml$`)
const seriesFeed = /^(\/series\/[^/]+)\/feed\.xml$/

/** The channel of a series' feed. */
export const feedOfSeries = (series: Series): FeedGroup => ({
  name: series.title,
  page: seriesPath(series),
  path: `${seriesPath(series)}/feed.xml`,
  about: series.description || seriesTexts.about(series.title),
  isSerial: true,
  picture: series.imageUrl ? coverAddress(series.imageUrl) : undefined,
})
