import { push } from '@fellowship/schema/push/push.contract'
import { newSubscriptionRate, pushRate } from '@fellowship/schema/push/push.limits'
import type { Context } from '../../context.ts'
import { callerAddress } from '../../http/caller.ts'
import { serve, type App } from '../../http/serve.ts'
import { sharedLimiter } from '../../http/limiter.ts'
import { isSubscribed, pushKeys, subscribe, unsubscribe } from './push.ts'

export function mountPush(app: App, context: Context): void {
  const limit = sharedLimiter(context, 'push', pushRate)
  const newcomers = sharedLimiter(context, 'new push', newSubscriptionRate)

  serve(app, context, push.key, async () => ({ publicKey: (await pushKeys(context)).publicKey }))

  serve(app, context, push.subscribe, async ({ http, body }) => {
    const address = callerAddress(http, context)
    await limit.take(address)
    if (!(await isSubscribed(context, body.subscription.endpoint))) await newcomers.take(address)
    await subscribe(context, body)
    return { every: body.every }
  })

  serve(app, context, push.unsubscribe, async ({ http, body }) => {
    await limit.take(callerAddress(http, context))
    await unsubscribe(context, body.endpoint)
    return { success: true as const }
  })
}
