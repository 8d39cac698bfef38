import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Problem } from '@fellowship/schema/problem'
import type { Context } from '../../context.ts'
import { rawRoute, type RawRoute } from '../../http/deliver.ts'
import { securityHeaders } from '../../http/security-headers.ts'
import type { Metrics } from '../../machine/metrics.ts'
import { listInbox } from '../inbox/inbox.ts'
import { sftpStatus } from '../sftp/sftp.ts'
import { healthRow, poolRow } from './system.sql.ts'

/** `/metrics` for Prometheus: for this machine without a proxy between, or with METRICS_TOKEN. */
export function metricsRoute(context: Context, metrics: Metrics): RawRoute {
  return rawRoute(context, {
    matches: (_, pathname) => pathname === '/metrics',
    failureHeaders: securityHeaders(context.config),
    failureBody: 'text',
    async send(request, response) {
      if (!mayRead(request, context.config.metricsToken)) {
        throw new Problem('not_found', 'There is nothing at this address.')
      }
      await readState(context, metrics).catch((error: unknown) =>
        context.log.warn({ err: error }, 'a part of the metrics could not be read'),
      )
      response.writeHead(200, { 'content-type': metrics.type, 'cache-control': 'no-store' })
      response.end(await metrics.print())
    },
  })
}

function mayRead({ socket, headers }: IncomingMessage, token: string | undefined): boolean {
  if (token !== undefined) return isSame(headers.authorization ?? '', `Bearer ${token}`)
  const isHere = /^(?:::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? '')
  return isHere && headers['x-forwarded-for'] === undefined && headers.forwarded === undefined
}

/** In a time that does not tell how much was right. */
function isSame(one: string, other: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(one), hash(other))
}

async function readState(context: Context, metrics: Metrics): Promise<void> {
  const { sql, storage, clock } = context
  const now = clock.now()
  metrics.set('storage_free_bytes', 'Room for recordings; 0 is a full disk.', await storage.freeBytes())
  const { lastBackup } = await healthRow(sql, now)
  if (lastBackup) {
    const age = (now.getTime() - lastBackup.getTime()) / 1000
    metrics.set('backup_age_seconds', 'Since the last complete backup was taken.', age)
  }
  const { active, idle } = await poolRow(sql)
  metrics.set('database_connections_active', 'Connections of this product that run a query.', active)
  metrics.set('database_connections_idle', 'Connections of this product that wait.', idle)
  metrics.set('inbox_files', 'Files that wait for a name in the Inbox.', (await listInbox(context)).length)
  const sftp = await sftpStatus(context)
  metrics.set('sftp_open', '1 while the sound desk can send.', sftp.running ? 1 : 0)
}
