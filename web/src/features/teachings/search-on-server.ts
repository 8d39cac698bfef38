import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { teachingLimits } from '@fellowship/schema/teachings/teachings.limits'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { call } from '@fellowship/sync/call/call'

/**
 * The server's matches, best first.
 *
 * @throws CallError, NetworkError
 */
export const searchOnServer = (text: string, signal: AbortSignal): Promise<readonly Teaching[]> =>
  call(teachings.search, { query: { q: text.slice(0, teachingLimits.searchText) }, signal })
