import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { eventLoopTurns } from './event-loop-turns.ts'

test('simultaneous callers get a turn each, in order', async () => {
  const ownTurn = eventLoopTurns()
  const seen: string[] = []
  const callers = ['first', 'second', 'third'].map((name) => ownTurn().then(() => seen.push(name)))
  const others = (async () => {
    for (let turn = 0; turn < 3; turn += 1) {
      await setImmediate()
      seen.push('another')
    }
  })()
  await Promise.all([...callers, others])
  const between = seen.slice(seen.indexOf('first') + 1, seen.indexOf('third'))
  expect(seen.filter((name) => name !== 'another')).toEqual(['first', 'second', 'third'])
  expect(between.filter((name) => name === 'another').length).toBeGreaterThanOrEqual(1)
})
