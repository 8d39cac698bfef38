import { spokenSearch } from '@fellowship/schema/spoken-search/spoken-search.contract'
import type { SaidAnswer } from '@fellowship/schema/spoken-search/spoken-search.schema'
import { teachingLimits } from '@fellowship/schema/teachings/teachings.limits'
import { call } from '@fellowship/sync/call/call'

/**
 * The teachings in which it was said, by the server.
 *
 * @throws CallError, NetworkError
 */
export const searchSaid = (query: string, signal: AbortSignal): Promise<SaidAnswer> =>
  call(spokenSearch.said, { query: { q: query.slice(0, teachingLimits.searchText) }, signal })

/** Bytes that a device fetches for the whole index. */
export const costOfIndex = async (): Promise<number> => (await call(spokenSearch.list)).bytes
