import {
  addedWords,
  firstWords,
  teachingWords,
  type WordName,
} from '@fellowship/schema/teachings/teaching-words'
import type { OfferedDate } from '@fellowship/schema/uploads/offered-date'
import { scriptureHint } from '@fellowship/schema/uploads/submit-checks'
import type { EnteredFields } from '@fellowship/schema/uploads/uploads.schema'
import { useId, useState } from 'react'
import { Field, Input, Textarea } from '../../ui/field.tsx'
import type { Draft } from './draft.ts'
import { MoreFields } from './more-fields.list.tsx'
import { shortDate } from './short-date.ts'

interface UploadFieldsProps {
  fields: EnteredFields
  disabled: boolean
  /** The missing field, marked with its message. */
  problem?: Draft['problem']
  /** The speakers of the library, the most frequent first. */
  speakers?: readonly string[]
  /** Offered dates if the file name contains none. */
  dates?: readonly OfferedDate[]
  onEdit: (field: keyof EnteredFields, value: string) => void
}

export function UploadFields({
  fields,
  disabled,
  problem,
  speakers = [],
  dates = [],
  onEdit,
}: UploadFieldsProps) {
  const listId = useId()
  // Computed once: if the last field is cleared, the section must not collapse during typing.
  const [hasMore] = useState(() => addedWords.some((name) => fields[name]))
  const offers: Partial<Record<WordName, { value: string; words: string }[]>> = {
    speaker: speakers.slice(0, mostOffered).map((speaker) => ({ value: speaker, words: speaker })),
    date: dates.map(({ date, from }) => ({ value: date, words: `${dateWords[from]}, ${shortDate(date)}` })),
  }
  return (
    <>
      {firstWords.map((name) => (
        <Field
          key={name}
          label={teachingWords[name].label}
          error={problem?.field === name ? problem.message : undefined}
          hint={name === 'scriptureReference' ? scriptureHint(fields[name]) : undefined}
        >
          {(control) => (
            <>
              <Input
                {...control}
                type={teachingWords[name].input === 'date' ? 'date' : 'text'}
                list={name === 'speaker' ? listId : undefined}
                value={fields[name]}
                disabled={disabled}
                onChange={(event) => onEdit(name, event.target.value)}
              />
              {!disabled && fields[name] === '' && (
                <Offers
                  label={`${teachingWords[name].label}: suggestions`}
                  choices={offers[name] ?? []}
                  onChoose={(value) => onEdit(name, value)}
                />
              )}
            </>
          )}
        </Field>
      ))}
      <datalist id={listId}>
        {speakers.map((speaker) => (
          <option key={speaker} value={speaker}>
            {speaker}
          </option>
        ))}
      </datalist>
      <MoreFields open={hasMore}>
        {addedWords.map((name) => (
          <Field key={name} label={teachingWords[name].label} optional>
            {(control) => (
              <Textarea
                {...control}
                maxLength={teachingWords[name].maxLength}
                value={fields[name] ?? ''}
                disabled={disabled}
                onChange={(event) => onEdit(name, event.target.value)}
              />
            )}
          </Field>
        ))}
      </MoreFields>
    </>
  )
}

const mostOffered = 3
const dateWords: Record<OfferedDate['from'], string> = {
  name: 'In the name',
  file: 'Day of the file',
  sunday: 'Last Sunday',
}

interface OffersProps {
  label: string
  choices: readonly { value: string; words: string }[]
  onChoose: (value: string) => void
}

/** Values that fill an empty field when pressed. */
function Offers({ label, choices, onChoose }: OffersProps) {
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
