import { elders } from '@fellowship/schema/elders/elders.contract'
import { orderForPlace, placedAt } from '@fellowship/schema/elders/display-order'
import type { Elder, ElderChanges, NewElder } from '@fellowship/schema/elders/elders.schema'
import { elderTexts } from '@fellowship/schema/elders/elders.texts'
import { call } from '@fellowship/sync/call/call'
import { sentenceOfError } from '@fellowship/sync/call/call-error'
import { useMutation, useQuery } from '@tanstack/react-query'
import { queryClient } from '../../lib/query-client.ts'
import { sendForm } from '../../lib/send-form.ts'
import { isUnauthorized } from '../../lib/unauthorized.ts'
import { showToast } from '../../ui/toast.ts'
import { refreshElders } from './elders-device.ts'

const queryKey = [elders.list.path] as const

/** The elders as the server has them now. */
export const useEldersNow = () =>
  useQuery(
    { queryKey, queryFn: ({ signal }) => call(elders.list, { signal }), networkMode: 'always' },
    queryClient,
  )

/** A photo that comes is sent by a call of its own; a change to null takes the one there is away. */
export type ElderToSave =
  | { id: undefined; fields: Omit<NewElder, 'imageUrl'> }
  | { id: number; changes: ElderChanges }

/** Creates an elder, or changes the one of this id. */
export const useSaveElder = () =>
  useMutation(
    {
      mutationFn: (toSave: ElderToSave): Promise<Elder> =>
        toSave.id === undefined
          ? call(elders.create, { body: { ...toSave.fields, imageUrl: null } })
          : call(elders.update, { params: { id: toSave.id }, body: toSave.changes }),
      onSuccess: (_, { id }) => {
        showToast({ title: id === undefined ? elderTexts.created : elderTexts.updated })
        changed()
      },
      onError: (error, { id }) =>
        failed(id === undefined ? elderTexts.creationFailed : elderTexts.updateFailed, error),
    },
    queryClient,
  )

/** Sends a photo of an elder that is there. */
export const useSendPhoto = () =>
  useMutation(
    {
      mutationFn: ({ id, photo }: { id: number; photo: File }) =>
        sendForm(elders.photo, { params: { id }, files: { photo } }),
      onSuccess: () => {
        showToast({ title: elderTexts.photoUploaded })
        changed()
      },
      onError: (error) => failed(elderTexts.uploadFailed, error),
    },
    queryClient,
  )

export const useDeleteElder = () =>
  useMutation(
    {
      mutationFn: ({ id }: Elder) => call(elders.remove, { params: { id } }),
      onSuccess: () => {
        showToast({ title: elderTexts.deleted })
        changed()
      },
      onError: (error) => failed(elderTexts.deletionFailed, error),
    },
    queryClient,
  )

/** Brings an elder to a place in the list, counted from 0; the screen shows it at once, the others make room. */
export function useMoveElder(): (elder: Elder, place: number) => void {
  const move = useMutation(
    {
      mutationKey: moves,
      // One after the other: each number is meant for the list that the one before left.
      scope: { id: 'elders' },
      mutationFn: ({ id, displayOrder }: { id: number; displayOrder: number }) =>
        call(elders.update, { params: { id }, body: { displayOrder } }),
      onError: (error) => failed(elderTexts.updateFailed, error),
      onSettled: (_, error) => {
        if (queryClient.isMutating({ mutationKey: moves }) > 1) return
        if (!error) showToast({ title: elderTexts.updated })
        changed()
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
    move.mutate({ id: elder.id, displayOrder })
  }
}

const moves = ['move elder'] as const

function changed(): void {
  void queryClient.invalidateQueries({ queryKey })
  // The pages of this device show what it holds.
  refreshElders()
}

function failed(title: string, error: unknown): void {
  // The sign-in toast stands for itself and would be replaced at once.
  if (!isUnauthorized(error)) showToast({ title, description: sentenceOfError(error), kind: 'destructive' })
}
