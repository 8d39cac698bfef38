import { formatDate } from '@fellowship/schema/dates'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import { neighboursOf } from '@fellowship/schema/teachings/teaching-neighbours'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { useDeferredValue, useMemo, type ReactNode } from 'react'
import { GroupLink, SeriesLink } from '../features/teachings/group-link.list.tsx'
import { Cover } from '../ui/cover.view.tsx'
import { TeachingLink } from '../features/teachings/teaching-link.view.tsx'
import { lazyPart, optional } from '../ui/lazy-part.tsx'
import type { AroundInOrder } from './use-series-around.ts'

const PlayOnButton = lazyPart(
  () => import('../features/audio/up-next/play-collection.tsx'),
  'PlayOnButton',
  optional,
)

interface AroundTeachingProps {
  teaching: ListedTeaching
  rows: readonly Teaching[]
  series: readonly AroundInOrder[]
}

/**
 * The neighbours of a teaching on its page: its position in each series, the teachings before and after in time, and more
 * of the same speaker and on the same book.
 */
export function AroundTeaching({ teaching, rows, series }: AroundTeachingProps) {
  // Deferred until the page is painted, as there may be ten thousand rows.
  const counted = useDeferredValue(rows)
  const { newer, older, bySpeaker, book, onBook } = useMemo(
    () => neighboursOf(counted, teaching),
    [counted, teaching],
  )
  return (
    <div className="print:hidden">
      {series.map((each) => (
        <InSeries key={each.slug} teaching={teaching} {...each} />
      ))}
      {/* In a series its neighbours are the ones to go on with. */}
      {series.length === 0 && (newer ?? older) && (
        <nav aria-label="Previous and next" className="mt-12 border-t border-line pt-6">
          <ul className="grid gap-x-10 gap-y-5 sm:grid-cols-2">
            {older && <Entry label="Previous" teaching={older} />}
            {newer && <Entry label="Next" teaching={newer} />}
          </ul>
        </nav>
      )}
      <div className="grid gap-x-10 lg:grid-cols-2">
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
    </div>
  )
}

interface InSeriesProps extends AroundInOrder {
  teaching: ListedTeaching
}

function InSeries({ teaching, slug, title, place, count, before, after, inOrder }: InSeriesProps) {
  return (
    <nav aria-label={title} className="mt-12">
      <h2 className="text-section wrap-anywhere">{title}</h2>
      <p className="mt-1 text-small text-soft">{`${place} of ${count} in this series`}</p>
      {(before ?? after) && (
        <ul className="mt-5 grid gap-x-10 gap-y-5 sm:grid-cols-2">
          {before && <Entry label="Previous in the series" teaching={before} />}
          {after && <Entry label="Next in the series" teaching={after} />}
        </ul>
      )}
      <div className="mt-5 flex min-h-11 flex-wrap items-center gap-x-6 gap-y-2">
        <SeriesLink slug={slug}>All of {title}</SeriesLink>
        {inOrder && <PlayOnButton teaching={teaching} inOrder={inOrder} />}
      </div>
    </nav>
  )
}

function More({ title, rows, children }: { title: string; rows: readonly Teaching[]; children: ReactNode }) {
  return (
    <section aria-label={title} className="mt-12">
      <h2 className="text-xl wrap-anywhere">{title}</h2>
      <ul className="mt-4 grid gap-y-4">
        {rows.map((row) => (
          <Entry key={row.uid} teaching={row} />
        ))}
      </ul>
      <p className="mt-3">{children}</p>
    </section>
  )
}

function Entry({ label, teaching }: { label?: string; teaching: Teaching }) {
  const { date, speaker, scriptureReference } = teaching
  const title = shownTitle(teaching)
  return (
    <li className="group relative flex min-w-0 items-center gap-4 wrap-anywhere">
      <Cover kind="teaching" title={title} sizes="4rem" className="size-13" />
      <div className="min-w-0">
        {label && <p className="text-small font-semibold text-wheat-text">{label}</p>}
        <p className="text-lg leading-tight">
          {/* The link covers the whole entry. */}
          <TeachingLink
            teaching={teaching}
            className="font-serif text-ink group-hover:text-pine after:absolute after:inset-0"
          />
        </p>
        <p className="dotted mt-1 text-small text-soft">
          <span>{formatDate(date)}</span> <span>{speaker}</span>{' '}
          {scriptureReference && scriptureReference !== title && <span>{scriptureReference}</span>}
        </p>
      </div>
    </li>
  )
}
