import { processes } from '@fellowship/schema/processes/processes.contract'
import type { Context } from '../../context.ts'
import { serve, type App } from '../../http/serve.ts'
import { listProcesses } from './processes.ts'

export function mountProcesses(app: App, context: Context): void {
  serve(app, context, processes.list, () => listProcesses(context))
}
