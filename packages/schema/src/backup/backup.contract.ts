import { z } from 'zod'
import { endpoint } from '../endpoint.ts'

/** One line of the history. Times are ISO 8601. */
const backupLine = z.object({
  id: z.uuid(),
  kind: z.enum(['manual', 'weekly', 'daily']),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
  actor: z.string(),
  fileName: z.string(),
  bytes: z.int(),
  files: z.int(),
  result: z.enum(['running', 'complete', 'interrupted', 'failed']),
  sentence: z.string().nullable(),
})
export type BackupLine = z.infer<typeof backupLine>

const preparedBackup = z.object({
  id: z.uuid(),
  fileName: z.string(),
  bytes: z.int(),
  files: z.int(),
  /** Recordings and photos whose file is missing: the backup leaves them out. */
  missing: z.array(z.string()),
})
export type PreparedBackup = z.infer<typeof preparedBackup>

export const backup = {
  createManual: endpoint({
    method: 'GET',
    path: '/api/backup/create-manual',
    access: 'admin',
    changes: true,
    summary:
      'A ZIP of everything, encrypted in the format of age where a passphrase is set, with a known length; an interrupted download resumes by Range with If-Range, or with the id.',
    query: z.object({ id: z.uuid().optional() }),
    answer: z.unknown(),
  }),
  prepare: endpoint({
    method: 'POST',
    path: '/api/backup/prepare',
    access: 'admin',
    changes: true,
    summary: 'Freezes what a backup will hold, so that its size is known before it is downloaded by its id.',
    answer: preparedBackup,
  }),
  history: endpoint({
    method: 'GET',
    path: '/api/backup/history',
    access: 'admin',
    changes: false,
    summary: 'Backups newest first, the age of the last complete one, and the weekly one.',
    answer: z.object({
      backups: z.array(backupLine),
      lastCompleteAt: z.iso.datetime().nullable(),
      /** Full days since then. */
      ageDays: z.int().nullable(),
      overdue: z.boolean(),
      /** Whether backups are encrypted, and include APP_SECRET, the SFTP host key and authorized_keys. */
      secretsSealed: z.boolean(),
      weekly: z.object({
        /** Null if none is set up. */
        folder: z.string().nullable(),
        keep: z.int(),
        nextAt: z.iso.datetime().nullable(),
      }),
      /** The rows alone, every day. */
      daily: z.object({ folder: z.string(), keep: z.int(), lastAt: z.iso.datetime().nullable() }),
    }),
  }),
}
