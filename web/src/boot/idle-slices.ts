/** So long may one go on before whatever else waits has its turn, in milliseconds. */
const sliceMs = 8

/**
 * Does long work step by step while the browser has nothing better to do; every two seconds one slice of it at the
 * latest. Returns the way to call it off; who calls it off may go on with the same steps later.
 */
export function inIdleTime<Result>(
  steps: Generator<undefined, Result>,
  onDone: (result: Result) => void,
): () => void {
  // Safari has no idle callback.
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
 * Does long work that somebody waits for, in slices between which the page answers. Returns the way to call it off.
 *
 * @param pauseMs from the end of a slice to the next one
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
  ask: (work: (ms: number) => void) => () => void,
): () => void {
  const work = (ms: number) => {
    const until = performance.now() + ms
    do {
      const { done, value } = steps.next()
      if (done) return onDone(value)
    } while (performance.now() < until)
    callOff = ask(work)
  }
  let callOff = ask(work)
  return () => callOff()
}
