import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { inIdleTime, inSlices } from './idle-slices.ts'

let clock = 0
let taken: number[] = []

beforeEach(() => {
  clock = 0
  taken = []
  vi.spyOn(performance, 'now').mockImplementation(() => clock)
})

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

/** So many steps, each of 3 ms. */
function* steps(count: number): Generator<undefined, string> {
  for (let at = 0; at < count; at += 1) {
    clock += 3
    taken.push(at)
    yield
  }
  return 'all of it'
}

const task = () => new Promise<void>((resolve) => setTimeout(resolve))

describe('what somebody waits for', () => {
  it('is done in slices, and what else waits has its turn between them', async () => {
    const seen: number[] = []
    const done = new Promise((resolve) => inSlices(steps(7), resolve))
    const look = () => {
      seen.push(taken.length)
      if (taken.length < 7) setTimeout(look)
    }
    setTimeout(look)
    expect(taken).toEqual([])
    expect(await done).toBe('all of it')
    // Three steps of 3 ms are as much as goes into a slice.
    expect(seen.slice(0, 2)).toEqual([3, 6])
  })

  it('is called off, and gone on with later where it was', async () => {
    const work = steps(5)
    const told = vi.fn()
    const callOff = inSlices(work, told)
    await task()
    callOff()
    await task()
    await task()
    expect(taken).toEqual([0, 1, 2])
    expect(told).not.toHaveBeenCalled()
    expect(await new Promise((resolve) => inSlices(work, resolve))).toBe('all of it')
    expect(taken).toEqual([0, 1, 2, 3, 4])
  })
})

describe('what nobody waits for yet', () => {
  /** A browser that is idle when it is told to be. */
  function idleBrowser() {
    const asked = new Map<number, IdleRequestCallback>()
    let last = 0
    vi.stubGlobal('requestIdleCallback', (work: IdleRequestCallback) => asked.set((last += 1), work) && last)
    vi.stubGlobal('cancelIdleCallback', (request: number) => asked.delete(request))
    return {
      asked,
      idle(ms: number, didTimeout = false) {
        const due = [...asked.values()]
        asked.clear()
        for (const work of due) work({ didTimeout, timeRemaining: () => ms })
      },
    }
  }

  it('takes no more than the browser has to spare, and never more than a slice', () => {
    const browser = idleBrowser()
    const told = vi.fn()
    inIdleTime(steps(8), told)
    expect(taken).toHaveLength(0)
    browser.idle(4)
    expect(taken).toHaveLength(2)
    browser.idle(50)
    expect(taken).toHaveLength(5)
    // It never is idle: a slice has its turn all the same.
    browser.idle(0, true)
    expect(taken).toHaveLength(8)
    browser.idle(1)
    expect(told).toHaveBeenCalledExactlyOnceWith('all of it')
    expect(browser.asked.size).toBe(0)
  })

  it('is called off: the browser is asked for nothing any more', () => {
    const browser = idleBrowser()
    const callOff = inIdleTime(steps(8), () => undefined)
    browser.idle(1)
    callOff()
    expect(browser.asked.size).toBe(0)
  })

  it('where the browser does not tell when it is idle: is done all the same', async () => {
    expect(await new Promise((resolve) => inIdleTime(steps(4), resolve))).toBe('all of it')
  })
})
