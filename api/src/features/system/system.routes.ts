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

  // Made for the first who asks: it would be a twentieth of every start.
  let description: ReturnType<typeof openApi> | undefined
  serve(app, context, system.openapi, () => (description ??= openApi(contract)))
}
