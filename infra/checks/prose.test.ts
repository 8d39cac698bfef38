import { describe, expect, test } from 'vitest'
import { commentsOf, countWords, isFragment, testNamesOf, wordsIn } from './prose.ts'

describe('prose of comments', () => {
  test('counts words per thousand, without quoted code', () => {
    const source = ['/** Retries if `where` fails. */', 'const a = "if" // when it is late', ''].join('\n')
    const comments = commentsOf('a.ts', source)
    expect(comments.map(({ line }) => line)).toEqual([1, 2])
    expect(countWords(comments.map(({ text }) => text))).toEqual({
      words: 8,
      conditions: 250,
      where: 0,
      what: 0,
    })
  })

  test('refuses to count without a comment', () => {
    expect(() => countWords([])).toThrow('no comments')
  })
})

describe('test names', () => {
  test('finds names of plain, tabled and conditional tests', () => {
    const source = [
      `test('rejects one', () => {})`,
      'test.each(rows)(`rejects ${kind} files`, () => {})',
      `test.skipIf(!tool)('reads %s', () => {})`,
      `it.todo('is ignored')`,
      `expect('nothing')`,
    ].join('\n')
    expect(testNamesOf('a.test.ts', source)).toEqual([
      { line: 1, name: 'rejects one' },
      { line: 2, name: 'rejects … files' },
      { line: 3, name: 'reads %s' },
    ])
    expect(testNamesOf('a.ts', source)).toEqual([])
  })

  test.each(['…ends at once', 'of another person', 'If it fails, it retries', 'with two tabs'])(
    '%j is a fragment',
    (name) => expect(isFragment(name)).toBe(true),
  )

  test.each(['ignores a late answer', 'ending twice is a no-op', 'Ofsted files'])(
    '%j is a sentence',
    (name) => expect(isFragment(name)).toBe(false),
  )

  test('counts words, a placeholder as one', () => {
    expect(wordsIn('rejects  %s of … files')).toBe(5)
  })
})
