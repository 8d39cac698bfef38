import type { Series } from '@fellowship/schema/series/series.schema'
import { seriesTexts } from '@fellowship/schema/series/series.texts'
import { useMutation } from '@tanstack/react-query'
import { queryClient } from '../../lib/query-client.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { showToast } from '../../ui/toast.ts'
import { signedIn, useAuth } from '../auth/auth-context.tsx'
import { saveSeriesDeletion } from './series.device.ts'

interface DeleteSeriesDialogProps {
  /** As it was shown at the press. */
  series: Series
  onClose: () => void
  onDeleted: () => void
}

/** Confirms, and saves the deletion in the outbox; a toast reports the outcome. */
export function DeleteSeriesDialog({ series, onClose, onDeleted }: DeleteSeriesDialogProps) {
  const { user } = useAuth()
  const remove = useMutation(
    {
      mutationFn: () => saveSeriesDeletion(series, signedIn(user)),
      onSuccess: onDeleted,
      onError: () =>
        showToast({ title: 'Error', description: seriesTexts.deleteFailed, kind: 'destructive' }),
      onSettled: onClose,
    },
    queryClient,
  )
  return (
    <ConfirmDialog
      title="Delete Series"
      question={seriesTexts.confirmDelete}
      confirmLabel="Delete"
      pending={remove.isPending}
      pendingLabel="Deleting..."
      onConfirm={() => remove.mutate()}
      onCancel={onClose}
    />
  )
}
