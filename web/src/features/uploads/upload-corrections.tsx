import { wordNames } from '@fellowship/schema/teachings/teaching-words'
import { uploadQueueTexts as texts } from '@fellowship/schema/uploads/upload-queue.texts'
import type { EnteredFields } from '@fellowship/schema/uploads/uploads.schema'
import { sentenceOfError } from '@fellowship/sync/call/call-error'
import type { UploadJob as Job } from '@fellowship/sync/client/database/upload-database'
import { askedAnswer } from '@fellowship/sync/client/uploads/upload-jobs'
import { useEffect, useState } from 'react'
import { holdAndAsk } from '../../lib/busy.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { FormNotes } from '../../ui/form-notes.tsx'
import { showToast } from '../../ui/toast.ts'
import { useHeldRow } from '../sync/held-row.device.ts'
import { useDateQuestion } from './date-question.list.ts'
import { confirm, correct } from './queue.device.ts'
import { needsUser } from './queue-words.ts'
import { UploadFields } from './upload-fields.tsx'

/** The fields of a job while they are corrected; if they differ from the stored ones, they hold the page. */
function useEntered({ id, fields: kept }: Job, onClose?: () => void) {
  const { row, draft, close } = useHeldRow('upload', id, kept, onClose)
  const [fields, setFields] = useState<EnteredFields>({ ...row, ...draft.words })
  const changed = wordNames.filter((name) => (fields[name] ?? '') !== (kept[name] ?? ''))
  useEffect(() => (changed.length > 0 ? holdAndAsk() : undefined), [changed.length])
  const enter = (field: keyof EnteredFields, value: string) => {
    const next = { ...fields, [field]: value }
    setFields(next)
    draft.keep(
      Object.fromEntries(
        wordNames.filter((name) => next[name] !== kept[name]).map((name) => [name, next[name]]),
      ),
    )
  }
  const notes = (
    <FormNotes
      draft={{
        at: draft.at,
        discard() {
          draft.discard()
          setFields(kept)
        },
      }}
    />
  )
  return { fields, enter, notes, close }
}

/** If a job was shared from another app, it is uploaded only after the user confirmed its fields. */
export function Confirmation({ job, userId }: { job: Job; userId: number }) {
  const { fields, enter, notes, close } = useEntered(job)
  const [pending, setPending] = useState(false)
  const { ask, question } = useDateQuestion()
  const send = async () => {
    setPending(true)
    try {
      const problem = await confirm(job, fields, userId)
      if (problem) showToast({ ...problem, kind: 'destructive' })
      else close()
    } catch {
      // The form stays open with the entered fields.
    }
    setPending(false)
  }
  return (
    <div className="mt-4 flex flex-col gap-4">
      {notes}
      <UploadFields fields={fields} disabled={pending} onEdit={enter} />
      <Button
        pending={pending}
        pendingLabel="Checking for duplicates..."
        onClick={() => ask([fields.date], () => void send())}
      >
        Send it
      </Button>
      {question && <ConfirmDialog {...question} />}
    </div>
  )
}

/** Corrects the fields of a job that can still be sent. */
export function Correction({ job, onClose }: { job: Job; onClose: () => void }) {
  const { fields, enter, notes, close } = useEntered(job, onClose)
  const { ask, question } = useDateQuestion()
  const save = async () => {
    try {
      const tooLate = await correct(job, fields)
      if (tooLate) showToast({ ...tooLate, kind: 'destructive' })
      close()
    } catch (error) {
      // The form stays open with the entered fields.
      showToast({ ...texts.notCorrected(sentenceOfError(error)), kind: 'destructive' })
    }
  }
  return (
    <div className="mt-4 flex flex-col gap-4">
      {notes}
      <UploadFields fields={fields} disabled={false} onEdit={enter} />
      <div className="flex flex-wrap gap-3">
        <Button
          className="text-small"
          onClick={() => ask(fields.date === job.fields.date ? [] : [fields.date], () => void save())}
        >
          {needsUser(job) && !askedAnswer(job) ? 'Save and try again' : 'Save'}
        </Button>
        <Button kind="secondary" className="text-small" onClick={close}>
          Cancel
        </Button>
      </div>
      {question && <ConfirmDialog {...question} />}
    </div>
  )
}
