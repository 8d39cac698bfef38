import { expect, onTestFinished, test, vi } from 'vitest'
import { pause, sleep } from './sleep.ts'

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
