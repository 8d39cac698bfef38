import { expect, test } from 'vitest'
import { seriesFinder } from './series-search.ts'

const all = ['Faith & works', 'Hope in Hard Times', 'Mā te whakapono', 'The Book of Romans'].map((title) => ({
  title,
}))
const found = (query: string, limit = 3) => seriesFinder(all)(query, limit).map(({ title }) => title)

test.each(['', ' ', '!?', 'ope', 'hope romans', 'hard times x'])('%j finds none', (query) => {
  expect(found(query)).toEqual([])
})

test.each([
  ['hope', ['Hope in Hard Times']],
  ['TIM hop', ['Hope in Hard Times']],
  ['ma', ['Mā te whakapono']],
  ['works, faith', ['Faith & works']],
  ['h', ['Hope in Hard Times']],
  ['t', ['Hope in Hard Times', 'Mā te whakapono', 'The Book of Romans']],
])('%j finds %j', (query, titles) => {
  expect(found(query)).toEqual(titles)
})

test('finds no more than is wanted', () => {
  expect(found('t', 2)).toEqual(['Hope in Hard Times', 'Mā te whakapono'])
})
