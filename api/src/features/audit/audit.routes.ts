import { audit } from '@fellowship/schema/audit/audit.contract'
import type { Context } from '../../context.ts'
import { serve, type App } from '../../http/serve.ts'
import { readAudit } from './audit.ts'

export function mountAudit(app: App, context: Context): void {
  serve(app, context, audit.list, ({ query }) => readAudit(context, query))
}
