import { visibleAgainMs } from '@fellowship/schema/sync/sync.limits'
import { pages } from '@fellowship/schema/written-pages/written-pages.contract'
import type { PageRow } from '@fellowship/schema/written-pages/written-pages.schema'
import { call } from '@fellowship/sync/call/call'
import { readPages } from '@fellowship/sync/client/replica/public.store'
import { watchReplicated } from '../../lib/watch-replicated.ts'

/**
 * Reports the written pages from the replica, at once and after every change. On a first visit the server is asked for them
 * alone, as a whole library takes longer.
 */
export function watchPages(onChange: (rows: readonly PageRow[]) => void): () => void {
  let isKnown = false
  const onRows = (rows: readonly PageRow[]) => {
    isKnown = true
    onChange(rows)
  }
  void askAlone().then(
    (rows) => {
      if (rows && !isKnown) onChange(rows)
    },
    () => undefined,
  )
  return watchReplicated({
    kind: 'page',
    read: () => readPages(),
    inOrder: (a: PageRow, b: PageRow) => a.id - b.id,
    freshMs: visibleAgainMs,
    onRows,
    // The page shows what it has.
    onFailure: () => undefined,
  })
}

const askAlone = async () => ((await readPages()) ? undefined : call(pages.list))
