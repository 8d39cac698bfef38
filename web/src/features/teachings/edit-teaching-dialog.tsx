import { addedWords, textOf } from '@fellowship/schema/teachings/teaching-words'
import { withSpaces } from '@fellowship/schema/teachings/shown-title'
import { teachingEdit, type Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { uploadQueueTexts } from '@fellowship/schema/uploads/upload-queue.texts'
import { useState } from 'react'
import { useWatch } from 'react-hook-form'
import { useZodForm } from '../../lib/zod.form.ts'
import { Field } from '../../ui/field.tsx'
import { FileInput } from '../../ui/file-input.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { RecordingFields } from '../uploads/recording-fields.form.tsx'
import { useUpdateTeaching } from './teachings.queries.ts'

/** 'Edit Sermon': Update needs title, speaker and date; a replacement recording is optional. */
export function EditTeachingDialog({ teaching, onClose }: { teaching: Teaching; onClose: () => void }) {
  const [audioFile, setAudioFile] = useState<File>()
  const update = useUpdateTeaching()
  const form = useZodForm(teachingEdit.omit({ baseRev: true }), shownFields(teaching))
  const [title, speaker, date] = useWatch({ control: form.control, name: ['title', 'speaker', 'date'] })
  const complete = [title, speaker, date].every((value) => value.trim() !== '')
  const submit = form.handleSubmit((edit) =>
    update.mutate(
      { teaching, edit: { ...edit, title: storedTitle(teaching, edit.title) }, audioFile },
      { onSuccess: onClose },
    ),
  )
  return (
    <FormDialog
      title="Edit Sermon"
      onSubmit={submit}
      onClose={onClose}
      dirty={form.formState.isDirty || audioFile !== undefined}
      submitLabel="Update"
      submittable={complete}
      pending={update.isPending}
      pendingLabel={audioFile ? uploadQueueTexts.saving : 'Updating...'}
      problem={update.error}
    >
      <RecordingFields
        register={form.register}
        errors={form.formState.errors}
        hasMore={addedWords.some((name) => teaching[name])}
      />
      <Field label="Replacement audio" optional hint="Leave it empty to keep the current recording.">
        {(control) => (
          <FileInput
            {...control}
            accept="audio/*"
            onChange={(event) => setAudioFile(event.target.files?.[0])}
          />
        )}
      </Field>
    </FormDialog>
  )
}

const shownFields = (teaching: Teaching) => ({ ...textOf(teaching), title: withSpaces(teaching.title) })

/** An unedited title stays with its underscores, which the form shows as spaces. */
const storedTitle = (teaching: Teaching, entered: string) =>
  entered === withSpaces(teaching.title) ? teaching.title : entered
