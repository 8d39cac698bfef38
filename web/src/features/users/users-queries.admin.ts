import {
  users,
  type ManagedUser,
  type NewUser,
  type UserChanges,
} from '@fellowship/schema/users/users.contract'
import { userTexts } from '@fellowship/schema/users/users.texts'
import { call } from '@fellowship/sync/call/call'
import { adminMutation, adminQuery } from '../../lib/admin-query.ts'
import { refreshOwnAccount } from '../auth/auth.queries.ts'

export const useUsers = adminQuery(users.list)

export type UserToSave = { id: undefined; fields: NewUser } | { id: number; fields: UserChanges }

export const useSaveUser = adminMutation({
  call: ({ id, fields }: UserToSave): Promise<ManagedUser> =>
    id === undefined
      ? call(users.create, { body: fields })
      : call(users.update, { params: { id }, body: fields }),
  onSuccess: (_, { id }) => id !== undefined && refreshOwnAccount({ id }),
  success: ({ name }, { id }) => ({
    title: id === undefined ? userTexts.created : userTexts.updated,
    description: name,
  }),
  failure: ({ id }) => (id === undefined ? userTexts.creationFailed : userTexts.updateFailed),
  invalidates: [users.list],
})

export const useDeleteUser = adminMutation({
  call: ({ id }: ManagedUser) => call(users.remove, { params: { id } }),
  success: (_, { name }) => ({ title: userTexts.deleted, description: name }),
  failure: userTexts.deletionFailed,
  invalidates: [users.list],
})

export const useUnlockUser = adminMutation({
  call: ({ id }: ManagedUser) => call(users.unlock, { params: { id } }),
  success: ({ name }) => ({ title: userTexts.unlocked, description: `${name} can sign in again.` }),
  failure: userTexts.unlockFailed,
  invalidates: [users.list],
})
