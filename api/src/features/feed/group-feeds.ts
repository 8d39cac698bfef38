import { groupAddress, groupKinds, type TeachingGroup } from '@fellowship/schema/teachings/teaching-groups'
import { groupTexts } from '@fellowship/schema/teachings/teaching-groups.texts'
import type { FeedGroup } from './feed-xml.ts'

/** Whether an address may be the feed of a speaker or of a book. */
export const isGroupFeed = (pathname: string): boolean => feedAddress.test(pathname)

/** The path of the group whose feed this is, decoded; undefined where it is none. */
export function groupOfFeed(pathname: string): string | undefined {
  const page = feedAddress.exec(pathname)?.[1]
  const address = page === undefined ? undefined : groupAddress(page)
  return address?.path === page ? page : undefined
}

/** What the feed of a group says about itself. */
export const feedGroup = ({ kind, path, name }: TeachingGroup): FeedGroup => ({
  name,
  page: encodeURI(path),
  path: encodeURI(`${path}/feed.xml`),
  about: groupTexts[kind].about(name),
})

const feedAddress = new RegExp(`^(/(?:${groupKinds.join('|')})/[^/]+)/feed\\.xml$`)
