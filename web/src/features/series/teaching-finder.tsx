import { formatDate } from '@fellowship/schema/dates'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import { buildTeachingIndex } from '@fellowship/schema/teachings/teaching-search'
import { teachingLimits } from '@fellowship/schema/teachings/teachings.limits'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { Plus } from 'lucide-react'
import { useDeferredValue, useMemo, useState } from 'react'
import { Field, Input } from '../../ui/field.tsx'

interface TeachingFinderProps {
  rows: readonly Teaching[]
  /** Those that are in the series already. */
  taken: ReadonlySet<string>
  onAdd: (teaching: Teaching) => void
}

/** Finds teachings of the library by words, and adds them. */
export function TeachingFinder({ rows, taken, onAdd }: TeachingFinderProps) {
  const [query, setQuery] = useState('')
  const wanted = useDeferredValue(query.trim())
  const isSearching = wanted !== ''
  // Made when something is searched for: ten thousand rows take a moment.
  const index = useMemo(() => (isSearching ? buildTeachingIndex(rows) : undefined), [rows, isSearching])
  const found = useMemo(
    () =>
      (index?.search(wanted, { limit: mostFound + taken.size }) ?? []).filter(({ uid }) => !taken.has(uid)),
    [index, wanted, taken],
  )
  return (
    <div>
      <Field label="Add teachings">
        {(control) => (
          <Input
            {...control}
            type="search"
            maxLength={teachingLimits.searchText}
            placeholder="Title, speaker, book or date"
            value={query}
            onChange={(event) => setQuery(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') event.preventDefault()
            }}
          />
        )}
      </Field>
      {isSearching && (
        <ul aria-label="Found" className="mt-2 flex flex-col">
          {found.slice(0, mostFound).map((teaching) => (
            <li key={teaching.uid}>
              <button
                type="button"
                aria-label={`Add ${shownTitle(teaching)}, ${teaching.speaker}, ${formatDate(teaching.date)}`}
                onClick={() => onAdd(teaching)}
                className="flex min-h-11 w-full items-center gap-3 rounded-card px-2 py-2 text-left hover:bg-pine-tint"
              >
                <Plus aria-hidden="true" className="size-5 shrink-0 text-pine" />
                <span className="min-w-0 wrap-anywhere">
                  <span className="block">{shownTitle(teaching)}</span>
                  <span className="block text-small text-soft">
                    {formatDate(teaching.date)}, {teaching.speaker}
                  </span>
                </span>
              </button>
            </li>
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
