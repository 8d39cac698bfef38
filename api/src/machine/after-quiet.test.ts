import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { afterQuiet } from './after-quiet.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const times = { quietMs: 20_000, mostMs: 90_000, everyMs: 600_000 }

function begun(work: () => Promise<void> = () => Promise.resolve()) {
  let runs = 0
  const waiting = afterQuiet(() => {
    runs += 1
    return work()
  }, times)
  onTestFinished(() => void waiting.stop())
  return { ...waiting, runs: () => runs }
}

test('does not begin while changes follow each other', async () => {
  const { changed, runs } = begun()
  for (let change = 0; change < 4; change++) {
    await vi.advanceTimersByTimeAsync(19_000)
    changed()
  }
  expect(runs()).toBe(0)
  await vi.advanceTimersByTimeAsync(20_000)
  expect(runs()).toBe(1)
})

test('begins after a while even if changes never cease', async () => {
  const { changed, runs } = begun()
  for (let change = 0; change < 9; change++) {
    await vi.advanceTimersByTimeAsync(10_000)
    changed()
  }
  await vi.advanceTimersByTimeAsync(0)
  expect(runs()).toBe(1)
})

test('a change during the work starts it again soon', async () => {
  let end = () => {}
  const { changed, runs } = begun(() => new Promise((resolve) => (end = resolve)))
  await vi.advanceTimersByTimeAsync(20_000)
  changed()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(runs()).toBe(1)
  end()
  await vi.advanceTimersByTimeAsync(20_000)
  expect(runs()).toBe(2)
})

test('runs periodically until it is stopped', async () => {
  const { runs, stop } = begun()
  await vi.advanceTimersByTimeAsync(20_000 + 600_000)
  expect(runs()).toBe(2)
  await stop()
  await vi.advanceTimersByTimeAsync(10_000_000)
  expect(runs()).toBe(2)
})

test('a stop waits for the work that is running', async () => {
  let end = () => {}
  const { stop } = begun(() => new Promise((resolve) => (end = resolve)))
  await vi.advanceTimersByTimeAsync(20_000)
  let isOver = false
  const over = stop().then(() => void (isOver = true))
  await vi.advanceTimersByTimeAsync(60_000)
  expect(isOver).toBe(false)
  end()
  await over
})
