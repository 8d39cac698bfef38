import { expect, test } from 'vitest'
import { changedSinceOpened, shownWord } from './shown-words.device.ts'

const titles = new Map([['a', 'Hope']])

test.each([
  ['date', '2026-11-22', '22 November 2026'],
  ['title', '2026-11-22', '2026-11-22'],
  ['title', '', '(empty)'],
  ['title', undefined, '(empty)'],
  ['teachings', [], '(empty)'],
  ['teachings', ['a', 'b'], '2 teachings: Hope, a deleted teaching'],
])('%s %j is shown as %s', (field, word, shown) => {
  expect(shownWord(field, word, titles)).toBe(shown)
})

test('names the changed fields alone', () => {
  const fields = [
    { name: 'title', label: 'Title' },
    { name: 'date', label: 'Date' },
  ]
  const opened = { title: 'Hope', date: '2026-11-22' }
  expect(changedSinceOpened(fields, opened, { ...opened, date: '2026-11-29' })).toEqual([
    { label: 'Date', now: '29 November 2026' },
  ])
  expect(changedSinceOpened(fields, opened, opened)).toEqual([])
  expect(changedSinceOpened(fields, opened, undefined)).toBe('gone')
})
