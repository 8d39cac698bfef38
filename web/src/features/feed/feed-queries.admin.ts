import { feed } from '@fellowship/schema/feed/feed.contract'
import { adminQuery } from '../../lib/admin-query.ts'

/** The test of the feed. Only `refetch` starts it, because the server reads all recordings for it. */
export const useFeedCheck = adminQuery(feed.check, { enabled: false })
