import { seriesListPath } from '@fellowship/schema/series/series-address'
import { groupPath } from '@fellowship/schema/teachings/teaching-groups'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { teachingPath } from '@fellowship/schema/teachings/teaching-address'
import { call } from '@fellowship/sync/call/call'
import type { FloodedCall } from './flood.ts'
import type { BenchLibrary } from './library.ts'

/** More than the rendered pages that are kept. */
const pagesInTurn = 1_000

/** The pages that are made from the whole library. */
export async function pageCalls({
  browser,
}: Pick<BenchLibrary, 'browser'>): Promise<Record<string, FloodedCall>> {
  const rows = await call(teachings.list, {}, browser)
  const [newest] = rows
  const headers = { 'accept-encoding': 'br' }
  const paths = rows.slice(0, pagesInTurn).map(teachingPath)
  return {
    'the page of a speaker': { path: groupPath('speakers', newest!.speaker)!, headers },
    'all speakers': { path: '/speakers', headers },
    'all series': { path: seriesListPath, headers },
    'the page of a teaching': { path: paths[0]!, headers },
    'pages of teachings, each another': { path: paths[0]!, paths, headers },
  }
}
