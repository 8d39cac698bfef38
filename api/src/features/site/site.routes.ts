import { site } from '@fellowship/schema/site/site.contract'
import type { Context } from '../../context.ts'
import { serve, serveUpload, type App } from '../../http/serve.ts'
import { receivePicture } from '../pictures/pictures.ts'
import { changeSite, changeSitePicture, readSite } from './site.ts'

export function mountSite(app: App, context: Context): void {
  serve(app, context, site.read, () => readSite(context))
  serve(app, context, site.update, ({ body, actor }) => changeSite(context, body, actor))
  serveUpload(app, context, site.logo, ({ http, actor, checkCsrfField }) =>
    receivePicture(context, { http, part: 'logo', checkCsrfField }, (logo) =>
      changeSitePicture(context, 'logo', logo, actor),
    ),
  )
  serveUpload(app, context, site.picture, ({ http, params, actor, checkCsrfField }) =>
    receivePicture(context, { http, part: 'picture', checkCsrfField }, (picture) =>
      changeSitePicture(context, params.which, picture, actor),
    ),
  )
}
