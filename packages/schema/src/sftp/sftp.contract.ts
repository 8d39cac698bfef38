import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { plainLine } from '../plain-text.ts'
import { cleanUp, sftpAccount } from './sftp.limits.ts'
import { sftpTexts as texts } from './sftp.texts.ts'

/** A file in transfer. */
const currentUpload = z.object({
  filename: z.string(),
  /** Bytes so far. */
  size: z.int(),
  /** Epoch milliseconds. */
  startTime: z.int(),
})
export type CurrentUpload = z.infer<typeof currentUpload>

/** The state of the SFTP server. */
const sftpStatus = z.object({
  success: z.literal(true),
  available: z.boolean(),
  /** The state in one sentence. */
  message: z.string(),
  running: z.boolean(),
  /** When it opens, in words. */
  schedule: z.string(),
  host: z.string(),
  port: z.int(),
  username: z.string(),
  /** SHA-256 of the host key, as clients show it at the first connection. */
  fingerprint: z.string(),
  /** When the window opens next, or has opened, ISO 8601. */
  nextWindow: z.string(),
  /** When the current session ends, ISO 8601. */
  closesAt: z.string().nullable(),
  sessionType: z.enum(['manual', 'scheduled']).nullable(),
  /** Milliseconds. */
  manualTimeoutRemaining: z.int().nullable(),
  currentUpload: currentUpload.nullable(),
})
export type SftpStatus = z.infer<typeof sftpStatus>

/** Connection settings for SFTP clients. */
const sftpCredentials = z.object({
  success: z.literal(true),
  username: z.string(),
  password: z.string(),
  host: z.string(),
  port: z.int(),
  /** SHA-256 of the host key, as clients show it at the first connection. */
  fingerprint: z.string(),
})
export type SftpCredentials = z.infer<typeof sftpCredentials>

const newSftpPassword = z.object({
  newPassword: z
    .string()
    .min(sftpAccount.passwordMinimum, { error: texts.passwordTooShort })
    .max(128, { error: texts.passwordTooLong })
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, { error: texts.passwordPlain }),
})

const monitoredFile = z.object({
  name: z.string(),
  sizeFormatted: z.string(),
  /** Minutes since it was last written. */
  age: z.number(),
  /** The reason, if known: 'Waiting for the rest (62 %)'. */
  note: z.string().nullable(),
})
export type MonitoredFile = z.infer<typeof monitoredFile>

const monitoredDirectory = z.object({
  exists: z.boolean(),
  error: z.string().nullable(),
  count: z.int(),
  sizeFormatted: z.string(),
  files: z.array(monitoredFile),
})

/** An address that is locked after too many wrong passwords. */
const addressBan = z.object({ address: z.string(), until: z.string(), tries: z.int() })

/** Files in the drop folders. */
const sftpMonitor = z.object({
  success: z.literal(true),
  totalFiles: z.int(),
  totalSizeFormatted: z.string(),
  lastUpdated: z.string(),
  directories: z.record(z.string(), monitoredDirectory),
  bans: z.array(addressBan),
})
export type SftpMonitor = z.infer<typeof sftpMonitor>

const done = z.object({ success: z.literal(true), message: z.string() })

export const sftp = {
  status: endpoint({
    method: 'GET',
    path: '/api/sftp/status',
    access: 'admin',
    changes: false,
    summary: 'Whether the transfer server is open, until when, and what is arriving.',
    answer: sftpStatus,
  }),
  start: endpoint({
    method: 'POST',
    path: '/api/sftp/start',
    access: 'admin',
    changes: true,
    summary: 'Opens the transfer server for 60 minutes.',
    answer: done,
  }),
  stop: endpoint({
    method: 'POST',
    path: '/api/sftp/stop',
    access: 'admin',
    changes: true,
    summary: 'Closes the transfer server, until the next window.',
    answer: done,
  }),
  clearUpload: endpoint({
    method: 'POST',
    path: '/api/sftp/clear-upload',
    access: 'admin',
    changes: true,
    summary: 'Clears the record of an upload in progress. Its file stays.',
    answer: done,
  }),
  credentials: endpoint({
    method: 'GET',
    path: '/api/sftp/credentials',
    access: 'admin',
    changes: true,
    summary: 'Account, password, address and fingerprint. That the password was shown is noted.',
    answer: sftpCredentials,
  }),
  changePassword: endpoint({
    method: 'POST',
    path: '/api/sftp/change-password',
    access: 'admin',
    changes: true,
    summary: 'Sets another password for the upload account.',
    body: newSftpPassword,
    answer: done,
  }),
  monitor: endpoint({
    method: 'GET',
    path: '/api/sftp/monitor',
    access: 'admin',
    changes: false,
    summary: 'Files on their way in, and addresses that are shut out.',
    answer: sftpMonitor,
  }),
  cleanup: endpoint({
    method: 'POST',
    path: '/api/sftp/cleanup',
    access: 'admin',
    changes: true,
    summary: 'Removes old files that nothing needs any more, and counts those that are kept.',
    body: z.object({
      directories: z
        .array(z.enum(cleanUp.directories))
        .min(1)
        .default([...cleanUp.directories]),
      olderThanMinutes: z.number().min(0).max(525_600).default(cleanUp.olderThanMinutes),
    }),
    answer: done.extend({ deleted: z.array(z.string()), kept: z.int(), errors: z.array(z.string()) }),
  }),
  unban: endpoint({
    method: 'POST',
    path: '/api/sftp/unban',
    access: 'admin',
    changes: true,
    summary: 'Lets an address connect again.',
    body: z.object({ address: plainLine('Address').min(1).max(64) }),
    answer: done,
  }),
}
