import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

interface ConfirmDialogProps {
  title: string
  question: string
  confirmLabel: string
  cancelLabel?: string
  pending?: boolean
  pendingLabel?: string
  onConfirm: () => void
  onCancel: () => void
}

/** Asks for a confirmation before an action that cannot be undone. Its cancel button has the initial focus. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, question, confirmLabel, cancelLabel = 'Cancel', pendingLabel, onConfirm, onCancel } = props
  const { pending = false } = props
  return (
    <Dialog title={title} description={question} width="narrow" closable={!pending} onClose={onCancel}>
      <div className="mt-8 flex flex-wrap justify-end gap-3">
        <Button kind="secondary" data-autofocus onClick={onCancel} disabled={pending}>
          {cancelLabel}
        </Button>
        <Button kind="danger" onClick={onConfirm} pending={pending} pendingLabel={pendingLabel}>
          {confirmLabel}
        </Button>
      </div>
    </Dialog>
  )
}
