import type { OfferedDate } from '@fellowship/schema/uploads/offered-date'
import { shortDate } from './short-date.ts'

/** A value for an empty field, and how it is offered. */
export interface Offer {
  readonly value: string
  readonly words: string
}

const mostOffered = 3
const dateWords: Record<OfferedDate['from'], string> = {
  name: 'In the name',
  file: 'Day of the file',
  sunday: 'Last Sunday',
}

/** Suggestions for the fields: the most frequent speakers, and each date with its source. */
export const offersOf = (speakers: readonly string[], dates: readonly OfferedDate[]) => ({
  speaker: speakers.slice(0, mostOffered).map((speaker) => ({ value: speaker, words: speaker })),
  date: dates.map(({ date, from }) => ({ value: date, words: `${dateWords[from]}, ${shortDate(date)}` })),
})

export interface OffersProps {
  label: string
  choices: readonly Offer[]
  onChoose: (value: string) => void
}

/** Values that fill an empty field when pressed. */
export function Offers({ label, choices, onChoose }: OffersProps) {
  if (choices.length === 0) return null
  return (
    <ul aria-label={label} className="flex flex-wrap gap-2">
      {choices.map(({ value, words }) => (
        <li key={value} className="max-w-full">
          <button
            type="button"
            onClick={() => onChoose(value)}
            className="min-h-11 max-w-full truncate rounded-full border border-line-strong bg-raised px-3 text-small text-pine hover:border-pine hover:bg-pine-tint"
          >
            {words}
          </button>
        </li>
      ))}
    </ul>
  )
}
