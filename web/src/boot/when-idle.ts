import { deferUntilInteraction } from './first-interaction.ts'

/**
 * Does work once the browser has nothing better to do, two seconds from now at the latest, but on a first page not
 * before it was read; returns the way to call it off.
 */
export function whenIdle(work: () => void): () => void {
  const reading = deferUntilInteraction()
  if (!reading) return soon(work)
  let callOff: (() => void) | undefined
  let isOff = false
  void reading.then(() => {
    if (!isOff) callOff = soon(work)
  })
  return () => {
    isOff = true
    callOff?.()
  }
}

function soon(work: () => void): () => void {
  // Safari has no idle callback; a second after the page is drawn is quiet enough there.
  if (typeof requestIdleCallback === 'undefined') {
    const timer = setTimeout(work, 1_000)
    return () => clearTimeout(timer)
  }
  const request = requestIdleCallback(work, { timeout: 2_000 })
  return () => cancelIdleCallback(request)
}
