import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { handshakeTurns } from './ssh-gate.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const started = () => {
  const begun: string[] = []
  const turns = handshakeTurns({ handshakesAtOnce: 3, handshakesPerSecond: 10 })
  const wait = (name: string, isOpen = () => true) =>
    turns.wait(name.split(' ')[0]!, () => isOpen() && begun.push(name) > 0)
  return { begun, turns, wait }
}

test('starts a burst at once, then at the rate', () => {
  const { begun, wait } = started()
  for (let number = 1; number <= 6; number += 1) wait(`a ${number}`)
  expect(begun).toEqual(['a 1', 'a 2', 'a 3'])
  vi.advanceTimersByTime(99)
  expect(begun).toHaveLength(3)
  vi.advanceTimersByTime(1)
  expect(begun.at(-1)).toBe('a 4')
  vi.advanceTimersByTime(200)
  expect(begun).toHaveLength(6)
})

test('an address does not wait behind another one’s queue', () => {
  const { begun, wait } = started()
  for (let number = 1; number <= 20; number += 1) wait(`crowd ${number}`)
  wait('other')
  vi.advanceTimersByTime(200)
  expect(begun.slice(3)).toEqual(['crowd 4', 'other'])
})

test('a known address waits only after a wrong password', () => {
  const { begun, turns, wait } = started()
  turns.remember('friend')
  for (let number = 1; number <= 20; number += 1) wait(`stranger${number}`)
  wait('friend 1')
  expect(begun.slice(3)).toEqual(['friend 1'])
  turns.forget('friend')
  wait('friend 2')
  expect(begun).toHaveLength(4)
})

test('a closed connection uses no turn', () => {
  const { begun, wait } = started()
  for (const name of ['a 1', 'a 2', 'a 3']) wait(name)
  wait('gone', () => false)
  wait('b')
  vi.advanceTimersByTime(100)
  expect(begun).toEqual(['a 1', 'a 2', 'a 3', 'b'])
})

test('the burst is full again after a quiet period', () => {
  const { begun, turns, wait } = started()
  for (const name of ['a 1', 'a 2', 'a 3']) wait(name)
  vi.advanceTimersByTime(60_000)
  expect(vi.getTimerCount()).toBe(0)
  for (let number = 4; number <= 9; number += 1) wait(`a ${number}`)
  expect(begun).toHaveLength(6)
  turns.close()
  vi.advanceTimersByTime(1000)
  expect(begun).toHaveLength(6)
  expect(vi.getTimerCount()).toBe(0)
})
