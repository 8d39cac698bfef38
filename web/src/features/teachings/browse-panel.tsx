import { facetsOf, type Facet, type TeachingFilter } from '@fellowship/schema/teachings/teaching-facets'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import { useDeferredValue, useId, useMemo, useState } from 'react'
import { classNames } from '../../lib/class-names.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.view.tsx'
import { AllSeriesLink, GroupLink, GroupsLink } from './group-link.list.tsx'

interface BrowsePanelProps {
  rows: readonly ListedTeaching[]
  filter: TeachingFilter
  onFilter: (change: Partial<TeachingFilter>) => void
}

/** The books, speakers and years to filter by, with counts. They come from the replica, so the panel works offline. */
export function BrowsePanel({ rows, filter, onFilter }: BrowsePanelProps) {
  // Counting takes longer than a keystroke may, so it is deferred.
  const counted = useDeferredValue(rows)
  const { books, speakers, years } = useMemo(() => facetsOf(counted, filter), [counted, filter])
  const of = (wanted: 'Old' | 'New') => books.filter(({ testament }) => testament === wanted)
  const onBook = (book: string | null) => onFilter({ book })
  return (
    <Card className="mt-3 grid animate-rise grid-cols-1 gap-6 p-5 sm:p-6 print:hidden">
      <Choices title="Old Testament" facets={of('Old')} chosen={filter.book} onChoose={onBook} />
      <Choices title="New Testament" facets={of('New')} chosen={filter.book} onChoose={onBook} />
      <Choices
        title="Speaker"
        facets={speakers}
        chosen={filter.speaker}
        onChoose={(speaker) => onFilter({ speaker })}
      />
      <Choices title="Year" facets={years} chosen={filter.year} onChoose={(year) => onFilter({ year })} />
      {books.length + speakers.length + years.length === 0 && (
        <p className="text-soft">There is nothing to browse in yet.</p>
      )}
      <Pages filter={filter} />
    </Card>
  )
}

/** Links to the pages of the chosen speaker and book, to share or subscribe to, and to the pages that list all. */
function Pages({ filter: { book, speaker } }: Pick<BrowsePanelProps, 'filter'>) {
  return (
    <p className="flex min-w-0 flex-wrap gap-x-4">
      {book !== null && (
        <GroupLink kind="books" name={book}>
          All teaching on {book}
        </GroupLink>
      )}
      {speaker !== null && (
        <GroupLink kind="speakers" name={speaker}>
          All teaching by {speaker}
        </GroupLink>
      )}
      <GroupsLink kind="speakers" />
      <GroupsLink kind="books" />
      <AllSeriesLink />
    </p>
  )
}

interface ChoicesProps<Value extends string | number> {
  title: string
  facets: readonly Facet<Value>[]
  chosen: Value | null
  onChoose: (value: Value | null) => void
}

/** If there are more choices, a button shows them. */
const mostShown = 18

function Choices<Value extends string | number>({ title, facets, chosen, onChoose }: ChoicesProps<Value>) {
  const id = useId()
  const [all, setAll] = useState(false)
  if (facets.length === 0) return null
  const shown = all ? facets : facets.filter(({ value }, at) => at < mostShown || value === chosen)
  return (
    <section aria-labelledby={id}>
      <p id={id} className="text-small font-semibold text-wheat-text">
        {title}
      </p>
      <ul className="mt-2 flex flex-wrap gap-2">
        {shown.map(({ value, count }) => (
          <li key={value} className="max-w-full">
            <button
              type="button"
              aria-pressed={value === chosen}
              onClick={() => onChoose(value === chosen ? null : value)}
              className={classNames(
                'inline-flex min-h-11 max-w-full items-center gap-2 rounded-full border px-4 text-small transition-colors',
                value === chosen
                  ? 'border-pine bg-pine font-medium text-on-pine'
                  : 'border-line-strong bg-raised text-ink hover:border-pine hover:bg-pine-tint',
              )}
            >
              <span className="truncate">{value}</span>
              <span className={classNames('tabular-nums', value !== chosen && 'text-soft')}>{count}</span>
              <span className="sr-only">{count === 1 ? 'teaching' : 'teachings'}</span>
            </button>
          </li>
        ))}
        {shown.length < facets.length && (
          <li>
            <Button kind="quiet" onClick={() => setAll(true)}>
              All {facets.length}
            </Button>
          </li>
        )}
      </ul>
    </section>
  )
}
