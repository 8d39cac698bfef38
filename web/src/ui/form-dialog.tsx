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
  /** What `handleSubmit` of the form returns. */
  onSubmit: (event: BaseSyntheticEvent) => Promise<void>
  onClose: () => void
  /** Whether closing it would lose something: then it asks. */
  dirty: boolean
  submitLabel: string
  /** Off while a required field is empty. */
  submittable?: boolean
  /** While it is being saved the dialog cannot be closed. */
  pending: boolean
  pendingLabel: string
  /** Why the last try failed, which a toast says too. */
  problem: Error | null
  /** The fields. */
  children: ReactNode
}

/**
 * A dialog with a form in it, and Cancel and submit below. While it is open no update of the site reloads the page. What was
 * entered is lost only on purpose: a press beside the dialog does nothing then, and whatever else closes it asks first.
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
