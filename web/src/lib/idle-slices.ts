/** Milliseconds of work before the browser may do something else. */
const sliceMs = 8

/**
 * Runs long work step by step while the browser is idle; one slice every two seconds at least. Returns the way to cancel
 * it; the same steps can be continued later.
 */
export function inIdleTime<Result>(
  steps: Generator<undefined, Result>,
  onDone: (result: Result) => void,
): () => void {
  // Safari has no requestIdleCallback.
  if (typeof requestIdleCallback === 'undefined') return inSlices(steps, onDone, sliceMs)
  return run(steps, onDone, (work) => {
    const request = requestIdleCallback(
      (idle) => work(Math.min(sliceMs, idle.didTimeout ? sliceMs : idle.timeRemaining())),
      { timeout: 2_000 },
    )
    return () => cancelIdleCallback(request)
  })
}

/**
 * Runs long work that the user waits for, in slices between which the page can respond. Returns the way to cancel it.
 *
 * @param pauseMs between the end of a slice and the next one
 */
export const inSlices = <Result>(
  steps: Generator<undefined, Result>,
  onDone: (result: Result) => void,
  pauseMs = 0,
): (() => void) =>
  run(steps, onDone, (work) => {
    const timer = setTimeout(() => work(sliceMs), pauseMs)
    return () => clearTimeout(timer)
  })

function run<Result>(
  steps: Generator<undefined, Result>,
  onDone: (result: Result) => void,
  schedule: (work: (ms: number) => void) => () => void,
): () => void {
  const work = (ms: number) => {
    const until = performance.now() + ms
    do {
      const { done, value } = steps.next()
      if (done) return onDone(value)
    } while (performance.now() < until)
    cancel = schedule(work)
  }
  let cancel = schedule(work)
  return () => cancel()
}
