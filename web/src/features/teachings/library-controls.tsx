import { Search } from 'lucide-react'
import { memo, useId } from 'react'
import { classNames } from '../../lib/class-names.ts'
import { controlClass, Select } from '../../ui/field.tsx'
import { SyncButton } from './sync-button.tsx'

interface LibraryControlsProps {
  query: string
  onQuery: (query: string) => void
  years: readonly number[]
  year: number | null
  onYear: (year: number | null) => void
}

/** Search, year and Sync. */
export function LibraryControls({ query, onQuery, years, year, onYear }: LibraryControlsProps) {
  const id = useId()
  return (
    // Enter only closes a phone's keyboard, as the list is filtered at every keystroke.
    <form
      aria-label="Search teaching"
      onSubmit={(event) => event.preventDefault()}
      className="grid gap-3 sm:grid-cols-[minmax(0,1fr)_auto_auto]"
    >
      <div className="relative">
        <label htmlFor={`${id}-search`} className="sr-only">
          Search teaching
        </label>
        <input
          id={`${id}-search`}
          type="search"
          value={query}
          onChange={(event) => onQuery(event.target.value)}
          placeholder="Search teaching by title, speaker, or topic..."
          autoComplete="off"
          spellCheck={false}
          enterKeyHint="search"
          // A fixed size with strict containment: typing lays out the field alone, not the page.
          className={classNames(controlClass, 'block h-11 pl-12 text-ellipsis contain-strict')}
        />
        {searchIcon}
      </div>
      <YearAndSync years={years} year={year} onYear={onYear} />
    </form>
  )
}

const searchIcon = (
  <Search aria-hidden="true" className="pointer-events-none absolute top-3 left-4 size-5 text-soft" />
)

/** Memoised: not rendered at every keystroke. */
const YearAndSync = memo(function YearAndSync({
  years,
  year,
  onYear,
}: Pick<LibraryControlsProps, 'years' | 'year' | 'onYear'>) {
  const id = useId()
  // A chosen year without teachings is listed too, or the select would show 'All Years'.
  const choices = year === null || years.includes(year) ? years : [...years, year].sort((a, b) => b - a)
  return (
    <div className="flex flex-wrap gap-3 sm:contents">
      <div className="grow basis-40">
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
      <SyncButton />
    </div>
  )
})
