import { copies } from '@fellowship/schema/copies/copies.contract'
import type { Context } from '../../context.ts'
import { serve, type App } from '../../http/serve.ts'
import { changeCopies, copyStatus, retryCopies } from './copies.ts'
import { soundNotes, trimTeaching, untrimTeaching } from './trimming.ts'

export function mountCopies(app: App, context: Context): void {
  serve(app, context, copies.status, () => copyStatus(context))
  serve(app, context, copies.change, ({ body, actor }) => {
    const { paused, inBackups } = body
    const wanted = { ...(paused !== undefined && { paused }), ...(inBackups !== undefined && { inBackups }) }
    return changeCopies(context, wanted, actor)
  })
  serve(app, context, copies.retry, ({ actor }) => retryCopies(context, actor))
  serve(app, context, copies.sounds, () => soundNotes(context))
  serve(app, context, copies.trim, ({ params, body, actor }) => trimTeaching(context, params.id, body, actor))
  serve(app, context, copies.untrim, ({ params, body, actor }) =>
    untrimTeaching(context, params.id, body, actor),
  )
}
