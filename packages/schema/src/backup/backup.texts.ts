import { counted } from '../counted.ts'
import type { Notice } from '../notice.ts'

/** Messages of the backup and its history. */
export const backupTexts = {
  failed: { title: 'Backup Failed', description: 'Failed to create backup' },
  started: (files: number, size: string): Notice => ({
    title: 'Backup started',
    description: `${counted(files, 'file')}, ${size}. Your browser is saving it; keep it somewhere else than the server.`,
  }),
  gone: 'This backup is not here any more. Start a new one.',
  historyFailed: 'Failed to load the backup history',
  none: 'No backup has been made yet',
  never: 'There is no complete backup yet. Make one today, and keep it somewhere else than the server.',
  overdue: (days: number) =>
    `The last complete backup is ${days} days old. Make a new one, and keep it somewhere else than the server.`,
  secretsSealed:
    'The server’s own secrets go along, sealed with its BACKUP_PASSPHRASE. Keep that passphrase somewhere else than the backups: without it they stay closed.',
  secretsLeftOut:
    'The server’s own secrets are left out. Restored on another machine, everything comes back but the SFTP password and host key: both are made anew, and the sound desk has to be told. Whoever runs the server can set BACKUP_PASSPHRASE, and they go along, sealed with it.',
  noRoom: (needed: string, free: string) =>
    `The folder for weekly backups has ${free} left, and ${needed} are needed. Free space there, or choose another folder.`,
} as const
