import { contract } from '@fellowship/schema/contract'
import { system } from '@fellowship/schema/system/system.contract'
import type { Context } from '../../context.ts'
import { serve, type App } from '../../http/serve.ts'
import { openApi } from './openapi.ts'
import { goOnSweeping, isReady, systemInfo } from './system.ts'

export function mountSystem(app: App, context: Context): void {
  serve(app, context, system.live, () => ({ status: 'ok' as const }))

  serve(app, context, system.ready, async ({ http }) => {
    const status = await isReady(context)
    return status === 'ok' ? { status } : http.json({ status }, 503, { 'cache-control': 'no-store' })
  })

  serve(app, context, system.info, () => systemInfo(context))

  serve(app, context, system.goOn, async ({ actor }) => {
    await goOnSweeping(context, actor)
    return { success: true as const }
  })

  const description = openApi(contract)
  serve(app, context, system.openapi, () => description)
}
