import { useId } from 'react'

export type Side = 'mine' | 'theirs'

interface SideChoiceProps {
  label: string
  sides: Record<Side, string>
  chosen: Side | undefined
  onChoose: (side: Side) => void
}

/** One field of a row that two people have changed: mine or theirs; none is preselected. */
export function SideChoice({ label, sides, chosen, onChoose }: SideChoiceProps) {
  const name = useId()
  return (
    <fieldset>
      <legend className="text-small font-medium">{label}</legend>
      <div className="mt-1.5 grid gap-2 sm:grid-cols-2">
        {(['mine', 'theirs'] as const).map((side) => (
          // oxlint-disable-next-line jsx-a11y/label-has-associated-control -- the input within names itself
          <label
            key={side}
            className="flex min-h-11 cursor-pointer items-start gap-3 rounded-card border border-line-strong px-4 py-2.5 has-checked:border-pine has-checked:bg-pine-tint"
          >
            <input
              type="radio"
              name={name}
              checked={chosen === side}
              onChange={() => onChoose(side)}
              aria-label={`${sideLabels[side]}: ${sides[side]}`}
              className="mt-1 size-4 shrink-0 accent-pine"
            />
            <span className="min-w-0">
              <span className="block text-small text-soft">{sideLabels[side]}</span>
              <span className="whitespace-pre-line wrap-anywhere">{sides[side]}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

const sideLabels: Record<Side, string> = { mine: 'Mine', theirs: 'Theirs' }
