import { withSpaces } from '@fellowship/schema/teachings/shown-title'
import { teachingEdit, type Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { uploadQueueTexts } from '@fellowship/schema/uploads/upload-queue.texts'
import { sentenceOfError } from '@fellowship/sync/call/call-error'
import { useEffect, useState } from 'react'
import { useWatch } from 'react-hook-form'
import { holdPage } from '../../lib/busy.ts'
import { useZodForm } from '../../lib/zod-form.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { FormProblem } from '../../ui/form-problem.tsx'
import { RecordingFields } from '../uploads/recording-fields.tsx'
import { useUpdateTeaching } from './teachings.queries.ts'

/** 'Edit Sermon': Update needs title, speaker and date; a replacement recording is optional (SPEC §2). */
export function EditTeachingDialog({ teaching, onClose }: { teaching: Teaching; onClose: () => void }) {
  const [audioFile, setAudioFile] = useState<File>()
  const update = useUpdateTeaching()
  const form = useZodForm(teachingEdit.omit({ baseRev: true }), shownFields(teaching))
  const [title, speaker, date] = useWatch({ control: form.control, name: ['title', 'speaker', 'date'] })
  useEffect(() => holdPage(), [])
  const complete = [title, speaker, date].every((value) => value.trim() !== '')
  const submit = form.handleSubmit((edit) =>
    update.mutate(
      { teaching, edit: { ...edit, title: storedTitle(teaching, edit.title) }, audioFile },
      { onSuccess: onClose },
    ),
  )
  return (
    <Dialog title="Edit Sermon" onClose={onClose} closable={!update.isPending}>
      <form noValidate onSubmit={(event) => void submit(event)} className="mt-5 flex flex-col gap-4">
        <RecordingFields register={form.register} errors={form.formState.errors} />
        <Field label="Replacement audio" optional hint="Leave it empty to keep the recording there is.">
          {(control) => (
            <input
              {...control}
              type="file"
              accept="audio/*"
              onChange={(event) => setAudioFile(event.target.files?.[0])}
              className="w-full text-small text-soft file:mr-4 file:min-h-11 file:cursor-pointer file:rounded-card file:border file:border-solid file:border-line-strong file:bg-raised file:px-4 file:font-medium file:text-ink"
            />
          )}
        </Field>
        {update.error && <FormProblem toasted>{sentenceOfError(update.error)}</FormProblem>}
        <div className="mt-3 flex flex-wrap justify-end gap-3">
          <Button kind="secondary" onClick={onClose} disabled={update.isPending}>
            Cancel
          </Button>
          <Button
            type="submit"
            disabled={!complete}
            pending={update.isPending}
            pendingLabel={audioFile ? uploadQueueTexts.saving : 'Updating...'}
          >
            Update
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const shownFields = ({ title, speaker, date, scriptureReference }: Teaching) => ({
  title: withSpaces(title),
  speaker,
  date,
  scriptureReference: scriptureReference ?? '',
})

/** A title that was only shown with spaces keeps its underscores. */
const storedTitle = (teaching: Teaching, entered: string) =>
  entered === withSpaces(teaching.title) ? teaching.title : entered
