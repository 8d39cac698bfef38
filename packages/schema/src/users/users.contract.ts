import { z } from 'zod'
import { endpoint, idParam } from '../endpoint.ts'
import { authLimits, defaultRole } from '../auth/auth.limits.ts'
import { email, newPassword, role } from '../auth/auth.schema.ts'
import { authTexts } from '../auth/auth.texts.ts'
import { personName } from '../plain-text.ts'

/** An account as administrators see it, without its secrets. Times are ISO 8601. */
const managedUser = z.object({
  id: z.int(),
  email: z.string(),
  name: z.string(),
  role,
  isActive: z.boolean(),
  isEmailVerified: z.boolean(),
  /** Until when it is locked after wrong passwords; null when it is not. */
  lockedUntil: z.iso.datetime().nullable(),
  createdAt: z.iso.datetime(),
})
export type ManagedUser = z.infer<typeof managedUser>

const fields = z.object({
  email,
  name: personName('Name')
    .min(authLimits.nameMinimumInAdminForms, { error: authTexts.nameRequired })
    .max(authLimits.name),
  role,
  password: newPassword,
})

/** A user created by an administrator. */
export const newUser = fields.extend({ role: role.default(defaultRole) })
export type NewUser = z.infer<typeof newUser>

/** Any subset of the fields. A blank password keeps the current one. */
export const userChanges = fields
  .extend({
    isActive: z.boolean(),
    password: z.preprocess((input) => (input === '' ? undefined : input), newPassword.optional()),
  })
  .partial()
export type UserChanges = z.infer<typeof userChanges>

export const users = {
  list: endpoint({
    method: 'GET',
    path: '/api/admin/users',
    access: 'admin',
    changes: false,
    summary: 'All accounts by name, with what locks them.',
    answer: z.array(managedUser),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/admin/users',
    access: 'admin',
    changes: true,
    summary: 'Creates an account with a chosen role.',
    body: newUser,
    answer: managedUser,
  }),
  update: endpoint({
    method: 'PUT',
    path: '/api/admin/users/:id',
    access: 'admin',
    changes: true,
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
    changes: true,
    summary: 'Deletes an account and ends its sessions. The last active administrator stays.',
    params: idParam,
    answer: z.object({ success: z.literal(true) }),
  }),
  unlock: endpoint({
    method: 'POST',
    path: '/api/admin/users/:id/unlock',
    access: 'admin',
    changes: true,
    summary: 'Opens an account that wrong passwords have locked.',
    params: idParam,
    answer: managedUser,
  }),
}
