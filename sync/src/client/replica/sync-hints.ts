import { sync } from '@fellowship/schema/sync/sync.contract'
import { appDatabase } from '../database/app-database.ts'
import { withLeaderLock } from '../engine/leader.ts'

/**
 * Calls back when the server says that something changed. The leader tab alone holds the event stream; the others see
 * the change in the database that all share.
 *
 * @returns the function that ends it
 */
export function listenForHints(then: () => void): () => void {
  return withLeaderLock('sync-hints', appDatabase(), (over) => holdEventStream(then, over))
}

/** Resolves when the signal ends it. */
function holdEventStream(then: () => void, over: AbortSignal): Promise<void> {
  return new Promise<void>((resolve) => {
    let source: EventSource
    let retry: ReturnType<typeof setTimeout> | undefined
    let isBroken = false
    const askAndConnect = () => {
      then()
      connect()
    }
    const connect = () => {
      source = new EventSource(sync.events.path)
      source.addEventListener('changed', then)
      source.addEventListener('open', () => {
        // Nothing told of what changed while the stream was broken.
        if (isBroken) then()
        isBroken = false
      })
      source.addEventListener('error', () => {
        // The network may be gone: the pull finds out, and the screen says so.
        if (!isBroken) then()
        isBroken = true
        // The browser reconnects by itself, but not after an answer such as 502 or 429: asking takes the stream's place.
        if (source.readyState === EventSource.CLOSED) retry = setTimeout(askAndConnect, reconnectMs)
      })
    }
    connect()
    over.addEventListener('abort', () => {
      clearTimeout(retry)
      source.close()
      resolve()
    })
  })
}

const reconnectMs = 30_000
