import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Problem } from '@fellowship/schema/problem'
import type { Context } from '../../context.ts'
import { rawRoute, type RawRoute } from '../../http/deliver.ts'
import { securityHeaders } from '../../http/security-headers.ts'
import { recordingsWaiting } from '../../machine/audio/audio-reader.ts'
import type { Metrics } from '../../machine/metrics.ts'
import { openSshSessions } from '../../machine/ssh/ssh-gate.ts'
import { listInbox } from '../inbox/inbox.ts'
import { pushCounts, pushState } from '../push/push.ts'
import { sftpStatus } from '../sftp/sftp.ts'
import { healthRow, openUploads, poolRow, recordingRow } from './system.sql.ts'

/** `/metrics` for Prometheus, with METRICS_TOKEN; without that setting there is none. */
export function metricsRoute(context: Context, metrics: Metrics): RawRoute {
  const headers = securityHeaders(context.config)
  return rawRoute(context, {
    matches: (_, pathname) => pathname === '/metrics',
    failureHeaders: headers,
    failureBody: 'text',
    async send(request, response) {
      if (!mayRead(request, context.config.metricsToken)) {
        throw new Problem('not_found', 'There is nothing at this address.')
      }
      await readState(context, metrics).catch((error: unknown) =>
        context.log.warn({ err: error }, 'a part of the metrics could not be read'),
      )
      response.writeHead(200, { ...headers, 'content-type': metrics.type, 'cache-control': 'no-store' })
      response.end(await metrics.print())
    },
  })
}

/** The address of a connection proves nothing: a proxy on this machine, unconfigured, looks like Prometheus. */
const mayRead = ({ headers }: IncomingMessage, token: string | undefined): boolean =>
  token !== undefined && isSame(headers.authorization ?? '', `Bearer ${token}`)

/** In constant time, so that the duration does not reveal a partial match. */
function isSame(one: string, other: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(one), hash(other))
}

async function readState(context: Context, metrics: Metrics): Promise<void> {
  const { sql, storage, passwords } = context
  metrics.set('storage_free_bytes', 'Room for recordings; 0 is a full disk.', await storage.freeBytes())
  metrics.set('storage_total_bytes', 'Size of the disk that recordings are on.', await storage.totalBytes())
  metrics.set('passwords_waiting', 'Passwords that wait to be hashed.', passwords.waiting())
  metrics.set('recordings_waiting', 'Recordings that wait to be read after an upload.', recordingsWaiting())
  const { active, idle } = await poolRow(sql)
  metrics.set('database_connections_active', 'Connections of this product that run a query.', active)
  metrics.set('database_connections_idle', 'Connections of this product that wait.', idle)
  const open = await openUploads(sql)
  metrics.set('uploads_open', 'Uploads that have begun and are not published.', open.count)
  metrics.set('uploads_open_bytes', 'The bytes these uploads will have.', open.bytes)
  const { faulty, withoutCopy } = await recordingRow(sql)
  metrics.set('recordings_faulty', 'Recordings whose file is damaged or missing.', faulty)
  metrics.set('copies_waiting', 'Recordings that wait for a small copy.', withoutCopy)
  const { devices, waiting } = await pushState(context)
  metrics.set('push_devices', 'Devices that asked to be told of new teachings.', devices)
  metrics.set('push_waiting', 'Notifications that wait to be sent.', waiting)
  metrics.set('push_sent', 'Notifications sent by this process since its start.', pushCounts().sent)
  metrics.set('push_failed', 'Notifications that this process gave up since its start.', pushCounts().failed)
  await readAges(context, metrics)
}

async function readAges(context: Context, metrics: Metrics): Promise<void> {
  const { sql, clock } = context
  const now = clock.now()
  const secondsSince = (then: Date) => (now.getTime() - then.getTime()) / 1000
  const { lastBackup, lastDaily } = await healthRow(sql, now)
  if (lastBackup)
    metrics.set('backup_age_seconds', 'Since the last complete backup was taken.', secondsSince(lastBackup))
  if (lastDaily)
    metrics.set(
      'database_file_age_seconds',
      'Since the last daily file of the database.',
      secondsSince(lastDaily),
    )
  const inbox = (await listInbox(context)).map(({ arrivedAt }) => secondsSince(new Date(arrivedAt)))
  metrics.set('inbox_files', 'Files that wait for a name in the Inbox.', inbox.length)
  metrics.set('inbox_oldest_seconds', 'How long the oldest of them has waited.', Math.max(0, ...inbox))
  const { running, currentUpload } = await sftpStatus(context)
  metrics.set('sftp_open', '1 while the sound desk can send.', running ? 1 : 0)
  metrics.set('sftp_sessions', 'Clients that are signed in by SFTP.', openSshSessions())
  metrics.set('sftp_receiving', '1 while a file arrives from the sound desk.', currentUpload ? 1 : 0)
}
