import { teachingPage } from '@fellowship/schema/teachings/teachings.limits'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import { useEffect, useMemo, useState } from 'react'
import { rowId } from './teaching-row.tsx'

/**
 * Five rows, and five more each time. If `search` changes, it starts at the first page; going back restores the earlier
 * number of rows.
 */
export function usePaging(found: readonly ListedTeaching[], search: string) {
  const [page, setPage] = useState<Page>(
    () => pageOfEntry.get(entryKey()) ?? { search, count: teachingPage.initial },
  )
  const count = page.search === search ? page.count : teachingPage.initial
  useEffect(() => {
    // If the button is gone, the focus moves to the first new row.
    if (page.firstNew) document.getElementById(rowId(page.firstNew))?.focus({ preventScroll: true })
  }, [page])
  return {
    shown: useMemo(() => found.slice(0, count), [found, count]),
    loadMore: () => {
      const more = { search, count: count + teachingPage.increment }
      pageOfEntry.set(entryKey(), more)
      setPage({ ...more, firstNew: found[count] })
    },
  }
}

interface Page {
  search: string
  count: number
  firstNew?: ListedTeaching | undefined
}

/** The number of shown rows, by the entry of the browser's history. */
const pageOfEntry = new Map<string | undefined, Page>()
/** The router's key of the entry. The server has no history. */
const entryKey = () => (globalThis.history?.state as { __TSR_key?: string } | null | undefined)?.__TSR_key
