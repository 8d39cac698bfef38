import { sentenceOfError } from '@fellowship/sync/call/call-error'
import { useEffect, useState, type BaseSyntheticEvent, type ReactNode } from 'react'
import { holdAndAsk, holdPage } from '../lib/busy.ts'
import { Button } from './button.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { Dialog } from './dialog.tsx'
import { FormProblem } from './form-problem.tsx'

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
  children,
}: FormDialogProps) {
  const [asking, setAsking] = useState(false)
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
      <form noValidate onSubmit={(event) => void onSubmit(event)} className="mt-5 flex flex-col gap-4">
        {children}
        {problem && <FormProblem toasted>{sentenceOfError(problem)}</FormProblem>}
        <div className="mt-3 flex flex-wrap justify-end gap-3">
          <Button kind="secondary" onClick={close} disabled={pending}>
            Cancel
          </Button>
          <Button type="submit" disabled={!submittable} pending={pending} pendingLabel={pendingLabel}>
            {submitLabel}
          </Button>
        </div>
      </form>
      {asking && (
        <ConfirmDialog
          title="Discard changes?"
          question="What you entered here is not saved."
          confirmLabel="Discard"
          cancelLabel="Keep editing"
          onConfirm={onClose}
          onCancel={() => setAsking(false)}
        />
      )}
    </Dialog>
  )
}
