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

/** Notes an edit on this device, from where it is sent; done when it cannot be lost any more. */
export function useUpdateTeaching() {
  const { user } = useAuth()
  return useMutation(
    {
      mutationFn: async ({ teaching, edit, audioFile }: TeachingUpdate) => {
        const device = await import('./outbox-device.ts')
        if (audioFile) await device.replaceRecording(teaching, edit, audioFile, signedIn(user))
        else await device.saveEdit(teaching, edit, signedIn(user))
      },
      onError: () => failed(teachingTexts.updateFailed),
    },
    queryClient,
  )
}

/** Notes a deletion on this device, as `useUpdateTeaching` does an edit. */
export function useDeleteTeaching() {
  const { user } = useAuth()
  return useMutation(
    {
      mutationFn: async (teaching: Teaching) => {
        const device = await import('./outbox-device.ts')
        await device.saveDeletion(teaching, signedIn(user))
      },
      onError: () => failed(teachingTexts.deleteFailed),
    },
    queryClient,
  )
}

/** The tools of a row are there for signed-in people alone. */
function signedIn(user: { id: number } | null): number {
  if (!user) throw new Error('Nobody is signed in')
  return user.id
}

const failed = (description: string) =>
  showToast({ title: teachingTexts.errorTitle, description, kind: 'destructive' })
