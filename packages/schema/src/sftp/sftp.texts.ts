/** SPEC §2, §4, §5 and §8, the transfer server. */
export const sftpTexts = {
  notAvailable: 'SFTP server not available',
  active: 'Active',
  scheduled: 'Scheduled',
  statusFailed: 'Failed to fetch SFTP status',
  clearUploadFailed: 'Failed to clear upload state',
  startFailed: 'Failed to start SFTP server',
  stopFailed: 'Failed to stop SFTP server',
  passwordFetchFailed: 'Failed to fetch current password',
  passwordChangeFailed: 'Failed to change password',
  networkError: 'Network error. Please try again.',
  passwordTooShort: 'Password must be at least 8 characters long',
} as const
