import { series } from '@fellowship/schema/series/series.contract'
import { seriesRate } from '@fellowship/schema/series/series.limits'
import type { Context } from '../../context.ts'
import { keptByRevision } from '../../db/kept-by-revision.ts'
import { type RawRoute, keptJson, keptRoute } from '../../http/deliver.ts'
import { memoryLimiter } from '../../http/limiter.ts'
import { serve, serveUpload, type App } from '../../http/serve.ts'
import { receivePicture } from '../pictures/pictures.ts'
import {
  changePicture,
  createSeries,
  editSeries,
  listBinnedSeries,
  listSeries,
  mutationKey,
  removePicture,
  removeSeries,
  restoreSeries,
} from './series.ts'

/** Mounts the calls; returns the route of the list. */
export function mountSeries(app: App, context: Context): RawRoute {
  const changes = memoryLimiter(context.clock, seriesRate)

  serve(app, context, series.create, ({ body, actor, http }) => {
    changes.take(String(actor.id))
    const content = ['create series', body.uid, body.title, body.description, body.teachings]
    const key = mutationKey(http.req.header('idempotency-key'), actor.id, content)
    return createSeries(context, body, { actor, key })
  })

  serve(app, context, series.update, ({ params: { uid }, body, actor, http }) => {
    changes.take(String(actor.id))
    const content = ['edit series', uid, body.baseRev, body.title, body.description, body.teachings]
    const key = mutationKey(http.req.header('idempotency-key'), actor.id, content)
    return editSeries(context, uid, body, { actor, key })
  })

  serve(app, context, series.remove, async ({ params: { uid }, query: { baseRev }, actor, http }) => {
    changes.take(String(actor.id))
    const key = mutationKey(http.req.header('idempotency-key'), actor.id, ['delete series', uid, baseRev])
    const { rev } = await removeSeries(context, uid, baseRev, { actor, key })
    return { success: true as const, rev }
  })

  serveUpload(app, context, series.picture, ({ http, params: { uid }, actor, checkCsrfField }) =>
    receivePicture(context, { http, part: 'picture', checkCsrfField }, (picture) =>
      changePicture(context, uid, picture, actor),
    ),
  )
  serve(app, context, series.removePicture, ({ params: { uid }, actor }) =>
    removePicture(context, uid, actor),
  )

  serve(app, context, series.undoRemove, ({ params, actor }) =>
    restoreSeries(context, params.uid, actor, { own: true }),
  )
  serve(app, context, series.bin, () => listBinnedSeries(context))
  serve(app, context, series.restore, ({ params, actor }) => restoreSeries(context, params.uid, actor))

  const list = keptByRevision(context, async () => keptJson(await listSeries(context)))
  return keptRoute(context, series.list, list)
}
