import type { ManagedUser } from '@fellowship/schema/users/users.schema'
import { userTexts } from '@fellowship/schema/users/users.texts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { useDeleteUser } from './users-queries.admin.ts'

export function DeleteUser({ user, onClose }: { user: ManagedUser; onClose: () => void }) {
  const remove = useDeleteUser()
  return (
    <ConfirmDialog
      title="Delete User"
      question={userTexts.confirmDelete(user.name)}
      confirmLabel="Delete"
      pending={remove.isPending}
      pendingLabel="Deleting..."
      onConfirm={() => remove.mutate(user, { onSettled: onClose })}
      onCancel={onClose}
    />
  )
}
