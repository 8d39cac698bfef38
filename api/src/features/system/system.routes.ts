import { contract } from '@fellowship/schema/contract'
import { system } from '@fellowship/schema/system/system.contract'
import type { Context } from '../../context.ts'
import type { RawRoute } from '../../http/deliver.ts'
import { keptJson, keptRoute } from '../../http/kept-json.ts'
import { serve, type App } from '../../http/serve.ts'
import { onceMade } from '../../machine/once-made.ts'
import { openApi } from './openapi.ts'
import { goOnSweeping, isReady, systemInfo } from './system.ts'

/** Mounts the calls; returns the route of the description. */
export function mountSystem(app: App, context: Context): RawRoute {
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
  const description = onceMade(() => keptJson(openApi(contract)))
  return keptRoute(context, system.openapi, async () => description())
}
