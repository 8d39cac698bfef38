import { users } from '@fellowship/schema/users/users.contract'
import type { ManagedUser, NewUser, UserChanges } from '@fellowship/schema/users/users.schema'
import { userTexts } from '@fellowship/schema/users/users.texts'
import { call } from '@fellowship/sync/call/call'
import { sentenceOfError } from '@fellowship/sync/call/call-error'
import { useMutation, useQuery } from '@tanstack/react-query'
import { queryClient } from '../../lib/query-client.ts'
import { isUnauthorized } from '../../lib/unauthorized.ts'
import { showToast } from '../../ui/toast.ts'
import { accountChanged } from '../auth/auth.queries.ts'

const queryKey = [users.list.path] as const

/** All accounts. */
export const useUsers = () =>
  useQuery(
    { queryKey, queryFn: ({ signal }) => call(users.list, { signal }), networkMode: 'always' },
    queryClient,
  )

export type UserToSave = { id: undefined; fields: NewUser } | { id: number; fields: UserChanges }

/** Creates an account, or changes the one of this id. */
export const useSaveUser = () =>
  useMutation(
    {
      mutationFn: ({ id, fields }: UserToSave): Promise<ManagedUser> =>
        id === undefined
          ? call(users.create, { body: fields })
          : call(users.update, { params: { id }, body: fields }),
      onSuccess: (saved, { id }) => {
        if (id !== undefined) accountChanged({ id })
        told(id === undefined ? userTexts.created : userTexts.updated, saved.name)
      },
      onError: (error, { id }) =>
        failed(id === undefined ? userTexts.creationFailed : userTexts.updateFailed, error),
    },
    queryClient,
  )

export const useDeleteUser = () =>
  useMutation(
    {
      mutationFn: ({ id }: ManagedUser) => call(users.remove, { params: { id } }),
      onSuccess: (_, { name }) => told(userTexts.deleted, name),
      onError: (error) => failed(userTexts.deletionFailed, error),
    },
    queryClient,
  )

export const useUnlockUser = () =>
  useMutation(
    {
      mutationFn: ({ id }: ManagedUser) => call(users.unlock, { params: { id } }),
      onSuccess: ({ name }) => told(userTexts.unlocked, `${name} can sign in again.`),
      onError: (error) => failed(userTexts.unlockFailed, error),
    },
    queryClient,
  )

function told(title: string, description: string): void {
  showToast({ title, description })
  void queryClient.invalidateQueries({ queryKey })
}

function failed(title: string, error: unknown): void {
  // The sign-in toast stands for itself and would be replaced at once.
  if (!isUnauthorized(error)) showToast({ title, description: sentenceOfError(error), kind: 'destructive' })
}
