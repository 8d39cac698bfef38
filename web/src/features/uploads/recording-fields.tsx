import type { UseFormRegisterReturn } from 'react-hook-form'
import { Field, Input } from '../../ui/field.tsx'

type Name = 'title' | 'speaker' | 'scriptureReference' | 'date'

interface RecordingFieldsProps {
  register: (name: Name) => UseFormRegisterReturn
  errors: Partial<Record<Name, { message?: string | undefined }>>
}

/** The fields of a teaching that a person fills in, for the form of a dialog. The first one gets the focus. */
export function RecordingFields({ register, errors }: RecordingFieldsProps) {
  return (
    <>
      <Field label="Title" error={errors.title?.message}>
        {(control) => <Input {...control} data-autofocus {...register('title')} />}
      </Field>
      <Field label="Speaker" error={errors.speaker?.message}>
        {(control) => <Input {...control} {...register('speaker')} />}
      </Field>
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        <Field label="Scripture Reference" optional error={errors.scriptureReference?.message}>
          {(control) => <Input {...control} {...register('scriptureReference')} />}
        </Field>
        <Field label="Date" error={errors.date?.message}>
          {(control) => <Input {...control} type="date" {...register('date')} />}
        </Field>
      </div>
    </>
  )
}
