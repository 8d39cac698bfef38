/** So long may one go on where the browser does not say how long it has nothing else to do, in milliseconds. */
const sliceMs = 8

/**
 * Does long work step by step while the browser has nothing better to do; every two seconds one slice of it at the
 * latest. Returns the way to call it off.
 */
export function inIdleTime<Result>(
  steps: Generator<undefined, Result>,
  onDone: (result: Result) => void,
): () => void {
  let callOff = ask()
  return () => callOff()

  function ask(): () => void {
    // Safari has no idle callback: there a slice, a pause for whatever waits, the next slice.
    if (typeof requestIdleCallback === 'undefined') {
      const timer = setTimeout(() => work(Infinity, false), sliceMs)
      return () => clearTimeout(timer)
    }
    const request = requestIdleCallback((idle) => work(idle.timeRemaining(), idle.didTimeout), {
      timeout: 2_000,
    })
    return () => cancelIdleCallback(request)
  }

  function work(idleMs: number, late: boolean): void {
    const until = performance.now() + Math.min(sliceMs, late ? sliceMs : idleMs)
    do {
      const { done, value } = steps.next()
      if (done) return onDone(value)
    } while (performance.now() < until)
    callOff = ask()
  }
}
