import { seriesPath } from '@fellowship/schema/series/series-address'
import { seriesTexts } from '@fellowship/schema/series/series.texts'
import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { lazy, useState } from 'react'
import { useAuth } from '../features/auth/auth-context.tsx'
import { useSeries } from '../features/series/use-series.ts'
import { useLibrary } from '../features/teachings/use-library.ts'
import { Button } from '../ui/button.tsx'
import { LazyPart } from '../ui/lazy-part.tsx'
import { CollectionList } from './collection-list.tsx'

const SeriesDialog = lazy(() =>
  import('../features/series/series-dialog.tsx').then((m) => ({ default: m.SeriesDialog })),
)

/** All series by title; signed-in people begin new ones. */
export function SeriesList() {
  const { user } = useAuth()
  const { library } = useLibrary(user?.id)
  const all = useSeries(user?.id)
  const navigate = useNavigate()
  const [isBeginning, setBeginning] = useState(false)
  const rows = library.status === 'ready' ? library.rows : []
  const failure = library.status === 'failed' ? library.sentence : undefined
  const entries = all?.map((series) => ({
    path: `/series/${series.slug}`,
    name: series.title,
    count: series.teachings.length,
  }))
  return (
    <>
      <CollectionList
        title={seriesTexts.all}
        sections={entries && [{ entries }]}
        whenEmpty={failure ?? seriesTexts.none}
        failed={failure !== undefined && all === undefined}
      />
      {user && (
        <div className="page pt-0 pb-20">
          <Button kind="secondary" aria-haspopup="dialog" onClick={() => setBeginning(true)}>
            <Plus aria-hidden="true" className="size-5" />
            New series
          </Button>
        </div>
      )}
      <LazyPart onFailed={() => setBeginning(false)}>
        {user && isBeginning && (
          <SeriesDialog
            series={undefined}
            rows={rows}
            userId={user.id}
            onClose={() => setBeginning(false)}
            onSaved={(uid) => void navigate({ href: seriesPath({ slug: uid }) })}
          />
        )}
      </LazyPart>
    </>
  )
}
