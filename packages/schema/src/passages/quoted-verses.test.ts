import { describe, expect, test } from 'vitest'
import { isCounted, quotedVerses } from './quoted-verses.ts'

describe('quotedVerses', () => {
  test('counts each verse once', () => {
    expect(quotedVerses(['John 3:16', 'John 3:16-18', 'Genesis 1:31', 'nonsense']).count).toBe(4)
    expect(quotedVerses([]).count).toBe(0)
  })

  test('recognizes a whole book, also when quoted in parts', () => {
    expect(quotedVerses(['2 John 1:1-6', '2 John 1:7-13', 'Jude 1:1-24']).wholeBooks).toEqual(['2 John'])
  })

  test('counts the verses of one translation only', () => {
    expect(['NKJV', 'new king james version', 'King James Version', ''].map(isCounted)).toEqual([
      true,
      true,
      false,
      false,
    ])
  })
})
