import { isOpenFilter, type TeachingFilter } from '@fellowship/schema/teachings/teaching-facets'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { X } from 'lucide-react'
import { Card } from '../../ui/card.view.tsx'
import { lazyPart } from '../../ui/lazy-part.tsx'

const BrowsePanel = lazyPart(async () => (await import('./browse-panel.tsx')).BrowsePanel)

interface BrowseProps {
  /** The rows that match the search; undefined until the whole library has been read. */
  rows: readonly Teaching[] | undefined
  filter: TeachingFilter
  onFilter: (change: Partial<TeachingFilter>) => void
  onClose: () => void
}

/** The books, speakers and years to choose from, below the controls. */
export function Browse({ rows, filter, onFilter, onClose }: BrowseProps) {
  if (!rows) return <Counting />
  return <BrowsePanel rows={rows} filter={filter} onFilter={onFilter} onFailed={onClose} />
}

/** Counts of a part of the library would be wrong. */
function Counting() {
  return (
    <Card className="mt-3 p-5 sm:p-6">
      <output className="text-soft">Reading the whole library…</output>
    </Card>
  )
}

/** The chosen filters, as chips that can be removed. */
export function Chosen({ filter, onFilter }: Pick<BrowseProps, 'filter' | 'onFilter'>) {
  if (isOpenFilter(filter)) return null
  const { book, speaker, year } = filter
  return (
    <ul aria-label="Chosen" className="mt-3 flex flex-wrap gap-2 print:hidden">
      {book !== null && <Choice name={book} onRemove={() => onFilter({ book: null })} />}
      {speaker !== null && <Choice name={speaker} onRemove={() => onFilter({ speaker: null })} />}
      {year !== null && <Choice name={String(year)} onRemove={() => onFilter({ year: null })} />}
    </ul>
  )
}

function Choice({ name, onRemove }: { name: string; onRemove: () => void }) {
  return (
    <li className="max-w-full">
      <button
        type="button"
        onClick={onRemove}
        className="inline-flex min-h-11 max-w-full items-center gap-2 rounded-full bg-pine px-4 text-small font-medium text-on-pine forced-colors:border transition-colors hover:bg-pine-strong"
      >
        <span className="sr-only">No longer only </span>
        <span className="truncate">{name}</span>
        <X aria-hidden="true" className="-mr-1 size-4 shrink-0" />
      </button>
    </li>
  )
}
