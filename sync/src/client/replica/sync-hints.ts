import { sync } from '@fellowship/schema/sync/sync.contract'
import { appDatabase } from '../database/app-database.ts'
import { withLeaderLock } from '../engine/leader.ts'

/**
 * Calls back when the server hints that something changed. The leader tab alone holds the event stream; the others see
 * the change in the database that all share.
 *
 * @returns the function that ends it
 */
export function listenForHints(then: () => void): () => void {
  return withLeaderLock('sync-hints', appDatabase(), (over) => holdEventStream(then, over))
}

/**
 * Calls back when the server hints that the signed-in user's listening changed on another device: with the session of that
 * device, or without one after the stream was broken, when hints may have been lost.
 *
 * @returns the function that ends it
 */
export function onListeningHint(then: (sender?: string) => void): () => void {
  listeningHints.add(then)
  return () => listeningHints.delete(then)
}

/** Opens the event stream of this tab again, if it holds it: the server hints to the user who is signed in at that time. */
export const renewEventStream = (): void => renew?.()

const listeningHints = new Set<(sender?: string) => void>()
let renew: (() => void) | undefined

/** Resolves when the signal ends it. */
function holdEventStream(then: () => void, over: AbortSignal): Promise<void> {
  return new Promise<void>((resolve) => {
    let source: EventSource
    let retry: ReturnType<typeof setTimeout> | undefined
    let isBroken = false
    const hintListening = (sender?: string) => {
      for (const each of listeningHints) each(sender)
    }
    const askAndConnect = () => {
      then()
      connect()
    }
    const connect = () => {
      source = new EventSource(sync.events.path)
      source.addEventListener('changed', then)
      source.addEventListener('listening', ({ data }: MessageEvent<string>) => hintListening(data))
      source.addEventListener('open', () => {
        // Hints of changes meanwhile were lost.
        if (isBroken) {
          then()
          hintListening()
        }
        isBroken = false
      })
      source.addEventListener('error', () => {
        // The network may be gone: the pull finds out, and the screen shows it.
        if (!isBroken) then()
        isBroken = true
        // The browser reconnects by itself, but not after an answer such as 502 or 429: asking takes the stream's place.
        if (source.readyState === EventSource.CLOSED) retry = setTimeout(askAndConnect, reconnectMs)
      })
    }
    connect()
    renew = () => {
      clearTimeout(retry)
      source.close()
      connect()
    }
    over.addEventListener('abort', () => {
      renew = undefined
      clearTimeout(retry)
      source.close()
      resolve()
    })
  })
}

const reconnectMs = 30_000
