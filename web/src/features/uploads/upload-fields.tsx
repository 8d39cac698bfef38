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
import { type Offer, Offers, offersOf } from './offers.tsx'

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
  const offers: Partial<Record<WordName, readonly Offer[]>> = offersOf(speakers, dates)
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
        {linesOfText.map((name) => (
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

/** Chapters are added to a recording that can be heard. */
const linesOfText = addedWords.filter((name) => name !== 'chapters')
