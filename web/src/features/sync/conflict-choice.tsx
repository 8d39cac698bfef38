import { counted } from '@fellowship/schema/counted'
import { formatDate } from '@fellowship/schema/dates'
import { seriesFields, seriesTextOf } from '@fellowship/schema/series/series-words'
import { withSpaces } from '@fellowship/schema/teachings/shown-title'
import { teachingWords, wordNames, textOf } from '@fellowship/schema/teachings/teaching-words'
import { useId, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { isSame, useTeachingTitles, type Decided, type OutboxEntry } from './outbox.device.ts'

interface ConflictChoiceProps {
  /** An entry in conflict, with the server's row. */
  entry: OutboxEntry
  pending: boolean
  onDecided: (text: Decided) => void
  onDiscard: () => void
}

type Side = 'mine' | 'theirs'
type Word = Decided[string]

/** Mine or theirs, field by field; no side is preselected. */
export function ConflictChoice({ entry, pending, onDecided, onDiscard }: ConflictChoiceProps) {
  const { theirs, fields } = standing(entry)
  const mine: Decided = { ...theirs, ...entry.patch }
  const titles = useTeachingTitles([mine['teachings'], theirs['teachings']].flatMap((uids) => uids ?? []))
  const differing = fields.filter(({ name }) => !isSame(mine[name], theirs[name]))
  const [chosen, setChosen] = useState<Record<string, Side>>({})
  const complete = differing.every(({ name }) => chosen[name] !== undefined)
  const decide = () => {
    const decided: Record<string, Word> = { ...theirs }
    for (const { name } of differing) if (chosen[name] === 'mine') decided[name] = mine[name]
    onDecided(decided)
  }
  return (
    <div className="mt-4 flex flex-col gap-4">
      {differing.map(({ name, label }) => (
        <Choice
          key={name}
          label={label}
          sides={{ mine: shown(name, mine[name], titles), theirs: shown(name, theirs[name], titles) }}
          chosen={chosen[name]}
          onChoose={(side) => setChosen((before) => ({ ...before, [name]: side }))}
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

/** The server's row, and the fields that a form shows for it. */
function standing(entry: OutboxEntry): { theirs: Decided; fields: { name: string; label: string }[] } {
  if (entry.kind === 'series') {
    const fields = seriesFields.map((name) => ({ name, label: seriesLabels[name] }))
    return { theirs: entry.current ? seriesTextOf(entry.current) : {}, fields }
  }
  const fields = wordNames.map((name) => ({ name, label: teachingWords[name].label }))
  return { theirs: entry.current ? textOf(entry.current) : {}, fields }
}

const seriesLabels = { title: 'Title', description: 'Description', teachings: 'Teachings in order' } as const

function shown(field: string, word: Word, titles: ReadonlyMap<string, string>): string {
  if (word === undefined || word.length === 0) return '(empty)'
  if (typeof word !== 'string') {
    const named = word.map((uid) => titles.get(uid) ?? 'a deleted teaching')
    return `${counted(word.length, 'teaching')}: ${named.join(', ')}`
  }
  return field === 'date' ? formatDate(word) : withSpaces(word)
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
