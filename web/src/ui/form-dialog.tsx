import { sentenceOfError } from '@fellowship/sync/call/call-error'
import { use, useEffect, useState, type BaseSyntheticEvent, type ReactNode } from 'react'
import { holdAndAsk, holdPage } from '../lib/busy.ts'
import type { FormDraft } from '../lib/zod.form.ts'
import { Button } from './button.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { Dialog } from './dialog.tsx'
import { type ChangedMeanwhile, FormNotes } from './form-notes.tsx'
import { FormProblem } from './form-problem.tsx'
import { ObstacleContext } from './held-dialog.ts'

interface FormDialogProps {
  title: string
  description?: ReactNode
  /** The return value of the form's `handleSubmit`. */
  onSubmit: (event: BaseSyntheticEvent) => Promise<void>
  onClose: () => void
  /** Whether it has unsaved input; then it asks before closing. */
  dirty: boolean
  submitLabel: string
  /** Off while a required field is empty. */
  submittable?: boolean
  /** While it is being saved the dialog cannot be closed. */
  pending: boolean
  pendingLabel: string
  /** The error of the last attempt, which a toast shows too. */
  problem: Error | null
  /** Its words of an earlier time, and the way to discard them. */
  draft?: FormDraft
  /** How the row differs now from the one that the dialog opened with. */
  changed?: ChangedMeanwhile | undefined
  children: ReactNode
}

/**
 * A dialog with a form, Cancel and submit. While it is open no update of the site reloads the page. If there is unsaved
 * input, a press beside the dialog does nothing, and every other way to close it asks first.
 */
export function FormDialog({
  title,
  description,
  onSubmit,
  onClose,
  dirty,
  submitLabel,
  submittable = true,
  pending,
  pendingLabel,
  problem,
  draft,
  changed,
  children,
}: FormDialogProps) {
  const [asking, setAsking] = useState(false)
  const { notice } = use(ObstacleContext)
  useEffect(() => (dirty ? holdAndAsk() : holdPage()), [dirty])
  const close = dirty ? () => setAsking(true) : onClose
  return (
    <Dialog
      title={title}
      description={description}
      onClose={close}
      closable={!pending}
      closesOutside={!dirty}
    >
      {/* Outside of the form, as signing in is a form too. */}
      {notice}
      <form noValidate onSubmit={(event) => void onSubmit(event)} className="mt-5 flex flex-col gap-4">
        <FormNotes draft={draft} changed={changed} />
        <ObstacleContext value={noObstacle}>{children}</ObstacleContext>
        {problem && <FormProblem toasted>{sentenceOfError(problem)}</FormProblem>}
        <div className="mt-3 flex flex-wrap justify-end gap-3">
          <Button kind="secondary" onClick={close} disabled={pending}>
            Cancel
          </Button>
          <Button
            type="submit"
            disabled={!submittable || notice !== undefined}
            pending={pending}
            pendingLabel={pendingLabel}
          >
            {submitLabel}
          </Button>
        </div>
      </form>
      {asking && (
        <ObstacleContext value={noObstacle}>
          <ConfirmDialog
            title="Discard changes?"
            question="What you entered here is not saved."
            confirmLabel="Discard"
            cancelLabel="Keep editing"
            onConfirm={onClose}
            onCancel={() => setAsking(false)}
          />
        </ObstacleContext>
      )}
    </Dialog>
  )
}

/** A question over the form does not repeat its notice. */
const noObstacle = {}
