import { bin } from '@fellowship/schema/teachings/bin.contract'
import type { Context } from '../../context.ts'
import { serve, type App } from '../../http/serve.ts'
import { listBin, restoreTeaching } from './bin.ts'

export function mountBin(app: App, context: Context): void {
  serve(app, context, bin.list, () => listBin(context))
  serve(app, context, bin.restore, ({ params, actor }) => restoreTeaching(context, params.id, actor))
}
