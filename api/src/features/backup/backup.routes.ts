import type { ServerResponse } from 'node:http'
import { finished } from 'node:stream/promises'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { backup } from '@fellowship/schema/backup/backup.contract'
import { Problem } from '@fellowship/schema/problem'
import { contentDisposition } from '@fellowship/schema/teachings/download-name'
import { planRange } from '@fellowship/sync/protocol/byte-range'
import type { Context } from '../../context.ts'
import { securityHeaders } from '../../http/security-headers.ts'
import { serve, type App, type Http } from '../../http/serve.ts'
import { backupHistory, backups, writeBackup, type BackupPlan, type Backups } from './backup.ts'

export function mountBackup(app: App, context: Context): void {
  const known = backups(context)

  serve(app, context, backup.prepare, async ({ actor }) => {
    const { id, fileName, bytes, files, missing } = await known.begin(actor)
    return { id, fileName, bytes, files, missing: [...missing] }
  })

  serve(app, context, backup.createManual, async ({ query, actor, http }) => {
    // Hono answers HEAD with the GET handler, which would record a backup as complete that was never downloaded.
    if (http.req.method === 'HEAD') {
      http.header('allow', 'GET')
      throw new Problem('method_not_allowed')
    }
    const id = query.id ?? resumedId(http)
    // If If-Range names a forgotten plan, a new backup starts from its first byte (RFC 9110 13.1.5).
    const plan =
      query.id === undefined ? (findPlan(known, id) ?? (await known.begin(actor))) : known.find(query.id)
    await send(context, known, http, plan, { named: query.id !== undefined })
    return RESPONSE_ALREADY_SENT
  })

  serve(app, context, backup.history, () => backupHistory(context))
}

/** The backup that the caller resumes, by the entity tag in If-Range. */
const resumedId = (http: Http) => /^"backup-([0-9a-f-]{36})"$/.exec(http.req.header('if-range') ?? '')?.[1]

function findPlan(known: Backups, id: string | undefined): BackupPlan | undefined {
  try {
    return id === undefined ? undefined : known.find(id)
  } catch {
    return undefined
  }
}

/** Writes to the raw Node response: a web stream would cost more per chunk than reading it. */
async function send(
  context: Context,
  known: Backups,
  http: Http,
  plan: BackupPlan,
  { named }: { named: boolean },
): Promise<void> {
  const { bytes, fileName, id } = plan
  const tag = `"backup-${id}"`
  const condition = http.req.header('if-range')
  // If the caller did not name the plan, a range of it could be the rest of a file that the caller does not have.
  const isSame = condition === undefined ? named : condition === tag
  const range = planRange(isSame ? http.req.header('range') : undefined, bytes)
  const response = http.env.outgoing as ServerResponse
  const common = {
    ...securityHeaders(context.config),
    ...Object.fromEntries(http.res.headers),
    'accept-ranges': 'bytes',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    etag: tag,
  }
  if (range.status === 416) {
    response.writeHead(416, { ...common, 'content-range': `bytes */${bytes}`, 'content-length': 0 })
    response.end()
    return
  }
  const { start, end } = range
  response.writeHead(range.status, {
    ...common,
    'content-type': plan.sealed ? 'application/octet-stream' : 'application/zip',
    'content-disposition': contentDisposition(fileName),
    'content-length': end - start + 1,
    ...(range.status === 206 && { 'content-range': `bytes ${start}-${end}/${bytes}` }),
  })
  const { socket } = response
  const before = socket?.bytesWritten ?? 0
  try {
    await writeBackup(plan, response, { start, end })
    // A cut between the last bytes and the end fails it.
    await finished(response.end())
    await known.sent(plan, { start, end })
  } catch (error) {
    // If this process cuts connections off as it ends, the response is destroyed a moment later.
    const isDisconnected = response.destroyed || response.socket?.destroyed === true
    response.destroy()
    if (!isDisconnected) context.log.error({ err: error, id }, 'a backup download failed')
    // An upper bound: if the caller received less, it resumes there.
    const written = Math.max(0, (socket?.bytesWritten ?? 0) - before)
    await known.brokeOff(
      plan,
      { start, end: Math.min(end, start + written - 1) },
      isDisconnected ? 'interrupted' : 'failed',
      isDisconnected ? undefined : (error as Error).message,
    )
  }
}
