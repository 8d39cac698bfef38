import { seriesAt, seriesPath, teachingsOf } from '@fellowship/schema/series/series-address'
import type { Series } from '@fellowship/schema/series/series.schema'
import { seriesTexts } from '@fellowship/schema/series/series.texts'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { useNavigate } from '@tanstack/react-router'
import { Pencil, Trash2 } from 'lucide-react'
import { lazy, useEffect, useMemo, useState } from 'react'
import { useAuth } from '../features/auth/auth-context.tsx'
import { ScriptureText } from '../features/passages/scripture-text.tsx'
import { useSeries } from '../features/series/use-series.ts'
import { useLibrary } from '../features/teachings/use-library.ts'
import { Button } from '../ui/button.tsx'
import { LazyPart } from '../ui/lazy-part.tsx'
import { CollectionPage } from './collection-page.tsx'
import { NotFound } from './not-found.tsx'
import { PageSkeleton } from './page-skeleton.tsx'
import { useRefreshAnswer } from './use-refresh-answer.ts'

const SeriesDialog = lazy(() =>
  import('../features/series/series-dialog.tsx').then((m) => ({ default: m.SeriesDialog })),
)
const DeleteSeriesDialog = lazy(() =>
  import('../features/series/delete-series-dialog.tsx').then((m) => ({ default: m.DeleteSeriesDialog })),
)

/** The page of one series: what it is about, and its teachings in order. */
export function SeriesDetail({ slug }: { slug: string }) {
  const { user } = useAuth()
  const { library, outbox, refresh } = useLibrary(user?.id)
  const all = useSeries(user?.id)
  const series = all && seriesAt(all, slug)
  const answer = useRefreshAnswer(all !== undefined && series === undefined, slug, refresh)
  useOwnAddress(series, slug)
  const rows = library.status === 'ready' ? library.rows : none
  const byUid = useMemo(() => new Map(rows.map((row) => [row.uid, row])), [rows])
  const present = useMemo(() => (series ? teachingsOf(series, byUid) : none), [series, byUid])
  if (!series) {
    if (answer === undefined) return <PageSkeleton label={seriesTexts.all} />
    return answer ? <NotFound sentence={seriesTexts.missing} /> : <NotFound {...seriesTexts.notHere} />
  }
  return (
    <CollectionPage
      path={`/series/${series.slug}`}
      name={series.title}
      about={series.description || seriesTexts.about(series.title)}
      all={{ path: '/series', label: seriesTexts.all }}
      rows={present}
      count={present.length}
      library={library.status === 'ready' && !library.partial ? rows : undefined}
      outbox={outbox}
    >
      {series.description && (
        <p className="measure mt-4 whitespace-pre-line wrap-anywhere">
          <ScriptureText text={series.description} />
        </p>
      )}
      {present.length === 0 && <p className="measure mt-4 text-soft">{seriesTexts.noTeaching}</p>}
      {user && <Tools series={series} rows={rows} userId={user.id} />}
    </CollectionPage>
  )
}

/** A series that was begun on this device has its own address once the server knows it. */
function useOwnAddress(series: Series | undefined, slug: string): void {
  const navigate = useNavigate()
  const own = series?.slug
  useEffect(() => {
    if (own === undefined || own === slug) return
    void navigate({ href: seriesPath({ slug: own }), replace: true, resetScroll: false })
  }, [own, slug, navigate])
}

interface ToolsProps {
  series: Series
  rows: readonly Teaching[]
  userId: number
}

function Tools({ series, rows, userId }: ToolsProps) {
  const navigate = useNavigate()
  const [open, setOpen] = useState<'edit' | 'delete'>()
  const close = () => setOpen(undefined)
  return (
    <div className="mt-4 flex flex-wrap gap-3 print:hidden">
      <Button kind="quiet" aria-haspopup="dialog" onClick={() => setOpen('edit')}>
        <Pencil aria-hidden="true" className="size-5" />
        Edit
      </Button>
      <Button kind="quiet" aria-haspopup="dialog" onClick={() => setOpen('delete')}>
        <Trash2 aria-hidden="true" className="size-5" />
        Delete
      </Button>
      <LazyPart onFailed={close}>
        {open === 'edit' && <SeriesDialog series={series} rows={rows} userId={userId} onClose={close} />}
        {open === 'delete' && (
          <DeleteSeriesDialog
            series={series}
            userId={userId}
            onClose={close}
            onDeleted={() => void navigate({ to: '/$', params: { _splat: 'series' } })}
          />
        )}
      </LazyPart>
    </div>
  )
}

const none: readonly Teaching[] = []
