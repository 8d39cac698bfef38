import type { ComponentProps } from 'react'
import { useAuth } from '../features/auth/auth-context.tsx'
import { AddToSeriesDialog } from '../features/series/add-to-series-dialog.tsx'
import { SeriesDialog } from '../features/series/series-dialog.tsx'
import { useLibrary } from '../features/teachings/use-library.view.ts'

/** The dialog of a series, with the teachings of the library. */
export const SeriesForm = (props: Omit<ComponentProps<typeof SeriesDialog>, 'rows'>) => (
  <SeriesDialog {...props} rows={useWholeLibrary()} />
)

/** The dialog that adds a teaching to a series, or begins one with it. */
export const AddToSeries = (props: Omit<ComponentProps<typeof AddToSeriesDialog>, 'rows'>) => (
  <AddToSeriesDialog {...props} rows={useWholeLibrary()} />
)

/** All teachings; undefined until they are read. */
function useWholeLibrary() {
  const { library } = useLibrary(useAuth().user?.id)
  return library.status === 'ready' && !library.partial ? library.rows : undefined
}
