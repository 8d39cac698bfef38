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
    // The enter key of a phone only puts its keyboard away: the list has followed every letter.
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
          // Of a size that no letter changes: the browser lays out the box alone for it, and not the page around it.
          className={classNames(controlClass, 'block h-11 pl-12 text-ellipsis contain-strict')}
        />
        {glass}
      </div>
      <YearAndSync years={years} year={year} onYear={onYear} />
    </form>
  )
}

const glass = (
  <Search aria-hidden="true" className="pointer-events-none absolute top-3 left-4 size-5 text-soft" />
)

/** What no letter changes is not drawn again with it. */
const YearAndSync = memo(function YearAndSync({
  years,
  year,
  onYear,
}: Pick<LibraryControlsProps, 'years' | 'year' | 'onYear'>) {
  const id = useId()
  // Also one without a teaching is chosen, and can be let go: a box without it would show 'All Years'.
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
