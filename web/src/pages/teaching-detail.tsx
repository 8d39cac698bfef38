import { formatDate } from '@fellowship/schema/dates'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { Link } from '@tanstack/react-router'
import { useAuth } from '../features/auth/auth-context.tsx'
import { ScriptureText } from '../features/passages/scripture-text.tsx'
import { PassageTexts } from '../features/passages/passage-texts.tsx'
import { useLibrary } from '../features/teachings/use-library.view.ts'
import { usePageTitle } from '../lib/page-title.view.ts'
import { AroundTeaching } from './around-teaching.tsx'
import { NotFound } from './not-found.tsx'
import { PageSkeleton } from './page-skeleton.tsx'
import { TeachingListen } from './teaching-listen.tsx'
import { useSeriesAround, type AroundInOrder } from './use-series-around.ts'
import { useTeachingAt } from './use-teaching-at.ts'

/** The page of one teaching: its description, player, passages and neighbours. */
export function TeachingDetail({ pathname }: { pathname: string }) {
  const { user } = useAuth()
  const { library, outbox, refresh } = useLibrary(user?.id)
  const series = useSeriesAround(pathname, library, user?.id)
  const { teaching, rows, missing } = useTeachingAt(pathname, library, refresh)
  if (missing === 'notFound') {
    return (
      <NotFound sentence="We can’t find that teaching. It may have been removed, or the link may be incomplete." />
    )
  }
  if (missing === 'noAnswer') {
    return (
      <NotFound
        title="This teaching is not on your device yet."
        sentence="If it is in the library, it will appear here when you’re back online."
      />
    )
  }
  if (!teaching) return <PageSkeleton label="Teaching" />
  return (
    <Found
      teaching={teaching}
      rows={rows}
      series={series(teaching)}
      queued={outbox.byUid.has(teaching.uid)}
    />
  )
}

interface FoundProps {
  teaching: ListedTeaching
  rows: readonly Teaching[]
  series: readonly AroundInOrder[]
  /** Whether one of its changes waits on this device. */
  queued: boolean
}

function Found({ teaching, rows, series, queued }: FoundProps) {
  usePageTitle(shownTitle(teaching))
  const { date, speaker, scriptureReference, duration, description } = teaching
  return (
    <article className="page pt-6 pb-20 lg:pt-12 lg:pb-28">
      <p className="text-small print:hidden">
        <Link to="/teaching" className="text-pine underline underline-offset-4">
          All teaching
        </Link>
      </p>
      <h1 className="mt-3 text-title wrap-anywhere">{shownTitle(teaching)}</h1>
      <p className="dotted mt-3 wrap-anywhere text-soft">
        <time dateTime={date}>{formatDate(date)}</time> <span>{speaker}</span>{' '}
        {scriptureReference && (
          <span>
            <ScriptureText text={scriptureReference} />
          </span>
        )}{' '}
        {duration && <span className="tabular-nums">{duration}</span>}
      </p>
      {queued && <p className="mt-1 text-small text-wheat-text">Changed on this device, not sent yet</p>}
      <TeachingListen teaching={teaching} rows={rows} />
      {description && (
        <p className="measure mt-8 whitespace-pre-line wrap-anywhere">
          <ScriptureText text={description} />
        </p>
      )}
      {scriptureReference && <PassageTexts reference={scriptureReference} />}
      <AroundTeaching teaching={teaching} rows={rows} series={series} />
    </article>
  )
}
