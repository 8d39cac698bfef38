import { formatDate } from '@fellowship/schema/dates'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import { buildTeachingIndex } from '@fellowship/schema/teachings/teaching-search'
import { teachingLimits } from '@fellowship/schema/teachings/teachings.limits'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { Plus } from 'lucide-react'
import { useDeferredValue, useMemo, useState } from 'react'
import { FinderChoice, FinderInput } from './finder-parts.tsx'

interface TeachingFinderProps {
  rows: readonly Teaching[]
  /** The uids of teachings that are in the series already. */
  taken: ReadonlySet<string>
  onAdd: (teaching: Teaching) => void
}

/** Finds teachings of the library by words, and adds them. */
export function TeachingFinder({ rows, taken, onAdd }: TeachingFinderProps) {
  const [query, setQuery] = useState('')
  const wanted = useDeferredValue(query.trim())
  const isSearching = wanted !== ''
  // Built when the search starts: indexing ten thousand rows takes a moment.
  const index = useMemo(() => (isSearching ? buildTeachingIndex(rows) : undefined), [rows, isSearching])
  const found = useMemo(
    () =>
      (index?.search(wanted, { limit: mostFound + taken.size }) ?? []).filter(({ uid }) => !taken.has(uid)),
    [index, wanted, taken],
  )
  return (
    <div>
      <FinderInput
        label="Add teachings"
        maxLength={teachingLimits.searchText}
        placeholder="Title, speaker, book or date"
        query={query}
        onQuery={setQuery}
      />
      {isSearching && (
        <ul aria-label="Found" className="mt-2 flex flex-col">
          {found.slice(0, mostFound).map((teaching) => (
            <FinderChoice
              key={teaching.uid}
              icon={Plus}
              title={shownTitle(teaching)}
              note={`${formatDate(teaching.date)}, ${teaching.speaker}`}
              aria-label={`Add ${shownTitle(teaching)}, ${teaching.speaker}, ${formatDate(teaching.date)}`}
              onClick={() => onAdd(teaching)}
            />
          ))}
        </ul>
      )}
      <output className="text-small text-soft">
        {isSearching && found.length === 0 && 'Nothing else matches.'}
      </output>
    </div>
  )
}

const mostFound = 6
