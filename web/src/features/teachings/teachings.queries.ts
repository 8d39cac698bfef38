import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import type { Teaching, TeachingEdit } from '@fellowship/schema/teachings/teachings.schema'
import { teachingTexts } from '@fellowship/schema/teachings/teachings.texts'
import { call } from '@fellowship/sync/call/call'
import { CallError } from '@fellowship/sync/call/call-error'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { queryClient } from '../../lib/query-client.ts'
import { sendForm } from '../../lib/send-form.ts'
import { isUnauthorized } from '../../lib/unauthorized.ts'
import { showToast } from '../../ui/toast.ts'
import { refreshLibrary } from './teachings-device.ts'

export interface TeachingUpdate {
  teaching: Teaching
  edit: TeachingEdit
  /** Replacement audio. */
  audioFile: File | undefined
}

/** Saves an edit; `progress` is the share of a replacement recording that has been sent, 0 to 1. */
export function useUpdateTeaching() {
  const [progress, setProgress] = useState<number | null>(null)
  const update = useMutation(
    {
      mutationFn: async ({ teaching, edit, audioFile }: TeachingUpdate) => {
        setProgress(audioFile ? 0 : null)
        const input = {
          params: { id: teaching.id },
          body: { ...edit, baseRev: teaching.rev },
          files: { audioFile },
        }
        await sendForm(teachings.update, input, { onProgress: audioFile ? setProgress : undefined })
      },
      onSuccess: () => {
        showToast({ title: teachingTexts.updated })
        refreshInBackground()
      },
      onError: (error) => failed(teachingTexts.updateFailed, error),
      onSettled: () => setProgress(null),
    },
    queryClient,
  )
  return { ...update, progress }
}

/** Deletes; one that is gone already counts as deleted (SPEC §7). */
export const useDeleteTeaching = () =>
  useMutation(
    {
      mutationFn: async (teaching: Teaching) => {
        try {
          await call(teachings.remove, { params: { id: teaching.id } })
        } catch (error) {
          if (!(error instanceof CallError && error.status === 404)) throw error
        }
      },
      onSuccess: () => {
        showToast({ title: teachingTexts.deleted })
        refreshInBackground()
      },
      onError: (error) => failed(teachingTexts.deleteFailed, error),
    },
    queryClient,
  )

/** The change itself has succeeded: a list that cannot be fetched anew now is not its failure, and not waited for. */
function refreshInBackground(): void {
  void Promise.resolve()
    .then(refreshLibrary)
    .catch(() => undefined)
}

function failed(description: string, error: unknown): void {
  // The sign-in toast stands for itself and would be replaced at once.
  if (!isUnauthorized(error)) showToast({ title: teachingTexts.errorTitle, description, kind: 'destructive' })
}
