import { feed } from '@fellowship/schema/feed/feed.contract'
import { adminQuery } from '../../lib/admin-query.ts'

/** The test of the feed. It starts by `refetch` alone: the server downloads all recordings for it. */
export const useFeedCheck = adminQuery(feed.check, { enabled: false })
