import { expect, onTestFinished, test, vi } from 'vitest'
import { CallError, NetworkError } from '../../call/call-error.ts'
import { described, stallMs, textOf, verdictOf, withTimeLimit, type Verdict } from './request.ts'

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

const refusal = (
  status: number,
  code?: string,
  text = JSON.stringify({ success: false, error: 'No.', code }),
) => new CallError(status, text)

test.each<[unknown, Verdict]>([
  [refusal(401, 'unauthorized'), 'sign in'],
  [refusal(409, 'revision_conflict'), 'needs a person'],
  [refusal(404, 'not_found'), 'begin anew'],
  [refusal(403, 'csrf'), 'again'],
  ...[408, 423, 425, 429, 500, 503].map(
    (status) => [refusal(status, 'other'), 'again'] satisfies [unknown, Verdict],
  ),
  ...[400, 413, 422, 499].map((status) => [refusal(status, 'other'), 'refused'] satisfies [unknown, Verdict]),
  // Without a code it is a proxy's answer, or one to HEAD.
  [refusal(400), 'again'],
  [refusal(404), 'again'],
  [refusal(401, undefined, ''), 'sign in'],
  [refusal(404, undefined, ''), 'begin anew'],
  [refusal(410, undefined, ''), 'begin anew'],
  [refusal(403, undefined, ''), 'again'],
  [new TypeError('failed'), 'again'],
])('the verdict on %s', (error, verdict) => {
  expect(verdictOf(error)).toBe(verdict)
})

test.each([
  [refusal(422, 'other'), { code: 'other', sentence: 'No.' }],
  [refusal(422), { code: '422', sentence: 'No.' }],
  [new TypeError('failed'), { code: 'network', sentence: 'failed' }],
])('an entry stores %s with its code and sentence', (error, stored) => {
  expect(described(error)).toEqual(stored)
})

test('reads a response in parts, each of which is progress', async () => {
  const touch = vi.fn()
  const body = new ReadableStream({
    start(controller) {
      for (const byte of new TextEncoder().encode('Ā b')) controller.enqueue(Uint8Array.of(byte))
      controller.close()
    },
  })
  expect(await textOf(new Response(body), touch)).toBe('Ā b')
  expect(touch).toHaveBeenCalledTimes(4)
  expect(await textOf(new Response(null), touch)).toBe('')
})
