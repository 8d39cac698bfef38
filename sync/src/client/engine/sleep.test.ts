import { expect, onTestFinished, test, vi } from 'vitest'
import { pauseWhileHidden } from './pause-while-hidden.ts'
import { pause, retryUntilDone, sleep, waitWhile } from './sleep.ts'

const days = 24 * 60 * 60_000

/** Whether a sleep of this length is over after each of these. */
async function isOverAfter(ms: number, ...waits: number[]): Promise<boolean[]> {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  let isOver = false
  const { wake, woken } = sleep()
  void pause(ms, woken()).then(() => (isOver = true))
  const seen: boolean[] = []
  for (const wait of waits) {
    await vi.advanceTimersByTimeAsync(wait)
    seen.push(isOver)
  }
  wake()
  return seen
}

test('a pause ends after its time and not before', async () => {
  expect(await isOverAfter(1000, 999, 1)).toEqual([false, true])
})

test('a pause may exceed the longest timer', async () => {
  const timers = vi.spyOn(globalThis, 'setTimeout')
  onTestFinished(() => timers.mockRestore())
  expect(await isOverAfter(400 * days, days, days)).toEqual([false, false])
  expect(Math.max(...timers.mock.calls.map(([, ms]) => ms ?? 0))).toBeLessThan(2 ** 31)
})

test('an infinite pause sets no timer and ends when woken', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { wake, woken } = sleep()
  const over = pause(Infinity, woken())
  expect(vi.getTimerCount()).toBe(0)
  wake()
  await over
})

test('a pause that is woken leaves no timer', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { wake, woken } = sleep()
  const over = pause(1000, woken())
  expect(vi.getTimerCount()).toBe(1)
  wake()
  await over
  expect(vi.getTimerCount()).toBe(0)
})

test('wake ends the current sleep and not the next', async () => {
  const { wake, woken } = sleep()
  const first = woken()
  wake()
  await first
  const second = woken().then(() => 'woken')
  expect(await Promise.race([second, Promise.resolve('asleep')])).toBe('asleep')
})

test.each(['visible', 'hidden'])('a pause on a page that is %s ends there', async (visibilityState) => {
  const page = Object.assign(new EventTarget(), { visibilityState })
  vi.stubGlobal('document', page)
  onTestFinished(() => void vi.unstubAllGlobals())
  let isOver = false
  const { wake, woken } = sleep()
  void pauseWhileHidden(0, woken()).then(() => (isOver = true))
  await new Promise((done) => setTimeout(done, 10))
  expect(isOver).toBe(visibilityState === 'visible')
  page.dispatchEvent(new Event('visibilitychange'))
  await expect.poll(() => isOver).toBe(true)
  wake()
})

test('waits for busy work, and no longer than its patience', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const looks = { ending: 0, endless: 0 }
  const ending = waitWhile(async () => (looks.ending += 1) < 3, 1_000)
  const endless = waitWhile(async () => (looks.endless += 1) > 0, 1_000)
  await vi.advanceTimersByTimeAsync(1_000)
  await Promise.all([ending, endless])
  expect(looks).toEqual({ ending: 3, endless: 10 })
})

test('retries with growing waits until it is done or unwanted', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  let tries = 0
  let isWanted = true
  const failing = async () => {
    tries += 1
    throw new Error('closed')
  }
  const over = retryUntilDone(failing, () => isWanted)
  await vi.advanceTimersByTimeAsync(1_000 + 2_000 + 3_999)
  expect(tries).toBe(3)
  await vi.advanceTimersByTimeAsync(1)
  expect(tries).toBe(4)
  isWanted = false
  await vi.advanceTimersByTimeAsync(8_000)
  await over
  await retryUntilDone(
    async () => (tries += 1),
    () => true,
  )
  expect(tries).toBe(5)
})
