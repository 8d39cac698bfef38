/** SPEC §8, backup. */
export const backupTexts = {
  failed: { title: 'Backup Failed', description: 'Failed to create backup' },
} as const
