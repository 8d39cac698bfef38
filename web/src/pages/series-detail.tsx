import { seriesAt, seriesListPath, seriesPath, teachingsOf } from '@fellowship/schema/series/series-address'
import type { Series } from '@fellowship/schema/series/series.schema'
import { seriesTexts } from '@fellowship/schema/series/series.texts'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { useNavigate } from '@tanstack/react-router'
import { Image as ImageIcon, Pencil, Trash2 } from 'lucide-react'
import { useEffect, useMemo } from 'react'
import { firstPartOf } from '../boot/first-data.ts'
import { useAuth, useRoomForMember } from '../features/auth/auth-context.tsx'
import { ScriptureText } from '../features/passages/scripture-text.tsx'
import { useSeries } from '../features/series/use-series.list.ts'
import { useLibrary } from '../features/teachings/use-library.view.ts'
import { Button } from '../ui/button.tsx'
import { openHeld, useDialogHeld } from '../ui/held-dialog.ts'
import { asDialog, lazyPart } from '../ui/lazy-part.tsx'
import { CollectionPage } from './collection-page.tsx'
import { NotFound } from './not-found.tsx'
import { PageSkeleton } from './page-skeleton.tsx'
import { useRefreshAnswer } from './use-refresh-answer.ts'

/** The page of one series, as the server rendered it, then from the replica: its description and its teachings in order. */
export function SeriesDetail({ slug }: { slug: string }) {
  const { user } = useAuth()
  const { library, outbox, refresh } = useLibrary(user?.id)
  const all = useSeries(user?.id)
  const series = all && seriesAt(all, slug)
  const answer = useRefreshAnswer(all !== undefined && series === undefined, slug, refresh)
  useOwnAddress(series, slug)
  const roomForTools = useRoomForMember()
  const whole = library.status === 'ready' && !library.partial ? library.rows : undefined
  const present = useMemo(() => series && whole && presentIn(series, whole), [series, whole])
  const part = firstPartOf(`${seriesListPath}/${slug}`)
  // If the replica lacks the series, the server's rendering stays until the server has answered.
  const brought = answer === undefined ? part : undefined
  const title = series?.title ?? brought?.name
  if (title === undefined) {
    if (library.status === 'failed') return <NotFound title={seriesTexts.all} sentence={library.sentence} />
    if (answer === undefined) return <PageSkeleton label={seriesTexts.all} />
    return answer ? <NotFound sentence={seriesTexts.missing} /> : <NotFound {...seriesTexts.notHere} />
  }
  const { description, imageUrl } = series ?? brought!
  const rows = present ?? part?.rows ?? none
  const count = present?.length ?? part?.count ?? series?.teachings.length ?? 0
  return (
    <CollectionPage
      kind="series"
      imageUrl={imageUrl}
      path={`${seriesListPath}/${series?.slug ?? slug}`}
      name={title}
      about={description || seriesTexts.about(title)}
      all={{ part: 'series', label: seriesTexts.all }}
      rows={rows}
      count={count}
      outbox={outbox}
    >
      {description && (
        <p className="measure mt-4 whitespace-pre-line wrap-anywhere">
          <ScriptureText text={description} />
        </p>
      )}
      {count === 0 && <p className="measure mt-4 text-soft">{seriesTexts.noTeaching}</p>}
      {roomForTools && (
        <div className="mt-4 -ml-5 flex min-h-11 flex-wrap sm:gap-3 print:hidden">
          {user && series && <SeriesTools series={series} />}
        </div>
      )}
    </CollectionPage>
  )
}

function presentIn(series: Series, rows: readonly Teaching[]): readonly Teaching[] {
  const wanted = new Set(series.teachings)
  return teachingsOf(series, new Map(rows.flatMap((row) => (wanted.has(row.uid) ? [[row.uid, row]] : []))))
}

/** Replaces the address of a series that was created on this device when the server has assigned its slug. */
function useOwnAddress(series: Series | undefined, slug: string): void {
  const navigate = useNavigate()
  const held = useDialogHeld()
  const own = series?.slug
  useEffect(() => {
    if (held || own === undefined || own === slug) return
    void navigate({ href: seriesPath({ slug: own }), replace: true, resetScroll: false })
  }, [held, own, slug, navigate])
}

const none: readonly Teaching[] = []

const SeriesForm = lazyPart(() => import('./series-forms.tsx'), 'SeriesForm', asDialog)
const SeriesPictureDialog = lazyPart(
  () => import('../features/series/series-picture-dialog.tsx'),
  'SeriesPictureDialog',
  asDialog,
)
const DeleteSeriesDialog = lazyPart(
  () => import('../features/series/delete-series-dialog.tsx'),
  'DeleteSeriesDialog',
  asDialog,
)

/** For users who may edit: the buttons that edit a series, set its picture and delete it. */
function SeriesTools({ series }: { series: Series }) {
  const navigate = useNavigate()
  const onDeleted = () => void navigate({ to: '/browse', hash: 'series' })
  return (
    <>
      <Button
        icon={Pencil}
        kind="quiet"
        aria-haspopup="dialog"
        onClick={() => openHeld(SeriesForm, { series })}
      >
        Edit
      </Button>
      {/* A series that was begun on this device and not sent yet cannot have a picture. */}
      {series.rev > 0 && (
        <Button
          icon={ImageIcon}
          kind="quiet"
          aria-haspopup="dialog"
          onClick={() => openHeld(SeriesPictureDialog, { series })}
        >
          Picture
        </Button>
      )}
      <Button
        icon={Trash2}
        kind="quiet"
        aria-haspopup="dialog"
        onClick={() => openHeld(DeleteSeriesDialog, { series, onDeleted })}
      >
        Delete
      </Button>
    </>
  )
}
