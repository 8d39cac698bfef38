import type { PageRow } from '@fellowship/schema/written-pages/written-pages.schema'
import { firstWritten } from '../../boot/first-data.ts'
import { useLive } from '../../lib/use-live.view.ts'

let known: readonly PageRow[] | undefined

/** A written page, live from the replica; until it has been read that of the prerendered page, or undefined. */
export function usePage(slug: string): PageRow | undefined {
  const rows = useLive(() => known, loadPages)
  const first = firstWritten()
  return (rows ?? (first ? [first] : [])).find((row) => row.slug === slug)
}

const loadPages = async () => {
  const { watchPages } = await import('./written-pages.device.ts')
  return (onChange: (rows: readonly PageRow[]) => void) =>
    watchPages((rows) => {
      // The next page that is opened shows its text at once.
      known = rows
      onChange(rows)
    })
}
