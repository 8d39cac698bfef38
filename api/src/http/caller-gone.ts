import type { Http } from './hono-types.ts'

/** Aborted when the caller's connection ends before it has its answer. */
export function callerGone({ env: { outgoing } }: Http): AbortSignal {
  const gone = new AbortController()
  if (outgoing.destroyed) gone.abort()
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) gone.abort()
  })
  return gone.signal
}
