/** Does work once the browser has nothing better to do, two seconds from now at the latest; returns the way to call it off. */
export function whenIdle(work: () => void): () => void {
  // Safari has no idle callback; a second after the page is drawn is quiet enough there.
  if (typeof requestIdleCallback === 'undefined') {
    const timer = setTimeout(work, 1_000)
    return () => clearTimeout(timer)
  }
  const request = requestIdleCallback(work, { timeout: 2_000 })
  return () => cancelIdleCallback(request)
}
