import { deferUntilInteraction } from './first-interaction.ts'

/**
 * Runs `work` when the browser is idle, after two seconds at the latest; on a first visit not before the first
 * interaction. Returns the way to cancel it.
 */
export function whenIdle(work: () => void): () => void {
  const interaction = deferUntilInteraction()
  if (!interaction) return whenNextIdle(work)
  let cancel: (() => void) | undefined
  let isCancelled = false
  void interaction.then(() => {
    if (!isCancelled) cancel = whenNextIdle(work)
  })
  return () => {
    isCancelled = true
    cancel?.()
  }
}

/** Runs `work` when the browser is idle, after two seconds at the latest. Returns the way to cancel it. */
export function whenNextIdle(work: () => void): () => void {
  // Safari has no requestIdleCallback; by a second later the first render is over.
  if (typeof requestIdleCallback === 'undefined') {
    const timer = setTimeout(work, 1_000)
    return () => clearTimeout(timer)
  }
  const request = requestIdleCallback(work, { timeout: 2_000 })
  return () => cancelIdleCallback(request)
}
