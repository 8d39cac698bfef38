import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { inIdleTime, inSlices } from './idle-slices.ts'

let clock = 0
let finished: number[] = []

beforeEach(() => {
  clock = 0
  finished = []
  vi.spyOn(performance, 'now').mockImplementation(() => clock)
})

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

/** `count` steps of 3 ms each. */
function* steps(count: number): Generator<undefined, string> {
  for (let at = 0; at < count; at += 1) {
    clock += 3
    finished.push(at)
    yield
  }
  return 'all of it'
}

const task = () => new Promise<void>((resolve) => setTimeout(resolve))

describe('inSlices', () => {
  test('runs in slices with other tasks in between', async () => {
    const seen: number[] = []
    const done = new Promise((resolve) => inSlices(steps(7), resolve))
    const look = () => {
      seen.push(finished.length)
      if (finished.length < 7) setTimeout(look)
    }
    setTimeout(look)
    expect(finished).toEqual([])
    expect(await done).toBe('all of it')
    // A slice has room for three steps of 3 ms.
    expect(seen.slice(0, 2)).toEqual([3, 6])
  })

  test('stops when cancelled, and continues the same steps later', async () => {
    const work = steps(5)
    const onDone = vi.fn()
    const cancel = inSlices(work, onDone)
    await task()
    cancel()
    await task()
    await task()
    expect(finished).toEqual([0, 1, 2])
    expect(onDone).not.toHaveBeenCalled()
    expect(await new Promise((resolve) => inSlices(work, resolve))).toBe('all of it')
    expect(finished).toEqual([0, 1, 2, 3, 4])
  })
})

describe('inIdleTime', () => {
  /** A browser whose idle time the test controls. */
  function idleBrowser() {
    const requests = new Map<number, IdleRequestCallback>()
    let last = 0
    vi.stubGlobal(
      'requestIdleCallback',
      (work: IdleRequestCallback) => requests.set((last += 1), work) && last,
    )
    vi.stubGlobal('cancelIdleCallback', (request: number) => requests.delete(request))
    return {
      requests,
      idle(ms: number, didTimeout = false) {
        const due = [...requests.values()]
        requests.clear()
        for (const work of due) work({ didTimeout, timeRemaining: () => ms })
      },
    }
  }

  test('uses at most the idle time left and one slice', () => {
    const browser = idleBrowser()
    const onDone = vi.fn()
    inIdleTime(steps(8), onDone)
    expect(finished).toHaveLength(0)
    browser.idle(4)
    expect(finished).toHaveLength(2)
    browser.idle(50)
    expect(finished).toHaveLength(5)
    // If the browser is never idle, one slice runs after the timeout.
    browser.idle(0, true)
    expect(finished).toHaveLength(8)
    browser.idle(1)
    expect(onDone).toHaveBeenCalledExactlyOnceWith('all of it')
    expect(browser.requests.size).toBe(0)
  })

  test('leaves no idle request when cancelled', () => {
    const browser = idleBrowser()
    const cancel = inIdleTime(steps(8), () => undefined)
    browser.idle(1)
    cancel()
    expect(browser.requests.size).toBe(0)
  })

  test('finishes without requestIdleCallback', async () => {
    expect(await new Promise((resolve) => inIdleTime(steps(4), resolve))).toBe('all of it')
  })
})
