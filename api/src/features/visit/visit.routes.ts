import { visit } from '@fellowship/schema/visit/visit.contract'
import type { Context } from '../../context.ts'
import { serve, type App } from '../../http/serve.ts'
import { changeVisit, visitDetails } from './visit.ts'

export function mountVisit(app: App, context: Context): void {
  serve(app, context, visit.details, () => visitDetails(context))
  serve(app, context, visit.update, ({ body, actor }) => changeVisit(context, body, actor))
}
