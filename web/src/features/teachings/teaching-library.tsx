import { filterTeachings, isOpenFilter } from '@fellowship/schema/teachings/teaching-facets'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import { teachingTexts } from '@fellowship/schema/teachings/teachings.texts'
import { BookOpen, CloudOff, SearchX } from 'lucide-react'
import { memo, useCallback, useMemo, useReducer, useState, type ReactNode, type SyntheticEvent } from 'react'
import { firstTeachings, firstYears } from '../../boot/first-data.ts'
import { classNames } from '../../lib/class-names.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.view.tsx'
import { EmptyState } from '../../ui/empty-state.list.tsx'
import { libraryTitle, yearsOf, type Library, type LibraryFilters } from './library.ts'
import { LibraryControls } from './library-controls.tsx'
import { LibrarySkeleton } from './library-skeleton.tsx'
import { rowKey, touched, untouched } from './row-places.ts'
import { usePaging } from './use-paging.list.ts'
import { useTeachingSearch } from './use-teaching-search.list.ts'

export interface TeachingLibraryProps {
  library: Library<ListedTeaching>
  filters: LibraryFilters
  onFilters: (change: Partial<LibraryFilters>) => void
  onRetry: () => void
  /** Renders one row, without a key: the list decides which element is reused. */
  row: (teaching: ListedTeaching) => ReactNode
  /** Other search results, above the rows. */
  beside?: ((query: string) => ReactNode) | undefined
  /** Results of another kind, below the rows. */
  below?: ((filters: LibraryFilters) => ReactNode) | undefined
  /** Beside the heading, such as the switch to saved teachings. */
  tabs?: ReactNode
  /** For a list of a part of the library: its title, and the content if it is empty. */
  part?: LibraryPart | undefined
  /** The freshness of the library, in one line. */
  status?: ReactNode
  /** A link to new teachings, beside the heading of the whole library. */
  news?: ReactNode
}

interface LibraryPart {
  title: string
  whenEmpty: ReactNode
  /** All teachings, for the choice of years and for the count of matches outside the part. */
  whole: readonly ListedTeaching[]
  /** A link to the matches of the same search outside the part: '12 more in All teaching'. */
  more: (count: number) => ReactNode
}

export function TeachingLibrary({
  library,
  filters,
  onFilters,
  onRetry,
  row,
  beside,
  below,
  tabs,
  part,
  status,
  news,
}: TeachingLibraryProps) {
  // If the library cannot be read, those that the server rendered stay, and are searched.
  const rows =
    library.status === 'ready' ? library.rows : (library.status === 'failed' && firstTeachings()) || none
  const whole = part?.whole ?? rows
  // Synchronous with typing: a search takes under a millisecond, and only the first page is rendered.
  const { matches, failed } = useTeachingSearch(rows, filters.q)
  const found = useMemo(() => filterTeachings(matches ?? none, filters), [matches, filters])
  const searching = filters.q.trim() !== '' || !isOpenFilter({ ...filters, year: null })
  const complete = library.status !== 'loading' && !(library.status === 'ready' && library.partial)
  const years = useMemo(() => (complete ? undefined : firstYears()) ?? yearsOf(whole), [complete, whole])
  const loading =
    library.status === 'loading' ||
    // The partial rows may contain none of the chosen year.
    (library.status === 'ready' &&
      failed === undefined &&
      (matches === undefined || (!complete && (searching || found.length === 0))))
  const isFailed = failed !== undefined || (library.status === 'failed' && searching)
  const onQuery = useCallback((q: string) => onFilters({ q }), [onFilters])
  const elsewhere = useElsewhere(part?.whole, filters, found.length)
  // Stays mounted from the first letter on: mounting it again at each search would delay the first key.
  const [hasSearched, setHasSearched] = useState(false)
  if (!hasSearched && filters.q.trim() !== '') setHasSearched(true)
  const hasNews = Boolean(news) && !part && !searching
  const { shown, loadMore } = usePaging(found, JSON.stringify(filters))
  return (
    <section aria-labelledby="library-title">
      <LibraryControls
        query={filters.q}
        onQuery={onQuery}
        years={years}
        rows={complete ? matches : undefined}
        whole={complete ? whole : undefined}
        found={loading ? undefined : found.length}
        filter={filters}
        onFilter={onFilters}
        status={status}
      >
        <h2 id="library-title" className="text-xl sm:text-2xl">
          {headingOf({ part, searching, isFailed, filters, found: loading ? undefined : found.length })}
        </h2>
        {tabs}
        {hasNews && news}
        {/* If there are new teachings, their link takes this line on a phone, so that no row moves. */}
        <p
          className={classNames(
            'text-small text-soft max-lg:order-last max-lg:w-full print:hidden',
            hasNews && 'max-sm:hidden',
          )}
        >
          Click on any teaching to play or download
        </p>
      </LibraryControls>
      <output className="sr-only">
        {searching && !loading && library.status === 'ready' && matches && `${found.length} found`}
      </output>
      {hasSearched && beside?.(filters.q)}
      <Card className="library-list mt-3 overflow-hidden max-sm:mx-[max(-.75rem,-4vw)]">
        {loading && <LibrarySkeleton />}
        {library.status === 'ready' && failed !== undefined && (
          <SearchFailed sentence={failed} onRetry={onRetry} />
        )}
        {!loading && found.length > 0 && (
          <>
            <Rows rows={shown} row={row} />
            {shown.length < found.length && <LoadMore onClick={loadMore} />}
          </>
        )}
        {library.status === 'failed' && <Failed {...library} onRetry={onRetry} />}
        {library.status === 'ready' &&
          !loading &&
          failed === undefined &&
          found.length === 0 &&
          (part && !searching ? part.whenEmpty : <Nothing searching={searching} />)}
      </Card>
      {hasSearched && below?.(filters)}
      {part && elsewhere > 0 && <p className="mt-4 text-center">{part.more(elsewhere)}</p>}
    </section>
  )
}

function headingOf({
  part,
  searching,
  isFailed,
  filters,
  found,
}: {
  part: LibraryPart | undefined
  searching: boolean
  /** Whether the search could not be made. */
  isFailed: boolean
  filters: LibraryFilters
  found: number | undefined
}): string {
  if (isFailed) return teachingTexts.searchFailed
  return part && !searching ? part.title : libraryTitle(filters, found)
}

/** The number of teachings that match the same search and filters outside the part. */
function useElsewhere(
  whole: readonly ListedTeaching[] | undefined,
  filters: LibraryFilters,
  shown: number,
): number {
  const { matches } = useTeachingSearch(whole ?? none, filters.q)
  const found = useMemo(() => filterTeachings(matches ?? none, filters).length, [matches, filters])
  return Math.max(0, found - shown)
}

/** Renders again only when the shown rows or the renderer change. */
const Rows = memo(function Rows({
  rows,
  row,
}: {
  rows: readonly ListedTeaching[]
  row: (teaching: ListedTeaching) => ReactNode
}) {
  const [places, touch] = useReducer(touched, untouched)
  const onTouch = ({ currentTarget, target }: SyntheticEvent<HTMLElement, Event>) => {
    const at = [...currentTarget.children].findIndex((element) => element.contains(target as Node))
    const uid = rows[at]?.uid
    if (uid !== undefined && !places.own.has(uid)) touch({ uid, at })
  }
  return (
    <ul onPointerOverCapture={onTouch} onFocusCapture={onTouch} onClickCapture={onTouch}>
      {rows.map((teaching, at) => (
        <Row key={rowKey(places, teaching.uid, at)} teaching={teaching} row={row} />
      ))}
    </ul>
  )
})

/** Does not render again while its teaching stays in the list. */
const Row = memo(function Row({
  teaching,
  row,
}: {
  teaching: ListedTeaching
  row: (teaching: ListedTeaching) => ReactNode
}) {
  return row(teaching)
})

interface FailedProps {
  sentence: string
  offline?: boolean
  onRetry: () => void
}

/** The reason why there are no rows; if the device is offline before its first sync, an explanation instead of an error. */
function Failed({ sentence, offline = false, onRetry }: FailedProps) {
  return (
    <EmptyState
      title={offline ? 'You are offline, and this device has no library yet' : sentence}
      picture={CloudOff}
    >
      {offline && (
        <p className="mb-4">
          Open this page once while you have signal. From then on the whole library works offline, and saved
          teachings play anywhere.
        </p>
      )}
      <Button kind="secondary" onClick={onRetry}>
        Try again
      </Button>
    </EmptyState>
  )
}

/** Neither this device nor the server could search; the list itself may be fine. */
function SearchFailed({ sentence, onRetry }: Pick<FailedProps, 'sentence' | 'onRetry'>) {
  return (
    <EmptyState title={sentence} picture={SearchX}>
      <Button kind="secondary" onClick={onRetry}>
        Try again
      </Button>
    </EmptyState>
  )
}

const none: readonly ListedTeaching[] = []

function LoadMore({ onClick }: { onClick: () => void }) {
  return (
    <div className="border-t border-line p-4 text-center print:hidden">
      <Button kind="quiet" onClick={onClick}>
        Load More Teaching
      </Button>
    </div>
  )
}

function Nothing({ searching }: { searching: boolean }) {
  const Icon = searching ? SearchX : BookOpen
  return (
    <EmptyState title={searching ? teachingTexts.noMatch : teachingTexts.none} picture={Icon}>
      {searching && 'Try fewer words, a speaker’s name, or a passage such as Romans 8.'}
    </EmptyState>
  )
}
