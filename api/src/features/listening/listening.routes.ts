import { listening } from '@fellowship/schema/listening/listening.contract'
import { listeningRate } from '@fellowship/schema/listening/listening.limits'
import { isAccepted } from '@fellowship/schema/listening/listening.schema'
import type { Context } from '../../context.ts'
import { memoryLimiter } from '../../http/limiter.ts'
import { serve, type App } from '../../http/serve.ts'
import { chooseListening, listeningSince, mergeListening } from './listening.ts'

export function mountListening(app: App, context: Context): void {
  const requests = memoryLimiter(context.clock, listeningRate)

  serve(app, context, listening.pull, ({ query, actor }) => {
    requests.take(String(actor.id))
    return listeningSince(context, actor.id, query.since)
  })

  serve(
    app,
    context,
    listening.send,
    ({ body, actor }) => {
      requests.take(String(actor.id))
      return mergeListening(context, actor.id, body)
    },
    { rate: 'own' },
  )

  serve(
    app,
    context,
    listening.push,
    async ({ body, actor }) => {
      requests.take(String(actor.id))
      const { results, held } = await mergeListening(
        context,
        actor.id,
        { sender: '', events: body.changes },
        (problem) => {
          throw problem
        },
      )
      return { rows: results.filter(isAccepted), held }
    },
    { rate: 'own' },
  )

  serve(app, context, listening.choose, ({ body, actor }) => {
    requests.take(String(actor.id))
    return chooseListening(context, actor, body)
  })
}
