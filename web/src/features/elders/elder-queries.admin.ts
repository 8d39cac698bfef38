import { elders } from '@fellowship/schema/elders/elders.contract'
import { orderForPlace, placedAt } from '@fellowship/schema/elders/display-order'
import type { Elder, ElderChanges, NewElder } from '@fellowship/schema/elders/elders.schema'
import { elderTexts } from '@fellowship/schema/elders/elders.texts'
import { uploadTimeoutMs } from '@fellowship/schema/uploads/uploads.limits'
import { call } from '@fellowship/sync/call/call'
import { useMutation } from '@tanstack/react-query'
import { adminMutation, adminQuery, queryKeyOf, toastError } from '../../lib/admin-query.ts'
import { holdWhile } from '../../lib/busy.ts'
import { saveOver } from '../../lib/save-over.ts'
import { queryClient } from '../../lib/query-client.ts'
import { showToast } from '../../ui/toast.ts'
import { refreshElders } from './elders.device.ts'

/** The elders of the server, not of the replica. */
export const useEldersNow = adminQuery(elders.list)

/** A new photo is uploaded by a call of its own; a change of the address to null removes the present one. */
export type ElderToSave =
  | { id: undefined; fields: Omit<NewElder, 'imageUrl'> }
  | { id: number; base: Elder; changes: ElderChanges }

export const useSaveElder = adminMutation({
  call: (toSave: ElderToSave): Promise<Elder> =>
    toSave.id === undefined
      ? call(elders.create, { body: { ...toSave.fields, imageUrl: null } })
      : saveOver(toSave.base, toSave.changes, ({ rev: baseRev }) =>
          call(elders.update, { params: { id: toSave.id }, body: { ...toSave.changes, baseRev } }),
        ),
  success: (_, { id }) => ({ title: id === undefined ? elderTexts.created : elderTexts.updated }),
  failure: ({ id }) => (id === undefined ? elderTexts.creationFailed : elderTexts.updateFailed),
  invalidates: [elders.list],
  // The public pages read the replica on this device.
  onSuccess: refreshElders,
})

export const useSendPhoto = adminMutation({
  call: ({ id, photo }: { id: number; photo: File }) =>
    call(elders.photo, { params: { id }, files: { photo }, signal: AbortSignal.timeout(uploadTimeoutMs) }),
  success: () => ({ title: elderTexts.photoUploaded }),
  failure: elderTexts.uploadFailed,
  invalidates: [elders.list],
  onSuccess: refreshElders,
})

export const useDeleteElder = adminMutation({
  call: ({ id }: Elder) => call(elders.remove, { params: { id } }),
  success: () => ({ title: elderTexts.deleted }),
  failure: elderTexts.deletionFailed,
  invalidates: [elders.list],
  onSuccess: refreshElders,
})

/**
 * Moves an elder to an index of the list, counted from 0. The screen changes optimistically; until the server confirms, the
 * browser asks before the page is left, because the new order already looks saved.
 */
export function useMoveElder(): (elder: Elder, place: number) => void {
  const move = useMutation(
    {
      mutationKey: moves,
      // One at a time: each index refers to the list after the previous move.
      scope: { id: 'elders' },
      mutationFn: ({ id, displayOrder }: { id: number; displayOrder: number }) =>
        call(elders.update, { params: { id }, body: { displayOrder } }),
      onError: (error) => toastError(elderTexts.updateFailed, error),
      onSettled: (_, error) => {
        if (queryClient.isMutating({ mutationKey: moves }) > 1) return
        if (!error) showToast({ title: elderTexts.updated })
        void queryClient.invalidateQueries({ queryKey })
        refreshElders()
      },
    },
    queryClient,
  )
  return (elder, place) => {
    const rows = queryClient.getQueryData<Elder[]>(queryKey) ?? []
    const displayOrder = orderForPlace(rows, elder.id, place)
    if (displayOrder === undefined) return
    void queryClient.cancelQueries({ queryKey })
    queryClient.setQueryData<Elder[]>(queryKey, placedAt(rows, elder.id, displayOrder))
    // The failure was toasted.
    holdWhile(() => move.mutateAsync({ id: elder.id, displayOrder })).catch(() => undefined)
  }
}

const queryKey = queryKeyOf(elders.list)
const moves = ['move elder'] as const
