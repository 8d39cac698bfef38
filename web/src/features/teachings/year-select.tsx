import { memo, useId } from 'react'
import { Select } from '../../ui/field.tsx'

interface YearProps {
  years: readonly number[]
  year: number | null
  onYear: (year: number | null) => void
}

/** The year dropdown. Memoised: typing into the search does not render it again. */
export const Year = memo(function Year({ years, year, onYear }: YearProps) {
  const id = useId()
  // A chosen year without teachings is listed too; without it the select would show 'All Years'.
  const choices = year === null || years.includes(year) ? years : [...years, year].sort((a, b) => b - a)
  return (
    <>
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
    </>
  )
})
