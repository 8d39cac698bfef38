interface OffersProps {
  label: string
  choices: readonly { value: string; words: string }[]
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
