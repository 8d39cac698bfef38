import { counted } from '@fellowship/schema/counted'
import { outboxTexts } from '@fellowship/schema/sync/outbox.texts'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import type { SearchSuggestion } from '@fellowship/schema/teachings/search-suggestions'
import { isOpenFilter, type TeachingFilter } from '@fellowship/schema/teachings/teaching-facets'
import { teachingTexts } from '@fellowship/schema/teachings/teachings.texts'
import { sentenceOfError } from '@fellowship/sync/call/call-error'
import { RefreshCw, Search, SlidersHorizontal, X } from 'lucide-react'
import { memo, type ReactNode, useCallback, useId, useState } from 'react'
import { classNames } from '../../lib/class-names.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.view.tsx'
import { controlClass, Select } from '../../ui/field.tsx'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { showToast } from '../../ui/toast.ts'
import { optionId, Suggestions, useSuggestions } from './suggestions.tsx'

interface LibraryControlsProps {
  query: string
  onQuery: (query: string) => void
  years: readonly number[]
  /** The rows that match the search; undefined until the whole library has been read. */
  rows: readonly ListedTeaching[] | undefined
  /** All rows, whose speakers and books are suggested; undefined until they have been read. */
  whole: readonly ListedTeaching[] | undefined
  filter: TeachingFilter
  onFilter: (change: Partial<TeachingFilter>) => void
  /** The freshness of the library, in one line. */
  status: ReactNode
}

/** Search, filter, year and Sync: on a phone one line, with the year behind the filter and Sync beside the status. */
export function LibraryControls(props: LibraryControlsProps) {
  const { query, onQuery, years, rows, whole, filter, onFilter, status } = props
  const id = useId()
  const [open, setOpen] = useState(false)
  const toggle = useCallback(() => setOpen((before) => !before), [])
  const onYear = useCallback((year: number | null) => onFilter({ year }), [onFilter])
  const choose = ({ part, value }: SearchSuggestion) => {
    onQuery('')
    onFilter(part === 'speaker' ? { speaker: value } : { book: value })
  }
  const { suggestions, active, onKeyDown } = useSuggestions(whole, query, choose)
  const listId = `${id}-suggestions`
  return (
    <>
      {/* Enter only closes a phone's keyboard, because the list is filtered at every keystroke. */}
      <form
        aria-label="Search teaching"
        onSubmit={(event) => event.preventDefault()}
        className="flex flex-wrap gap-3"
      >
        {/* With large text the field takes the whole width of a phone. */}
        <div className="relative min-w-0 grow basis-40">
          <label htmlFor={`${id}-search`} className="sr-only">
            Search teaching
          </label>
          <input
            id={`${id}-search`}
            type="search"
            value={query}
            onChange={(event) => onQuery(event.target.value)}
            onKeyDown={onKeyDown}
            aria-autocomplete="list"
            aria-controls={suggestions.length > 0 ? listId : undefined}
            aria-activedescendant={active >= 0 ? optionId(listId, active) : undefined}
            placeholder="Search teaching by title, speaker, or topic..."
            autoComplete="off"
            spellCheck={false}
            enterKeyHint="search"
            // A fixed size with strict containment: typing lays out the field alone, not the page.
            className={classNames(controlClass, 'block h-11 pl-12 text-ellipsis contain-strict')}
          />
          {searchIcon}
        </div>
        <FilterButton open={open} onToggle={toggle} />
        <Year years={years} year={filter.year} onYear={onYear} hidden={!open} />
      </form>
      <Chosen filter={filter} onFilter={onFilter} />
      {open && <Browse rows={rows} filter={filter} onFilter={onFilter} onClose={toggle} />}
      {/* In the slot of the status, so that they neither cover the first teaching nor move it. */}
      {suggestions.length > 0 ? (
        <div className={classNames(statusLineClass, 'grid grid-cols-[minmax(0,1fr)]')}>
          <Suggestions id={listId} suggestions={suggestions} active={active} onChoose={choose} />
        </div>
      ) : (
        <StatusLine status={status} />
      )}
      <output className="sr-only">
        {suggestions.length > 0 && `${counted(suggestions.length, 'suggestion')}: press the down arrow.`}
      </output>
    </>
  )
}

const searchIcon = <Search className="pointer-events-none absolute top-3 left-4 size-5 text-soft" />

/** Memoised, like the components below: typing does not render it again. */
const FilterButton = memo(function FilterButton({ open, onToggle }: { open: boolean; onToggle: () => void }) {
  return (
    <Button kind="secondary" aria-expanded={open} className="px-4!" onClick={onToggle}>
      <SlidersHorizontal className="size-5 text-soft" />
      <span>
        Filter<span className="sr-only"> by book, speaker or year</span>
      </span>
    </Button>
  )
})

interface YearProps {
  years: readonly number[]
  year: number | null
  onYear: (year: number | null) => void
  /** On a phone it is shown only together with the filter. */
  hidden: boolean
}

const Year = memo(function Year({ years, year, onYear, hidden }: YearProps) {
  const id = useId()
  // A chosen year without teachings is listed too; without it the select would show 'All Years'.
  const choices = year === null || years.includes(year) ? years : [...years, year].sort((a, b) => b - a)
  return (
    <div className={classNames('max-sm:w-full sm:w-40', hidden && 'max-sm:hidden')}>
      <label htmlFor={id} className="sr-only">
        Year
      </label>
      <Select
        id={id}
        value={year ?? ''}
        onChange={(event) => onYear(event.target.value === '' ? null : Number(event.target.value))}
      >
        <option value="">All Years</option>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </Select>
    </div>
  )
})

const statusLineClass = '-mb-1 min-h-11 text-small text-soft sm:mt-2 sm:mb-0 print:hidden'

const StatusLine = memo(function StatusLine({ status }: { status: ReactNode }) {
  return (
    <div className={classNames(statusLineClass, 'flex flex-wrap items-center justify-between gap-x-3')}>
      {/* If the status is long, it takes a second line beside Sync, which does not move. */}
      <div className="min-w-0 grow basis-40 leading-snug">{status}</div>
      <SyncButton />
    </div>
  )
})

const BrowsePanel = lazyPart(() => import('./browse-panel.tsx'), 'BrowsePanel')

interface BrowseProps {
  /** The rows that match the search; undefined until the whole library has been read. */
  rows: readonly ListedTeaching[] | undefined
  filter: TeachingFilter
  onFilter: (change: Partial<TeachingFilter>) => void
  onClose: () => void
}

function Browse({ rows, filter, onFilter, onClose }: BrowseProps) {
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

function Chosen({ filter, onFilter }: Pick<BrowseProps, 'filter' | 'onFilter'>) {
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
        <X className="-mr-1 size-4 shrink-0" />
      </button>
    </li>
  )
}

function SyncButton() {
  const [pending, setPending] = useState(false)
  const sync = async () => {
    setPending(true)
    try {
      const { synchronize } = await import('./teachings.device.ts')
      const waiting = await synchronize()
      showToast({ title: waiting === 0 ? teachingTexts.synchronized : outboxTexts.stillWaiting(waiting) })
    } catch (error) {
      showToast({ title: teachingTexts.syncFailed, description: sentenceOfError(error), kind: 'destructive' })
    } finally {
      setPending(false)
    }
  }
  return (
    <Button
      kind="quiet"
      className="-mr-[min(0.75rem,3vw)] px-[min(0.75rem,3vw)]! text-small!"
      pending={pending}
      onClick={() => void sync()}
    >
      {!pending && <RefreshCw className="size-4" />}
      Sync
    </Button>
  )
}
