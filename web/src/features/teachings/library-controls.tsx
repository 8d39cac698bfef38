import { counted } from '@fellowship/schema/counted'
import { outboxTexts } from '@fellowship/schema/sync/outbox.texts'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import type { SearchSuggestion } from '@fellowship/schema/teachings/search-suggestions'
import { isOpenFilter, type TeachingFilter } from '@fellowship/schema/teachings/teaching-facets'
import { teachingTexts } from '@fellowship/schema/teachings/teachings.texts'
import { sentenceOfError, TooManyRequests } from '@fellowship/sync/call/call-error'
import { RefreshCw, Search, SlidersHorizontal, X } from 'lucide-react'
import { memo, type ReactNode, useCallback, useId, useState } from 'react'
import { classNames } from '../../lib/class-names.ts'
import { Button } from '../../ui/button.tsx'
import { controlClass } from '../../ui/field.tsx'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { showToast } from '../../ui/toast.ts'
import { Year } from './year-select.tsx'
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
  /** The number of teachings that the list shows; undefined until it is known. */
  found: number | undefined
  /** The freshness of the library, in one line. */
  status: ReactNode
  /** The heading of the list, with its tabs. */
  children: ReactNode
}

/** Search, filter and year, and below them the heading of the list beside its state and Sync. */
export function LibraryControls(props: LibraryControlsProps) {
  const { query, onQuery, years, rows, whole, found, filter, onFilter, status, children } = props
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
        className="relative flex flex-wrap gap-3"
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
        {/* On a phone the sheet of the filter has it. */}
        <div className="w-40 max-sm:hidden">
          <Year years={years} year={filter.year} onYear={onYear} />
        </div>
        {open && (
          <FilterPanel
            rows={rows}
            found={found}
            years={years}
            filter={filter}
            onFilter={onFilter}
            onClose={toggle}
          />
        )}
      </form>
      <Chosen filter={filter} onFilter={onFilter} />
      <div className="mt-4 flex flex-wrap items-center gap-x-4 sm:mt-6">
        {children}
        {/* In the slot of the status, so that they neither cover the first teaching nor move it. */}
        {suggestions.length > 0 ? (
          <div className={classNames(stateClass, 'grid grow grid-cols-[minmax(0,1fr)]')}>
            <Suggestions id={listId} suggestions={suggestions} active={active} onChoose={choose} />
          </div>
        ) : (
          <StatusLine status={status} />
        )}
      </div>
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
    <Button kind="secondary" aria-haspopup="dialog" aria-expanded={open} className="px-4!" onClick={onToggle}>
      <SlidersHorizontal className="size-5 text-soft" />
      <span>
        Filter<span className="sr-only"> by book, speaker or year</span>
      </span>
    </Button>
  )
})

/** On a phone they have a line of their own, lower than the room of a finger, which goes on over its neighbours. */
const stateClass = '-my-2 min-h-11 min-w-0 text-small text-soft max-sm:w-full print:hidden'

const StatusLine = memo(function StatusLine({ status }: { status: ReactNode }) {
  return (
    <div className={classNames(stateClass, 'flex items-center justify-between gap-x-3 sm:ml-auto')}>
      <div className="min-w-0 py-2 leading-snug">{status}</div>
      <SyncButton />
    </div>
  )
})

const FilterPanel = lazyPart(() => import('./filter-panel.tsx'), 'FilterPanel')

function Chosen({ filter, onFilter }: Pick<LibraryControlsProps, 'filter' | 'onFilter'>) {
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
      const sentence = sentenceOfError(error)
      if (error instanceof TooManyRequests && error.own !== 'unanswered') showToast({ title: sentence })
      else showToast({ title: teachingTexts.syncFailed, description: sentence, kind: 'destructive' })
    } finally {
      setPending(false)
    }
  }
  return (
    <Button
      kind="quiet"
      className="-mr-[min(0.75rem,3vw)] px-3! text-small!"
      pending={pending}
      onClick={() => void sync()}
    >
      {!pending && <RefreshCw className="size-4" />}
      Sync
    </Button>
  )
}
