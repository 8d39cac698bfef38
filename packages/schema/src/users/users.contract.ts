import { z } from 'zod'
import { endpoint, idParam } from '../endpoint.ts'
import { managedUser, newUser, userChanges } from './users.schema.ts'

export const users = {
  list: endpoint({
    method: 'GET',
    path: '/api/admin/users',
    access: 'admin',
    summary: 'All accounts by name, with what locks them.',
    answer: z.array(managedUser),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/admin/users',
    access: 'admin',
    summary: 'Creates an account with a chosen role.',
    body: newUser,
    answer: managedUser,
  }),
  update: endpoint({
    method: 'PUT',
    path: '/api/admin/users/:id',
    access: 'admin',
    summary:
      'Changes any of the fields of an account. A new password, another role and deactivation end its sessions.',
    params: idParam,
    body: userChanges,
    answer: managedUser,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/admin/users/:id',
    access: 'admin',
    summary: 'Deletes an account and ends its sessions. The last active administrator stays.',
    params: idParam,
    answer: z.object({ success: z.literal(true) }),
  }),
  unlock: endpoint({
    method: 'POST',
    path: '/api/admin/users/:id/unlock',
    access: 'admin',
    summary: 'Opens an account that wrong passwords have locked.',
    params: idParam,
    answer: managedUser,
  }),
}
