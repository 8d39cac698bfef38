import { series } from '@fellowship/schema/series/series.contract'
import type { Context } from '../../context.ts'
import { serve, type App } from '../../http/serve.ts'
import {
  createSeries,
  editSeries,
  listBinnedSeries,
  listSeries,
  mutationKey,
  removeSeries,
  restoreSeries,
} from './series.ts'

export function mountSeries(app: App, context: Context): void {
  serve(app, context, series.list, () => listSeries(context))

  serve(app, context, series.create, ({ body, actor, http }) => {
    const content = ['create series', body.uid, body.title, body.description, body.teachings]
    const key = mutationKey(http.req.header('idempotency-key'), actor.id, content)
    return createSeries(context, body, { actor, key })
  })

  serve(app, context, series.update, ({ params: { uid }, body, actor, http }) => {
    const content = ['edit series', uid, body.baseRev, body.title, body.description, body.teachings]
    const key = mutationKey(http.req.header('idempotency-key'), actor.id, content)
    return editSeries(context, uid, body, { actor, key })
  })

  serve(app, context, series.remove, async ({ params: { uid }, query: { baseRev }, actor, http }) => {
    const key = mutationKey(http.req.header('idempotency-key'), actor.id, ['delete series', uid, baseRev])
    const { rev } = await removeSeries(context, uid, baseRev, { actor, key })
    return { success: true as const, rev }
  })

  serve(app, context, series.bin, () => listBinnedSeries(context))
  serve(app, context, series.restore, ({ params, actor }) => restoreSeries(context, params.uid, actor))
}
