import type { Teaching, TeachingEdit } from '@fellowship/schema/teachings/teachings.schema'
import { teachingTexts } from '@fellowship/schema/teachings/teachings.texts'
import { useMutation } from '@tanstack/react-query'
import { queryClient } from '../../lib/query-client.ts'
import { showToast } from '../../ui/toast.ts'
import { useAuth } from '../auth/auth-context.tsx'

export interface TeachingUpdate {
  teaching: Teaching
  edit: TeachingEdit
  /** Replacement audio. */
  audioFile: File | undefined
}

/** Saves an edit in the outbox; resolves when it is stored, and the outbox sends it. */
export function useUpdateTeaching() {
  const { user } = useAuth()
  return useMutation(
    {
      mutationFn: async ({ teaching, edit, audioFile }: TeachingUpdate) => {
        const device = await import('./outbox.device.ts')
        if (audioFile) await device.replaceRecording(teaching, edit, audioFile, idOf(user))
        else await device.saveEdit(teaching, edit, idOf(user))
      },
      onError: () => toastError(teachingTexts.updateFailed),
    },
    queryClient,
  )
}

/** Saves a deletion in the outbox, as `useUpdateTeaching` does an edit. */
export function useDeleteTeaching() {
  const { user } = useAuth()
  return useMutation(
    {
      mutationFn: async (teaching: Teaching) => {
        const device = await import('./outbox.device.ts')
        await device.saveDeletion(teaching, idOf(user))
      },
      onError: () => toastError(teachingTexts.deleteFailed),
    },
    queryClient,
  )
}

/** The tools of a row are rendered for signed-in users only. */
function idOf(user: { id: number } | null): number {
  if (!user) throw new Error('No user is signed in')
  return user.id
}

const toastError = (description: string) =>
  showToast({ title: teachingTexts.errorTitle, description, kind: 'destructive' })
