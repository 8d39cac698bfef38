import { sentenceOfError } from '@fellowship/sync/call/call-error'
import { useEffect, type BaseSyntheticEvent, type ReactNode } from 'react'
import { holdPage } from '../lib/busy.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { FormProblem } from './form-problem.tsx'

interface FormDialogProps {
  title: string
  description?: ReactNode
  /** What `handleSubmit` of the form returns. */
  onSubmit: (event: BaseSyntheticEvent) => Promise<void>
  onClose: () => void
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

/** A dialog with a form in it, and Cancel and submit below. While it is open no update of the site reloads the page. */
export function FormDialog({
  title,
  description,
  onSubmit,
  onClose,
  submitLabel,
  submittable = true,
  pending,
  pendingLabel,
  problem,
  children,
}: FormDialogProps) {
  useEffect(() => holdPage(), [])
  return (
    <Dialog title={title} description={description} onClose={onClose} closable={!pending}>
      <form noValidate onSubmit={(event) => void onSubmit(event)} className="mt-5 flex flex-col gap-4">
        {children}
        {problem && <FormProblem toasted>{sentenceOfError(problem)}</FormProblem>}
        <div className="mt-3 flex flex-wrap justify-end gap-3">
          <Button kind="secondary" onClick={onClose} disabled={pending}>
            Cancel
          </Button>
          <Button type="submit" disabled={!submittable} pending={pending} pendingLabel={pendingLabel}>
            {submitLabel}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
