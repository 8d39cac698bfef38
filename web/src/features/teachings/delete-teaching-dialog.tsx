import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { teachingTexts } from '@fellowship/schema/teachings/teachings.texts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { useDeleteTeaching } from './teachings.queries.ts'

/** Confirms, saves the deletion in the outbox and closes; a toast reports the outcome. */
export function DeleteTeachingDialog({ teaching, onClose }: { teaching: Teaching; onClose: () => void }) {
  const remove = useDeleteTeaching()
  return (
    <ConfirmDialog
      title="Delete Teaching"
      question={teachingTexts.confirmDelete}
      confirmLabel="Delete"
      pending={remove.isPending}
      pendingLabel="Deleting..."
      onConfirm={() => remove.mutate(teaching, { onSettled: onClose })}
      onCancel={onClose}
    />
  )
}
