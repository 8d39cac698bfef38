import { use, type ReactNode } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { ObstacleContext } from './held-dialog.ts'

interface ConfirmDialogProps {
  title: string
  question: string
  confirmLabel: string
  cancelLabel?: string
  pending?: boolean
  pendingLabel?: string
  onConfirm: () => void
  onCancel: () => void
  width?: 'narrow' | 'wide'
  /** The affected rows, below the question. */
  children?: ReactNode
}

/** Asks for a confirmation before an action that cannot be undone. Its cancel button has the initial focus. */
export function ConfirmDialog({
  title,
  question,
  confirmLabel,
  cancelLabel = 'Cancel',
  pending = false,
  pendingLabel,
  onConfirm,
  onCancel,
  width = 'narrow',
  children,
}: ConfirmDialogProps) {
  const { notice } = use(ObstacleContext)
  return (
    <Dialog title={title} description={question} width={width} closable={!pending} onClose={onCancel}>
      {notice}
      {children}
      <div className="mt-8 flex flex-wrap justify-end gap-3">
        <Button kind="secondary" data-autofocus onClick={onCancel} disabled={pending}>
          {cancelLabel}
        </Button>
        <Button
          kind="danger"
          onClick={onConfirm}
          disabled={notice !== undefined}
          pending={pending}
          pendingLabel={pendingLabel}
        >
          {confirmLabel}
        </Button>
      </div>
    </Dialog>
  )
}
