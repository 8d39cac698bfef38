import { elders } from '@fellowship/schema/elders/elders.contract'
import type { Context } from '../../context.ts'
import { keptByRevision } from '../../db/kept-by-revision.ts'
import { type RawRoute, keptJson, keptRoute } from '../../http/deliver.ts'
import { serve, serveUpload, type App } from '../../http/serve.ts'
import { receivePicture } from '../pictures/pictures.ts'
import { changeElder, changePhoto, createElder, listElders, removeElder } from './elders.ts'

/** Mounts the calls; returns the route of the list. */
export function mountElders(app: App, context: Context): RawRoute {
  serve(app, context, elders.create, ({ body, actor }) => createElder(context, body, actor))
  serve(app, context, elders.update, ({ params, body, actor }) =>
    changeElder(context, params.id, body, actor),
  )
  serve(app, context, elders.remove, async ({ params, actor }) => {
    await removeElder(context, params.id, actor)
    return { success: true as const }
  })

  serveUpload(app, context, elders.photo, ({ http, params, actor, checkCsrfField }) =>
    receivePicture(context, { http, part: 'photo', checkCsrfField }, async (photo) => ({
      elder: await changePhoto(context, params.id, photo, actor),
    })),
  )

  const list = keptByRevision(context, async () => keptJson(await listElders(context)))
  return keptRoute(context, elders.list, list)
}
