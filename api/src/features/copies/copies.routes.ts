import { copies } from '@fellowship/schema/copies/copies.contract'
import type { Context } from '../../context.ts'
import { serve, type App } from '../../http/serve.ts'
import { copyStatus, pauseCopies, retryCopies } from './copies.ts'

export function mountCopies(app: App, context: Context): void {
  serve(app, context, copies.status, () => copyStatus(context))
  serve(app, context, copies.change, ({ body, actor }) =>
    pauseCopies(context, { paused: body.paused, actor }),
  )
  serve(app, context, copies.retry, () => retryCopies(context))
}
