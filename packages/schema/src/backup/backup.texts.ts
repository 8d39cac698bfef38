import { counted } from '../counted.ts'
import type { Notice } from '../notice.ts'

/** Messages of the backup and its history. */
export const backupTexts = {
  failed: { title: 'Backup Failed', description: 'Failed to create backup' },
  started: (files: number, size: string): Notice => ({
    title: 'Backup started',
    description: `${counted(files, 'file')}, ${size}. Your browser is saving it; store it away from the server.`,
  }),
  gone: 'This backup is no longer available. Start a new one.',
  historyFailed: 'Failed to load the backup history',
  none: 'No backup has been made yet',
  never: 'There is no complete backup yet. Make one today, and store it away from the server.',
  overdue: (days: number) =>
    `The last complete backup is ${days} days old. Make a new one, and store it away from the server.`,
  secretsSealed:
    'Backups are encrypted with the server’s BACKUP_PASSPHRASE, and include its secrets. Store that passphrase away from the backups: nobody can open them without it. A restore opens them, and so does the program age.',
  secretsLeftOut:
    'Backups are not encrypted, and the server’s secrets are not included. On another machine a restore brings back everything but the SFTP password and host key: both are new then, and the sound desk needs them. To encrypt everything and include them, set BACKUP_PASSPHRASE on the server.',
  /** Files that the database names and the disk does not hold. */
  gaps: (missing: readonly string[]) =>
    `${counted(missing.length, 'file')} of the library ${missing.length === 1 ? 'is' : 'are'} not in this backup, as the disk does not hold ${missing.length === 1 ? 'it' : 'them'}: ${someOf(missing)}.`,
  /** Files whose bytes have changed since they were stored. */
  damaged: (names: readonly string[]) =>
    `${counted(names.length, 'file')} in this backup ${names.length === 1 ? 'is' : 'are'} damaged, as on the disk: ${someOf(names)}. An older backup may hold ${names.length === 1 ? 'it' : 'them'} whole.`,
  databaseTooLarge: (limit: string, table: string, size: string) =>
    `The rows of the database are more than the ${limit} that a restore accepts; the table ${table} alone has ${size}. Remove rows from it that are no longer needed, then start a new backup.`,
  refusedRow: (row: string) =>
    `A restore would refuse this backup for one row: ${row}. Correct it, then make a new backup.`,
  mailSubject: (church: string) => `The backup of ${church} needs a look`,
  mailFailed: (sentence: string) => `a regular backup failed: ${sentence}`,
  mailAdvice:
    'Administration, Backup has the history; Administration, System Info says which recordings to send again.',
  noRoom: (needed: string, free: string) =>
    `The folder for backups has ${free} left, and ${needed} are needed. Free space there, or choose another folder.`,
} as const

const someOf = (names: readonly string[]) => `${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}`
