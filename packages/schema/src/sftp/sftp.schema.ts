import { z } from 'zod'
import { sftpAccount } from './sftp.limits.ts'
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
export const sftpStatus = z.object({
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
export const sftpCredentials = z.object({
  success: z.literal(true),
  username: z.string(),
  password: z.string(),
  host: z.string(),
  port: z.int(),
  /** SHA-256 of the host key, as clients show it at the first connection. */
  fingerprint: z.string(),
})
export type SftpCredentials = z.infer<typeof sftpCredentials>

export const newSftpPassword = z.object({
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
export const sftpMonitor = z.object({
  success: z.literal(true),
  totalFiles: z.int(),
  totalSizeFormatted: z.string(),
  lastUpdated: z.string(),
  directories: z.record(z.string(), monitoredDirectory),
  bans: z.array(addressBan),
})
export type SftpMonitor = z.infer<typeof sftpMonitor>
