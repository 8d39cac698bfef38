import { expect, test } from 'vitest'
import { sendingBudget } from './sending-budget.ts'

function budgetOf(limits: Parameters<typeof sendingBudget>[0]) {
  let at = 0
  const ended: string[] = []
  const budget = sendingBudget({ stalledMs: 10, ...limits }, () => at)
  return {
    ended,
    pass: (ms: number) => void (at += ms),
    enter: (name: string, address: string) => budget.enter(address, 10, () => void ended.push(name)),
    isCrowded: () => budget.isCrowded(),
  }
}
const refusal: unknown = expect.objectContaining({ code: 'unavailable', extra: { retryAfter: 5 } })

test('refuses a response beyond the budget of all', () => {
  const { enter, ended } = budgetOf({ all: 20, each: 100 })
  enter('a', 'one')
  const second = enter('b', 'two')
  expect(() => enter('c', 'three')).toThrow(refusal)
  second.leave()
  second.leave()
  enter('c', 'three')
  expect(() => enter('d', 'four')).toThrow(refusal)
  expect(ended).toEqual([])
})

test('refuses a response beyond the budget of its address', () => {
  const { enter } = budgetOf({ all: 100, each: 10 })
  enter('a', 'one')
  expect(() => enter('b', 'one')).toThrow(refusal)
  enter('b', 'two')
})

test('ends the response that has stalled longest', () => {
  const { enter, ended, pass } = budgetOf({ all: 30, each: 20 })
  const first = enter('a', 'one')
  enter('b', 'two')
  enter('c', 'one')
  pass(20)
  first.progressed()
  enter('d', 'one')
  expect(ended).toEqual(['c'])
  enter('e', 'three')
  expect(ended).toEqual(['c', 'b'])
  expect(() => enter('f', 'three')).toThrow(refusal)
})

test('fast responses share a budget of larger pieces', () => {
  const { enter } = budgetOf({ extra: 25 })
  const [first, second] = [enter('a', 'one'), enter('b', 'one')]
  expect([first.resize(30), second.resize(30), second.resize(15)]).toEqual([true, false, true])
  first.leave()
  expect(second.resize(30)).toBe(true)
})

test('is crowded beyond a number of responses', () => {
  const { enter, isCrowded } = budgetOf({ crowd: 1 })
  enter('a', 'one')
  expect(isCrowded()).toBe(false)
  enter('b', 'one')
  expect(isCrowded()).toBe(true)
})
