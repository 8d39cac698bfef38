import { formatDate } from '@fellowship/schema/dates'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import { neighboursOf } from '@fellowship/schema/teachings/teaching-neighbours'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { Link } from '@tanstack/react-router'
import { useDeferredValue, useMemo, type ReactNode } from 'react'
import { useAuth } from '../features/auth/auth-context.tsx'
import { ScriptureText } from '../features/passages/scripture-text.tsx'
import { PassageTexts } from '../features/passages/passage-texts.tsx'
import { GroupLink } from '../features/teachings/group-link.tsx'
import { TeachingLink } from '../features/teachings/teaching-link.tsx'
import { useLibrary } from '../features/teachings/use-library.ts'
import { usePageTitle } from '../lib/page-title.ts'
import { NotFound } from './not-found.tsx'
import { PageSkeleton } from './page-skeleton.tsx'
import { TeachingListen } from './teaching-listen.tsx'
import { useTeachingAt } from './use-teaching-at.ts'

/** The page of one teaching: what it is about, its player, its passage, and what lies around it. */
export function TeachingDetail({ pathname }: { pathname: string }) {
  const { user } = useAuth()
  const { library, outbox, refresh } = useLibrary(user?.id)
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
  return <Found teaching={teaching} rows={rows} queued={outbox.byUid.has(teaching.uid)} />
}

interface FoundProps {
  teaching: Teaching
  rows: readonly Teaching[]
  /** A change of it waits on this device. */
  queued: boolean
}

function Found({ teaching, rows, queued }: FoundProps) {
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
      <Around teaching={teaching} rows={rows} />
    </article>
  )
}

/** The teachings before and after, and more of the same speaker and on the same book. */
function Around({ teaching, rows }: Pick<FoundProps, 'teaching' | 'rows'>) {
  // Going through ten thousand rows may wait until the page is seen.
  const counted = useDeferredValue(rows)
  const { newer, older, bySpeaker, book, onBook } = useMemo(
    () => neighboursOf(counted, teaching),
    [counted, teaching],
  )
  return (
    <div className="print:hidden">
      {(newer ?? older) && (
        <nav aria-label="Before and after" className="mt-12 border-t border-line pt-6">
          <ul className="grid gap-x-10 gap-y-5 sm:grid-cols-2">
            {older && <Entry label="Before" teaching={older} />}
            {newer && <Entry label="After" teaching={newer} />}
          </ul>
        </nav>
      )}
      {bySpeaker.length > 0 && (
        <More title={`More by ${teaching.speaker}`} rows={bySpeaker}>
          <GroupLink kind="speakers" name={teaching.speaker}>
            All teaching by {teaching.speaker}
          </GroupLink>
        </More>
      )}
      {book !== undefined && onBook.length > 0 && (
        <More title={`More on ${book}`} rows={onBook}>
          <GroupLink kind="books" name={book}>
            All teaching on {book}
          </GroupLink>
        </More>
      )}
    </div>
  )
}

function More({ title, rows, children }: { title: string; rows: readonly Teaching[]; children: ReactNode }) {
  return (
    <section aria-label={title} className="mt-12">
      <h2 className="text-section wrap-anywhere">{title}</h2>
      <ul className="mt-5 grid gap-x-10 gap-y-5 sm:grid-cols-2">
        {rows.map((row) => (
          <Entry key={row.uid} teaching={row} />
        ))}
      </ul>
      <p className="mt-5">{children}</p>
    </section>
  )
}

function Entry({ label, teaching }: { label?: string; teaching: Teaching }) {
  const { date, speaker, scriptureReference } = teaching
  const title = shownTitle(teaching)
  return (
    <li className="min-w-0 wrap-anywhere">
      {label && <p className="text-small font-semibold text-wheat-text">{label}</p>}
      <p className="text-lg leading-tight">
        <TeachingLink
          teaching={teaching}
          className="font-serif text-pine underline-offset-4 hover:underline"
        />
      </p>
      <p className="dotted mt-1 text-small text-soft">
        <span>{formatDate(date)}</span> <span>{speaker}</span>{' '}
        {scriptureReference && scriptureReference !== title && <span>{scriptureReference}</span>}
      </p>
    </li>
  )
}
