import { streamSSE } from 'hono/streaming'
import { sync } from '@fellowship/schema/sync/sync.contract'
import {
  clientSchema,
  eventStreams,
  minClientSchema,
  pageReads,
  placesSchema,
} from '@fellowship/schema/sync/sync.limits'
import { Problem } from '@fellowship/schema/problem'
import { encodeCursor, pageTag } from '@fellowship/sync/protocol/cursor'
import type { Context } from '../../context.ts'
import { callerAddress } from '../../http/caller.ts'
import { eventLoopTurns } from '../../http/event-loop-turns.ts'
import { concurrencyLimiter, memoryLimiter } from '../../http/limiter.ts'
import { serve, type App } from '../../http/serve.ts'
import type { Metrics } from '../../machine/metrics.ts'
import { readClock, syncPages } from './sync.ts'

export function mountSync(app: App, context: Context, metrics: Metrics): void {
  const page = syncPages(context, (seconds) => metrics.syncLag(seconds))
  const reads = memoryLimiter(context.clock, pageReads)
  const ownTurn = eventLoopTurns()
  const streams = concurrencyLimiter(
    eventStreams,
    () =>
      new Problem('rate_limited', 'Too many connections are open. Ask for changes now and then instead.', {
        retryAfter: 60,
      }),
  )

  serve(app, context, sync.pull, async ({ query, http }) => {
    if (query.schema !== undefined && query.schema < minClientSchema) {
      throw new Problem('upgrade_required', undefined, { minClientSchema })
    }
    const at = await readClock(context.sql)
    const etag = pageTag(encodeCursor(at), query.since, query.schema ?? clientSchema)
    const headers = { etag, 'cache-control': 'private, no-cache', vary: 'accept-encoding, cookie' }
    if (http.req.header('if-none-match') === etag) return http.body(null, 304, headers)
    const request = { ...query, places: (query.schema ?? 0) >= placesSchema }
    const { body, encoding } = await page(request, at, http.req.header('accept-encoding'), () =>
      reads.take(callerAddress(http, context)),
    )
    if (body.length > largeBody) await ownTurn()
    return http.body(body as Uint8Array<ArrayBuffer>, 200, {
      ...headers,
      'content-type': 'application/json; charset=utf-8',
      ...(encoding && { 'content-encoding': encoding }),
    })
  })

  // An event is only a hint of a change; devices then pull, which is safe to repeat.
  serve(app, context, sync.events, ({ http, actor }) => {
    http.header('x-accel-buffering', 'no')
    // Hono answers HEAD with the GET handler and drops its body: the stream would never end.
    if (http.req.method === 'HEAD') return http.body(null, 200, { 'content-type': 'text/event-stream' })
    const leave = streams.enter(callerAddress(http, context))
    return streamSSE(http, async (stream) => {
      const ended = new Promise<void>((resolve) => stream.onAbort(resolve))
      const stop = context.changes.listen(() => void stream.writeSSE({ event: 'changed', data: '' }))
      const stopHints = actor
        ? context.changes.onHint(actor.id, (sender) => {
            void stream.writeSSE({ event: 'listening', data: sender })
          })
        : undefined
      const heartbeat = setInterval(() => void stream.write(': still here\n\n'), heartbeatMs)
      // If the caller has disconnected already, the slot is released all the same.
      await stream.write('retry: 15000\n\n').catch(() => undefined)
      await Promise.race([ended, context.lifecycle.ended])
      clearInterval(heartbeat)
      stop()
      stopHints?.()
      leave()
    })
  })
}

/** From this size in bytes, writing a body takes so long that many in a row would delay other requests. */
const largeBody = 100_000

/** Common proxies close a connection that is idle for a minute. */
const heartbeatMs = 25_000
