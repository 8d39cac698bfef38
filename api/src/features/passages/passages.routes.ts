import { passages } from '@fellowship/schema/passages/passages.contract'
import type { Context } from '../../context.ts'
import { serve, type App } from '../../http/serve.ts'
import { listPassages } from './passages.ts'

export function mountPassages(app: App, context: Context): void {
  serve(app, context, passages.list, () => listPassages(context))
}
