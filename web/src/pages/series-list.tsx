import type { ListedCollection } from '@fellowship/schema/pages/prerender-data'
import { seriesListPath, seriesPath, teachingsOf } from '@fellowship/schema/series/series-address'
import type { Series } from '@fellowship/schema/series/series.schema'
import { seriesTexts } from '@fellowship/schema/series/series.texts'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { firstPartOf } from '../boot/first-data.ts'
import { useAuth } from '../features/auth/auth-context.tsx'
import { useSeries } from '../features/series/use-series.list.ts'
import { useLibrary } from '../features/teachings/use-library.view.ts'
import { Button } from '../ui/button.tsx'
import { asDialog, lazyPart } from '../ui/lazy-part.tsx'
import { CollectionList } from './collection-list.tsx'

const SeriesDialog = lazyPart(() => import('../features/series/series-dialog.tsx'), 'SeriesDialog', asDialog)

/** All series by title, as the server rendered them, then from the replica; signed-in people begin new ones. */
export function SeriesList() {
  const { user } = useAuth()
  const { library } = useLibrary(user?.id)
  const all = useSeries(user?.id)
  const navigate = useNavigate()
  const [isBeginning, setBeginning] = useState(false)
  const rows = library.status === 'ready' ? library.rows : none
  const whole = library.status === 'ready' && !library.partial ? library.rows : undefined
  const read = useMemo(() => all && whole && entriesOf(all, whole), [all, whole])
  const entries = read ?? firstPartOf(seriesListPath)?.groups
  return (
    <>
      <CollectionList
        title={seriesTexts.all}
        sections={entries && [{ entries }]}
        whenEmpty={seriesTexts.none}
        failure={library.status === 'failed' ? library.sentence : undefined}
      />
      {user && (
        <div className="page pt-0 pb-20">
          <Button icon={Plus} kind="secondary" aria-haspopup="dialog" onClick={() => setBeginning(true)}>
            New series
          </Button>
        </div>
      )}
      {user && isBeginning && (
        <SeriesDialog
          series={undefined}
          rows={rows}
          userId={user.id}
          onClose={() => setBeginning(false)}
          onSaved={(uid) => void navigate({ href: seriesPath({ slug: uid }) })}
        />
      )}
    </>
  )
}

/** Each with the number of its teachings that are in the library. */
function entriesOf(all: readonly Series[], rows: readonly Teaching[]): ListedCollection[] {
  const byUid = new Map(rows.map((row) => [row.uid, row]))
  return all.map((series) => ({
    path: `${seriesListPath}/${series.slug}`,
    name: series.title,
    count: teachingsOf(series, byUid).length,
  }))
}

const none: readonly Teaching[] = []
