import { addedWords, teachingWords, type WordName } from '@fellowship/schema/teachings/teaching-words'
import { scriptureHint } from '@fellowship/schema/uploads/submit-checks'
import type { UseFormRegisterReturn } from 'react-hook-form'
import { ChapterFields, type ChapterFieldsProps } from '../chapters/chapter-fields.form.tsx'
import { Field, Input, Textarea } from '../../ui/field.tsx'
import { Offers, type OffersProps } from './offers.tsx'
import { MoreFields } from './more-fields.list.tsx'

interface RecordingFieldsProps {
  register: (name: WordName) => UseFormRegisterReturn
  /** The scripture as it is typed. */
  scripture: string | undefined
  errors: Partial<Record<WordName, { message?: string | undefined }>>
  /** Whether a field under "More" already has a value. */
  hasMore: boolean
  /** Offered in the form of a teaching that has a recording already. */
  chapters?: ChapterFieldsProps
  /** Values for empty fields. */
  offers?: Partial<Record<'speaker' | 'date', Omit<OffersProps, 'label'>>>
}

/** The editable fields of a teaching, for a dialog's form. The first one gets the focus. */
export function RecordingFields({
  register,
  scripture = '',
  errors,
  hasMore,
  chapters,
  offers = {},
}: RecordingFieldsProps) {
  const { title, speaker, scriptureReference, date } = teachingWords
  return (
    <>
      <Field label={title.label} error={errors.title?.message}>
        {(control) => <Input {...control} data-autofocus {...register('title')} />}
      </Field>
      <Field label={speaker.label} error={errors.speaker?.message}>
        {(control) => (
          <>
            <Input {...control} {...register('speaker')} />
            {offers.speaker && <Offers label={`${speaker.label}: suggestions`} {...offers.speaker} />}
          </>
        )}
      </Field>
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        <Field
          label={scriptureReference.label}
          optional
          error={errors.scriptureReference?.message}
          hint={scriptureHint(scripture)}
        >
          {(control) => <Input {...control} {...register('scriptureReference')} />}
        </Field>
        <Field label={date.label} error={errors.date?.message}>
          {(control) => (
            <>
              <Input {...control} type="date" {...register('date')} />
              {offers.date && <Offers label={`${date.label}: suggestions`} {...offers.date} />}
            </>
          )}
        </Field>
      </div>
      <MoreFields open={hasMore || addedWords.some((name) => errors[name] !== undefined)}>
        {linesOfText.map((name) => (
          <Field key={name} label={teachingWords[name].label} optional error={errors[name]?.message}>
            {(control) => <Textarea {...control} {...register(name)} />}
          </Field>
        ))}
        {chapters && <ChapterFields {...chapters} error={errors.chapters?.message} />}
      </MoreFields>
    </>
  )
}

const linesOfText = addedWords.filter((name) => name !== 'chapters')
