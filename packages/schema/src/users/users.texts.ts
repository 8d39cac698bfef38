/** Messages of user management. The messages of its fields are those of `auth`. */
export const userTexts = {
  none: 'No users found',
  loadFailed: (message: string) => `Failed to load users: ${message}`,
  creationFailed: 'Creation failed',
  updateFailed: 'Update failed',
  deletionFailed: 'Deletion failed',
  created: 'User created',
  updated: 'User updated',
  deleted: 'User deleted',
  unlocked: 'Account unlocked',
  unlockFailed: 'Unlocking failed',
  gone: 'This account was already deleted.',
  lastAdministrator:
    'This is the last active administrator. Make someone else an administrator first, then try again.',
  confirmDelete: (name: string) => `Are you sure you want to delete ${name}?`,
} as const
