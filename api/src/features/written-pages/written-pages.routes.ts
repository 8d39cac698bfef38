import { pages } from '@fellowship/schema/written-pages/written-pages.contract'
import type { Context } from '../../context.ts'
import { serve, serveUpload, type App } from '../../http/serve.ts'
import { mountWritten } from '../../http/written-routes.ts'
import { receivePicture } from '../pictures/pictures.ts'
import { changePagePicture, pageRows, publicPages } from './written-pages.ts'

export function mountWrittenPages(app: App, context: Context): void {
  serve(app, context, pages.list, ({ actor }) =>
    actor?.role === 'admin' ? pageRows.live(context.sql) : publicPages(context.sql),
  )
  mountWritten(app, context, pages, pageRows)
  serveUpload(app, context, pages.picture, ({ http, params: { id }, actor, checkCsrfField }) =>
    receivePicture(context, { http, part: 'picture', checkCsrfField }, (picture) =>
      changePagePicture(context, id, picture, actor),
    ),
  )
  serve(app, context, pages.removePicture, ({ params: { id }, actor }) =>
    changePagePicture(context, id, null, actor),
  )
}
