import { expect, onTestFinished, test, vi } from 'vitest'
import { NetworkError } from '../../call/call-error.ts'
import { stallMs, withTimeLimit } from './request.ts'

const forever = () => new Promise<never>(() => {})
const fakeTime = () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
}

test('a silent request fails after 30 seconds', async () => {
  fakeTime()
  const signals: AbortSignal[] = []
  const failed = withTimeLimit(({ signal }) => (signals.push(signal), forever())).catch(
    (error: unknown) => error,
  )
  await vi.advanceTimersByTimeAsync(stallMs - 1)
  expect(signals[0]!.aborted).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(await failed).toBeInstanceOf(NetworkError)
  expect(signals[0]!.aborted).toBe(true)
})

test('progress restarts the time', async () => {
  fakeTime()
  const done = withTimeLimit(async ({ touch }) => {
    for (let count = 0; count < 5; count += 1) {
      await new Promise((resolve) => setTimeout(resolve, stallMs - 1))
      touch()
    }
    return 'done'
  })
  await vi.advanceTimersByTimeAsync(stallMs * 5)
  expect(await done).toBe('done')
})

test.each(['before', 'during'])('an outer abort %s the request rejects with AbortError', async (when) => {
  const outer = new AbortController()
  if (when === 'before') outer.abort()
  const failed = withTimeLimit(forever, { outer: [outer.signal] })
  outer.abort()
  await expect(failed).rejects.toMatchObject({ name: 'AbortError' })
})

test('ignores an outer abort after the end', async () => {
  const outer = new AbortController()
  const signals: AbortSignal[] = []
  await withTimeLimit(async ({ signal }) => signals.push(signal), { outer: [outer.signal] })
  outer.abort()
  expect(signals[0]!.aborted).toBe(false)
})

test('passes results and errors through, without timers', async () => {
  fakeTime()
  expect(await withTimeLimit(async () => 1)).toBe(1)
  await expect(withTimeLimit(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused')
  expect(vi.getTimerCount()).toBe(0)
})
