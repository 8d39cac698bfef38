import { notices } from '@fellowship/schema/notices/notices.contract'
import type { Context } from '../../context.ts'
import { keptByRevision } from '../../db/kept-by-revision.ts'
import { keptJson, keptRoute, type RawRoute } from '../../http/deliver.ts'
import type { App } from '../../http/serve.ts'
import { mountWritten } from '../../http/written-routes.ts'
import { noticeRows } from './notices.ts'

/** Mounts the calls; returns the route of the list. */
export function mountNotices(app: App, context: Context): RawRoute {
  mountWritten(app, context, notices, noticeRows)
  const list = keptByRevision(context, async () => keptJson(await noticeRows.live(context.sql)))
  return keptRoute(context, notices.list, list)
}
