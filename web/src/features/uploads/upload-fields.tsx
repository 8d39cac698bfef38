import { addedWords, firstWords, teachingWords } from '@fellowship/schema/teachings/teaching-words'
import type { EnteredFields } from '@fellowship/schema/uploads/uploads.schema'
import { useState } from 'react'
import { Field, Input, Textarea } from '../../ui/field.tsx'
import type { Draft } from './upload-flow.ts'
import { MoreFields } from './more-fields.tsx'

interface UploadFieldsProps {
  fields: EnteredFields
  disabled: boolean
  /** What is missing, shown at its field. */
  problem?: Draft['problem']
  onEdit: (field: keyof EnteredFields, value: string) => void
}

/** The editable fields of a recording before it is uploaded. */
export function UploadFields({ fields, disabled, problem, onEdit }: UploadFieldsProps) {
  // Computed once: clearing the last field must not collapse the section during typing.
  const [hasMore] = useState(() => addedWords.some((name) => fields[name]))
  return (
    <>
      {firstWords.map((name) => (
        <Field
          key={name}
          label={teachingWords[name].label}
          error={problem?.field === name ? problem.message : undefined}
        >
          {(control) => (
            <Input
              {...control}
              type={teachingWords[name].input === 'date' ? 'date' : 'text'}
              value={fields[name]}
              disabled={disabled}
              onChange={(event) => onEdit(name, event.target.value)}
            />
          )}
        </Field>
      ))}
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
