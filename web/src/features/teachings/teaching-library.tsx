import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { teachingTexts } from '@fellowship/schema/teachings/teachings.texts'
import { BookOpen, CloudOff, SearchX } from 'lucide-react'
import { useDeferredValue, useState, type ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { libraryTitle, yearsOf, type Library } from './library.ts'
import { LibraryControls } from './library-controls.tsx'
import { LibrarySkeleton } from './library-skeleton.tsx'
import { usePaging } from './use-paging.ts'
import { useTeachingSearch } from './use-teaching-search.ts'

interface TeachingLibraryProps {
  library: Library
  onRetry: () => void
  /** Draws one row. */
  row: (teaching: Teaching) => ReactNode
  /** The teaching in the player: it stays in sight when the search leaves its row out. */
  playing: Teaching | null
}

/** SPEC §2, the teaching library: search, year, and the rows five at a time. */
export function TeachingLibrary({ library, onRetry, row, playing }: TeachingLibraryProps) {
  const [query, setQuery] = useState('')
  const [year, setYear] = useState<number | null>(null)
  const rows = library.status === 'ready' ? library.rows : none
  // Typing stays ahead of a long list.
  const searched = useDeferredValue(query)
  const answers = useTeachingSearch(rows, searched)
  const found = year === null ? answers : answers.filter((teaching) => teaching.year === year)
  const searching = searched.trim() !== ''
  const { shown, loadMore } = usePaging(found, `${searched}|${year}`)
  return (
    <section aria-labelledby="library-title">
      <LibraryControls query={query} onQuery={setQuery} years={yearsOf(rows)} year={year} onYear={setYear} />
      <div className="mt-8 flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
        <h2 id="library-title" className="text-section">
          {libraryTitle({ query: searched, year, found: found.length })}
        </h2>
        <p className="text-small text-soft">Click on any teaching to play or download</p>
      </div>
      <output className="sr-only">
        {searching && library.status === 'ready' && `${found.length} found`}
      </output>
      {playing && !shown.includes(playing) && (
        <Card className="mt-4 overflow-hidden">
          <ul aria-label="In the player">{row(playing)}</ul>
        </Card>
      )}
      <Card className="mt-4 overflow-hidden">
        {library.status === 'loading' && <LibrarySkeleton />}
        {library.status === 'failed' && (
          <EmptyState
            title={library.sentence}
            picture={<CloudOff aria-hidden="true" strokeWidth={1.25} className="size-12" />}
          >
            <Button kind="secondary" onClick={onRetry}>
              Try again
            </Button>
          </EmptyState>
        )}
        {library.status === 'ready' && found.length > 0 && (
          <>
            <ul>{shown.map(row)}</ul>
            {shown.length < found.length && <LoadMore onClick={loadMore} />}
          </>
        )}
        {library.status === 'ready' && found.length === 0 && <Nothing searching={searching} />}
      </Card>
    </section>
  )
}

const none: readonly Teaching[] = []

function LoadMore({ onClick }: { onClick: () => void }) {
  return (
    <div className="border-t border-line p-4 text-center">
      <Button kind="quiet" onClick={onClick}>
        Load More Teaching
      </Button>
    </div>
  )
}

function Nothing({ searching }: { searching: boolean }) {
  const Icon = searching ? SearchX : BookOpen
  return (
    <EmptyState
      title={searching ? teachingTexts.noMatch : teachingTexts.none}
      picture={<Icon aria-hidden="true" strokeWidth={1.25} className="size-12" />}
    >
      {searching && 'Try fewer words, a speaker’s name, or a passage such as Romans 8.'}
    </EmptyState>
  )
}
