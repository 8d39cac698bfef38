import { expect, test } from 'vitest'
import { misspeltNames } from './misspelt-names.ts'

const found = (words: string, ...texts: string[]) =>
  misspeltNames(
    texts.map((text) => ({ text })),
    words,
  ).map(({ found: was, right, count }) => `${was} > ${right} ${count}`)

test('correct names and other words are left alone', () => {
  expect(
    found('Zerubbabel\nRuth\nTheresa', 'Zerubbabel heard the truth. There is Zerubbabel’s hand.'),
  ).toEqual([])
  expect(found('', 'Zerubabel')).toEqual([])
})

test('a spelling near a name is offered, with its count', () => {
  expect(found('Zerubbabel\nHabakkuk', 'Zerubabel went.', 'And zerubbabel. Zerubabel, Habbakuk')).toEqual([
    'Zerubabel > Zerubbabel 2',
    'zerubbabel > Zerubbabel 1',
    'Habbakuk > Habakkuk 1',
  ])
})

test('misheard phrases of the list are offered', () => {
  expect(found('haber cook = Habakkuk\nmary = Mary', 'Haber cook said, haber cook: Mary, mary.')).toEqual([
    'Haber cook > Habakkuk 1',
    'haber cook > Habakkuk 1',
    'mary > Mary 1',
  ])
})

test('words with signs of patterns are taken as they are', () => {
  expect(found('a.b (c) = Abc', 'a.b (c) axb (c)')).toEqual(['a.b (c) > Abc 1'])
})
