import { visibleAgainMs } from '@fellowship/schema/sync/sync.limits'

/** online: the browser reports a network · visible: the page becomes visible, once a minute at most */
export type Signal = 'online' | 'visible'

const listeners = new Set<(signal: Signal) => unknown>()
let isWatching = false

/** Calls back when the network may be back, for every queue of this page; returns the way to stop listening. */
export function onSignal(listener: (signal: Signal) => unknown): () => void {
  if (!isWatching) watchPage()
  isWatching = true
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** One way to stop, of several. */
export const stopAll =
  (...stops: readonly (() => unknown)[]): (() => void) =>
  () => {
    for (const stop of stops) stop()
  }

function watchPage(): void {
  const tell = (signal: Signal) => {
    for (const listener of listeners) listener(signal)
  }
  let visibleAt = -Infinity
  window.addEventListener('online', () => tell('online'))
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState !== 'visible' || performance.now() - visibleAt < visibleAgainMs) return
    visibleAt = performance.now()
    tell('visible')
  })
}
