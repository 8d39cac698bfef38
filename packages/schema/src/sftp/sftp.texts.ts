import { counted } from '../counted.ts'

/** Messages of the SFTP server. */
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
  started: 'The SFTP server is open for 60 minutes.',
  startedUntilWindowEnds: 'The SFTP server is open until the end of the upload window.',
  stopped: 'The SFTP server is closed.',
  alreadyRunning: 'The SFTP server is open already.',
  notRunning: 'The SFTP server is closed already.',
  uploadCleared: 'The upload record was cleared.',
  passwordChanged: 'The SFTP password was changed.',
  passwordTooLong: 'Password must be at most 128 characters long',
  passwordPlain: 'Password must not hold control characters',
  unbanned: 'The address may connect again.',
  cleaned: (removed: number, kept: number) =>
    `${removed} ${removed === 1 ? 'file was' : 'files were'} removed, ${kept} kept because ${kept === 1 ? 'it is' : 'they are'} still needed.`,
  starting: 'The SFTP server is starting. Check again in a moment.',
  portTaken: (port: number) =>
    `Port ${port} is used by another program. Set SFTP_PORT to a free one and start again.`,
  cannotListen: (reason: string) => `The SFTP server could not be opened (${reason}).`,
  monitorFailed: 'Failed to load the file monitor',
  cleanFailed: 'Failed to clean up',
  unbanFailed: 'Failed to let the address in again',
  waitingForRest: (percent?: number) =>
    percent === undefined ? 'Waiting for the rest' : `Waiting for the rest (${percent} %)`,
  /** @param seconds until it is judged like a file that was closed */
  judgedIn: (seconds: number) =>
    seconds <= 0 ? 'judged within a minute' : `judged in ${counted(Math.ceil(seconds / 60), 'minute')}`,
  beingPublished: 'Arrived, being published',
  needless: 'Not needed',
  passwordTooShort: 'Password must be at least 8 characters long',
} as const
