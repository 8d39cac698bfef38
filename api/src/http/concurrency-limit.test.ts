import { expect, test } from 'vitest'
import { Problem } from '@fellowship/schema/problem'
import { concurrencyLimit } from './concurrency-limit.ts'

test('refuses beyond the limit of one and of all, and gives places back', () => {
  const places = concurrencyLimit({ each: 2, all: 3 }, () => new Problem('rate_limited'))
  const leave = [places.enter('a'), places.enter('a')]
  expect(() => places.enter('a')).toThrow(Problem)
  leave.push(places.enter('b'))
  expect(() => places.enter('c')).toThrow(Problem)
  for (const each of leave) each()
  for (const key of ['c', 'd', 'e']) places.enter(key)
  expect(() => places.enter('f')).toThrow(Problem)
})
