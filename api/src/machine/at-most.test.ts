import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { atMost } from './at-most.ts'

const never = new Promise<void>(() => undefined)

test('does not wait for ever', async () => {
  await atMost(20, never)
})

test('throws what the work throws, and nothing for what it throws too late', async () => {
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
