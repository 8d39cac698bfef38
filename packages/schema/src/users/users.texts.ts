/** SPEC §2, §5 and §8, user management. What the fields ask for is said by the account sentences of `auth`. */
export const userTexts = {
  none: 'No users found',
  loadFailed: (message: string) => `Failed to load users: ${message}`,
  creationFailed: 'Creation failed',
  updateFailed: 'Update failed',
  deletionFailed: 'Deletion failed',
  confirmDelete: (name: string) => `Are you sure you want to delete ${name}?`,
} as const
