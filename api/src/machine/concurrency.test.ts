import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { atMost, releasableLock } from './concurrency.ts'

test('an aborted waiter neither gets the lock nor blocks others', async () => {
  const lock = releasableLock()
  const release = await lock.take('a', () => undefined)
  const over = new AbortController()
  const given = lock.take('a', () => undefined, over.signal)
  const behind = lock.take('a', () => undefined)
  over.abort(new Error('enough'))
  await expect(given).rejects.toThrow('enough')
  await expect(lock.take('a', () => undefined, AbortSignal.abort(new Error('before')))).rejects.toThrow(
    'before',
  )
  release()
  ;(await behind)()
})

test('serializes callers of one key, not those of other keys', async () => {
  const lock = releasableLock()
  let inside = 0
  let most = 0
  const work = async () => {
    const release = await lock.take('a', () => undefined)
    most = Math.max(most, (inside += 1))
    await new Promise((resolve) => setTimeout(resolve, 1))
    inside -= 1
    release()
  }
  const holder = await lock.take('b', () => undefined)
  await Promise.all(Array.from({ length: 20 }, work))
  holder()
  expect(most).toBe(1)
})

test('notifies the holder of a waiter; releases once', async () => {
  const lock = releasableLock()
  let asked = 0
  const release = await lock.take('a', () => (asked += 1))
  expect(asked).toBe(0)
  const second = lock.take('a', () => undefined)
  expect(asked).toBe(1)
  release()
  const releaseSecond = await second
  release()
  let third = false
  const waiting = lock.take('a', () => undefined).then(() => (third = true))
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(third).toBe(false)
  releaseSecond()
  await waiting
})

const never = new Promise<void>(() => undefined)

test('does not wait for ever', async () => {
  await atMost(20, never)
})

test('throws the error of the work unless it comes late', async () => {
  await expect(atMost(60_000, Promise.reject(new Error('refused')))).rejects.toThrow('refused')
  let fail: (error: Error) => void = () => undefined
  const work = new Promise<void>((_, reject) => (fail = reject))
  await atMost(20, work)
  fail(new Error('too late'))
})

test('ends with the work', async () => {
  let isDone = false
  await atMost(
    60_000,
    delay(30).then(() => void (isDone = true)),
  )
  expect(isDone).toBe(true)
})
