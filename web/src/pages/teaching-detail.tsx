import { formatDate } from '@fellowship/schema/dates'
import type { PrerenderedPart } from '@fellowship/schema/pages/prerender-data'
import { splitAtReferences } from '@fellowship/schema/passages/reference'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import { teachingAt, teachingPath } from '@fellowship/schema/teachings/teaching-address'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { Link, useLocation, useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo } from 'react'
import { firstPartOf, firstPassages } from '../boot/first-data.ts'
import { savedRows } from '../features/audio/saved/saved-rows.list.ts'
import { useSavedShelf } from '../features/audio/saved/saved.ts'
import { useAuth } from '../features/auth/auth-context.tsx'
import { HandoutList } from '../features/handouts/handout-list.tsx'
import { ScriptureText } from '../features/passages/scripture-text.tsx'
import { usePassages } from '../features/passages/use-passages.ts'
import { SeriesLink } from '../features/teachings/group-link.list.tsx'
import type { Library } from '../features/teachings/library.ts'
import { useLibrary } from '../features/teachings/use-library.view.ts'
import { saidPlace } from '../features/transcripts/said-text.tsx'
import { usePageTitle } from '../lib/page-title.view.ts'
import { Cover } from '../ui/cover.view.tsx'
import { useDialogHeld } from '../ui/held-dialog.ts'
import { AroundTeaching } from './around-teaching.tsx'
import { NotFound } from './not-found.tsx'
import { PageSkeleton } from './page-skeleton.tsx'
import {
  TeachingChapters,
  TeachingListen,
  TeachingNotes,
  TeachingText,
  TextTool,
} from './teaching-listen.tsx'
import { useRefreshAnswer } from './use-refresh-answer.ts'
import { type AroundInOrder, useSeriesAround } from './use-series-around.ts'

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
      said={firstPartOf(pathname)?.said}
    />
  )
}

interface FoundProps {
  teaching: ListedTeaching
  rows: readonly Teaching[]
  series: readonly AroundInOrder[]
  /** Whether one of its changes waits on this device. */
  queued: boolean
  /** Its text, if the page was rendered with it. */
  said: PrerenderedPart['said']
}

function Found({ teaching, rows, series, queued, said }: FoundProps) {
  usePageTitle(shownTitle(teaching))
  const { date, speaker, scriptureReference, duration, description } = teaching
  const [inSeries] = series
  return (
    <article className="page pt-2 pb-20 sm:pt-6 lg:pb-28">
      <div className="flex flex-wrap items-end gap-x-8 gap-y-5">
        <Cover kind="teaching" title={shownTitle(teaching)} sizes="14rem" className="size-44 shadow-soft" />
        <div className="min-w-0 grow basis-64">
          <p className="text-small print:hidden">
            {inSeries ? (
              <SeriesLink
                slug={inSeries.slug}
              >{`${inSeries.title}, part ${inSeries.place} of ${inSeries.count}`}</SeriesLink>
            ) : (
              <Link
                to="/teaching"
                className="inline-flex min-h-11 items-center text-pine underline underline-offset-4"
              >
                All teaching
              </Link>
            )}
          </p>
          <h1 className="text-title wrap-anywhere">{shownTitle(teaching)}</h1>
          <p className="dotted mt-3 wrap-anywhere text-soft">
            <time dateTime={date}>{formatDate(date)}</time> <span>{speaker}</span>{' '}
            {scriptureReference && (
              <span className="inline-block">
                <ScriptureText text={scriptureReference} />
              </span>
            )}{' '}
            {duration && <span className="tabular-nums">{duration}</span>}
          </p>
          {queued && <p className="mt-1 text-small text-wheat-text">Changed on this device, not sent yet</p>}
        </div>
      </div>
      <TeachingListen teaching={teaching} />
      <div className="mt-3 flex flex-wrap items-center gap-x-6 print:hidden">
        {typeof teaching.transcriptRev === 'number' && (
          <a
            href={`#${saidPlace}`}
            className="inline-flex min-h-11 items-center text-pine underline underline-offset-4"
          >
            Read what was said
          </a>
        )}
        <TextTool teaching={teaching} />
      </div>
      {description && (
        <p className="measure mt-8 whitespace-pre-line wrap-anywhere">
          <ScriptureText text={description} />
        </p>
      )}
      {scriptureReference && <PassageTexts reference={scriptureReference} />}
      <TeachingChapters teaching={teaching} />
      <HandoutList handouts={teaching.handouts} />
      <TeachingNotes teaching={teaching} />
      <AroundTeaching teaching={teaching} rows={rows} series={series} />
      <TeachingText teaching={teaching} first={said} />
    </article>
  )
}

/**
 * The passages of a reference in full, each with its publisher's line; those that the table lacks are skipped. They come
 * from the prerendered page first, then from the device.
 */
function PassageTexts({ reference }: { reference: string }) {
  const passages = usePassages()
  const found = useMemo(() => {
    const find = (wanted: string) =>
      passages ? passages.get(wanted) : firstPassages()?.find((each) => each.reference === wanted)
    const all = splitAtReferences(reference, find).flatMap((piece) => piece.found ?? [])
    return [...new Set(all)]
  }, [reference, passages])
  return found.map((passage) => (
    <figure key={passage.reference} className="measure mt-8 border-l-2 border-wheat pl-6">
      <blockquote className="whitespace-pre-line text-soft italic">
        <p>“{passage.text}”</p>
      </blockquote>
      <figcaption className="mt-1.5 text-small text-wheat-text">
        <span className="font-medium">{passage.reference}</span>
        <span className="block text-soft">{passage.copyrightLine}</span>
      </figcaption>
    </figure>
  ))
}

interface TeachingAt {
  /** Null until it is found. */
  teaching: ListedTeaching | null
  /** The loaded rows of the library, newest first; they always include the neighbours of the teaching. */
  rows: readonly Teaching[]
  /** notFound: neither replica nor server has it · noAnswer: the server did not respond. False if it is found, or until both have been read. */
  missing: 'notFound' | 'noAnswer' | false
}

/**
 * The teaching of the address: from the page as the server rendered it, then from the replica, or from the saved
 * recordings. If it is absent, pulls once, as a link may be newer than the replica. When the teaching is found, the
 * address becomes its own.
 *
 * @param refresh pulls from the server and returns whether it responded
 */
function useTeachingAt(pathname: string, library: Library, refresh: () => Promise<boolean>): TeachingAt {
  const first = firstPartOf(pathname)?.rows
  const shelf = useSavedShelf()
  const whole = library.status === 'ready' && !library.partial
  const rows = library.status === 'ready' ? library.rows : none
  const known = useMemo(() => teachingAt(rows, pathname), [rows, pathname])
  const drawn = useMemo(() => first && teachingAt(first, pathname), [first, pathname])
  const absent = known === undefined && (whole || library.status === 'failed')
  const saved = useMemo(
    () => (absent ? teachingAt(savedRows(shelf, none), pathname) : undefined),
    [absent, shelf, pathname],
  )
  const answer = useRefreshAnswer(absent, pathname, refresh)
  // The rendered page may be newer than the replica, unless the server has answered without this teaching.
  const kept = answer === true ? saved : (drawn ?? saved)
  const teaching = (whole ? known : (drawn ?? known)) ?? kept ?? null
  useOwnAddress(pathname, teaching)
  return {
    teaching,
    rows: !whole && first ? first : rows,
    missing: teaching === null && answer !== undefined && (answer ? 'notFound' : 'noAnswer'),
  }
}

/** Replaces an address with an earlier title or date by the present one, and preserves its start second. */
function useOwnAddress(pathname: string, teaching: ListedTeaching | null): void {
  const navigate = useNavigate()
  const wanted = useLocation({ select: (location) => location.pathname })
  const search = useLocation({ select: (location) => location.searchStr })
  const own = teaching && teachingPath(teaching)
  const held = useDialogHeld()
  useEffect(() => {
    // Not if another page is already requested.
    if (held || own === null || own === pathname || wanted !== pathname) return
    void navigate({ href: own + search, replace: true, resetScroll: false })
  }, [held, own, pathname, wanted, search, navigate])
}

const none: readonly Teaching[] = []
