import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { plainLine } from '../plain-text.ts'
import { cleanUp } from './sftp.limits.ts'
import { newSftpPassword, sftpCredentials, sftpMonitor, sftpStatus } from './sftp.schema.ts'

const done = z.object({ success: z.literal(true), message: z.string() })

export const sftp = {
  status: endpoint({
    method: 'GET',
    path: '/api/sftp/status',
    access: 'admin',
    summary: 'Whether the transfer server is open, until when, and what is arriving.',
    answer: sftpStatus,
  }),
  start: endpoint({
    method: 'POST',
    path: '/api/sftp/start',
    access: 'admin',
    summary: 'Opens the transfer server for 60 minutes.',
    answer: done,
  }),
  stop: endpoint({
    method: 'POST',
    path: '/api/sftp/stop',
    access: 'admin',
    summary: 'Closes the transfer server, until the next window.',
    answer: done,
  }),
  clearUpload: endpoint({
    method: 'POST',
    path: '/api/sftp/clear-upload',
    access: 'admin',
    summary: 'Clears the record of an upload in progress. Its file stays.',
    answer: done,
  }),
  credentials: endpoint({
    method: 'GET',
    path: '/api/sftp/credentials',
    access: 'admin',
    summary: 'Account, password, address and fingerprint. That the password was shown is noted.',
    answer: sftpCredentials,
  }),
  changePassword: endpoint({
    method: 'POST',
    path: '/api/sftp/change-password',
    access: 'admin',
    summary: 'Sets another password for the upload account.',
    body: newSftpPassword,
    answer: done,
  }),
  monitor: endpoint({
    method: 'GET',
    path: '/api/sftp/monitor',
    access: 'admin',
    summary: 'Files on their way in, and addresses that are shut out.',
    answer: sftpMonitor,
  }),
  cleanup: endpoint({
    method: 'POST',
    path: '/api/sftp/cleanup',
    access: 'admin',
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
    summary: 'Lets an address connect again.',
    body: z.object({ address: plainLine('Address').min(1).max(64) }),
    answer: done,
  }),
}
