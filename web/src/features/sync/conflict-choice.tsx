import { formatDate } from '@fellowship/schema/dates'
import { withSpaces } from '@fellowship/schema/teachings/shown-title'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import {
  teachingWords,
  wordNames,
  textOf,
  type TeachingText,
} from '@fellowship/schema/teachings/teaching-words'
import { useId, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import type { OutboxEntry } from './outbox-device.ts'

interface ConflictChoiceProps {
  entry: OutboxEntry
  /** What stands on the server. */
  current: Teaching
  pending: boolean
  onDecided: (text: TeachingText) => void
  onDiscard: () => void
}

type Side = 'mine' | 'theirs'
type Field = keyof TeachingText

/** Mine or theirs, field by field; nothing is chosen beforehand. */
export function ConflictChoice({ entry, current, pending, onDecided, onDiscard }: ConflictChoiceProps) {
  const theirs = textOf(current)
  const mine = { ...theirs, ...entry.patch }
  const differing = wordNames.filter((field) => mine[field] !== theirs[field])
  const [chosen, setChosen] = useState<Partial<Record<Field, Side>>>({})
  const complete = differing.every((field) => chosen[field] !== undefined)
  const decide = () => {
    const decided = { ...theirs }
    for (const field of differing) if (chosen[field] === 'mine') decided[field] = mine[field]
    onDecided(decided)
  }
  return (
    <div className="mt-4 flex flex-col gap-4">
      {differing.map((field) => (
        <Choice
          key={field}
          label={teachingWords[field].label}
          sides={{ mine: shown(field, mine[field]), theirs: shown(field, theirs[field]) }}
          chosen={chosen[field]}
          onChoose={(side) => setChosen((before) => ({ ...before, [field]: side }))}
        />
      ))}
      <div className="flex flex-wrap gap-3">
        <Button disabled={!complete} pending={pending} onClick={decide}>
          Save
        </Button>
        <Button kind="secondary" disabled={pending} onClick={onDiscard}>
          Discard my change
        </Button>
      </div>
    </div>
  )
}

const shown = (field: Field, text: string): string => {
  if (text === '') return '(empty)'
  return field === 'date' ? formatDate(text) : withSpaces(text)
}

const sideLabels: Record<Side, string> = { mine: 'Mine', theirs: 'Theirs' }

interface ChoiceProps {
  label: string
  sides: Record<Side, string>
  chosen: Side | undefined
  onChoose: (side: Side) => void
}

function Choice({ label, sides, chosen, onChoose }: ChoiceProps) {
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
              <span className="wrap-anywhere">{sides[side]}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
