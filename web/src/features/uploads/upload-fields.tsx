import type { EnteredFields } from '@fellowship/schema/uploads/uploads.schema'
import { Field, Input } from '../../ui/field.tsx'

interface UploadFieldsProps {
  fields: EnteredFields
  disabled: boolean
  onEdit: (field: keyof EnteredFields, value: string) => void
}

/** What a recording is called; SPEC §2's four fields. */
export function UploadFields({ fields, disabled, onEdit }: UploadFieldsProps) {
  return editable.map(({ name, label, type }) => (
    <Field key={name} label={label}>
      {(control) => (
        <Input
          {...control}
          type={type}
          value={fields[name]}
          disabled={disabled}
          onChange={(event) => onEdit(name, event.target.value)}
        />
      )}
    </Field>
  ))
}

const editable = [
  { name: 'title', label: 'Title', type: 'text' },
  { name: 'speaker', label: 'Speaker', type: 'text' },
  { name: 'date', label: 'Date', type: 'date' },
  { name: 'scriptureReference', label: 'Scripture Reference', type: 'text' },
] as const
