import { useState } from 'react'
import { Button } from './button.tsx'
import { type Side, SideChoice } from './side-choice.tsx'

/** A field that two people have changed, as each of them left it. */
interface ConflictField {
  name: string
  label: string
  mine: string
  theirs: string
}

interface ConflictChoiceProps {
  /** Says that the row was changed by someone else. */
  sentence: string
  fields: readonly ConflictField[]
  pending: boolean
  /** Called with the names of the fields that stay as the other person left them. */
  onDecided: (theirs: readonly string[]) => void
}

/** Asks of each field that two people have changed whose words to keep, then saves. */
export function ConflictChoice({ sentence, fields, pending, onDecided }: ConflictChoiceProps) {
  const [chosen, setChosen] = useState<Readonly<Record<string, Side>>>({})
  const names = fields.map(({ name }) => name)
  return (
    <section aria-label={sentence} className="mt-5 flex flex-col gap-4">
      <p role="alert" className="text-small font-medium text-brick">
        {sentence}
      </p>
      {fields.map(({ name, label, mine, theirs }) => (
        <SideChoice
          key={name}
          label={label}
          sides={{ mine, theirs }}
          chosen={chosen[name]}
          onChoose={(side) => setChosen((before) => ({ ...before, [name]: side }))}
        />
      ))}
      <div>
        <Button
          disabled={names.some((name) => !chosen[name])}
          pending={pending}
          pendingLabel="Saving..."
          onClick={() => onDecided(names.filter((name) => chosen[name] === 'theirs'))}
        >
          Save
        </Button>
      </div>
    </section>
  )
}

/** The changes without those of the given fields. */
export const withoutFields = <Changes extends object>(
  changes: Changes,
  names: readonly string[],
): Partial<Changes> =>
  Object.fromEntries(Object.entries(changes).filter(([name]) => !names.includes(name))) as Partial<Changes>
