import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import {
  canonicalBooks,
  formatScripture,
  parseScripture,
  readScripture,
  type ScriptureRange,
} from './scripture.ts'

describe('not a reference', () => {
  test.each([
    '',
    ' ',
    '8',
    '8:28',
    '-',
    ';',
    '1',
    'Hope in Christ',
    'Jhon 3:16',
    'Romans 0',
    'Romans 17',
    'Genesis 999',
    'Genesis 1000',
    'Romans 8:0',
    'Romans 8:40',
    'John 3:99',
    'Romans 8:28-40',
    'Romans 8:28-27',
    'Romans 8-7',
    'Romans 8:28-7:1',
    'Romans 8:28-9:34',
    'Jude 26',
    'Philemon 2:1',
    '4 John 1',
    '1 Romans 8',
    'this is 1:16 pm at the hall',
    'Acts 2 people came',
    'Acts 2:1 people came',
    'see Job 3 days later',
    'Romans 8:28:29',
    'Romans 8:28-29-30',
    'Romans 8:28ff-30',
    'Romans 8; hope',
    `Romans ${'8 '.repeat(300)}`,
    'a'.repeat(100_000),
  ])('%j', (text) => {
    expect(parseScripture(text)).toBeNull()
  })

  test.each([
    ['Jhon 3:16', { kind: 'book', book: 'jhon' }],
    ['Romans 17', { kind: 'chapter', book: 'Romans', chapters: 16 }],
    ['John 3:99', { kind: 'verse', book: 'John', chapter: 3, verses: 36 }],
    ['Genesis 1:26-2:99', { kind: 'verse', book: 'Genesis', chapter: 2, verses: 25 }],
    ['Romans 8:28-27', { kind: 'order' }],
    ['Exodus 1:7-Genesis 50:26', { kind: 'order' }],
    ['Genesis 50:27-Exodus 1:7', { kind: 'verse', book: 'Genesis', chapter: 50, verses: 26 }],
    ['Romans eight', { kind: 'book', book: 'romans eight' }],
    ['Romans 8:28:29', { kind: 'form' }],
  ])('%j gives the reason', (text, problem) => {
    expect(readScripture(text)).toEqual(problem)
  })
})

describe('a single reference', () => {
  test.each([
    ['Romans', 'Romans', 45_001_001, 45_999_999],
    ['Romans 8', 'Romans 8', 45_008_001, 45_008_999],
    ['Romans 7-8', 'Romans 7-8', 45_007_001, 45_008_999],
    ['Romans 8:28', 'Romans 8:28', 45_008_028, 45_008_028],
    ['Romans 8:28-39', 'Romans 8:28-39', 45_008_028, 45_008_039],
    ['Genesis 1:26-2:3', 'Genesis 1:26-2:3', 1_001_026, 1_002_003],
    ['Revelation 22:21', 'Revelation 22:21', 66_022_021, 66_022_021],
    ['Romans 8:1-8:4', 'Romans 8:1-4', 45_008_001, 45_008_004],
    ['Romans 7-8:4', 'Romans 7:1-8:4', 45_007_001, 45_008_004],
    ['Romans 8:28 ff', 'Romans 8:28-39', 45_008_028, 45_008_039],
    ['Romans 8:28f', 'Romans 8:28-29', 45_008_028, 45_008_029],
    ['Romans 8:28b-30a', 'Romans 8:28-30', 45_008_028, 45_008_030],
    ['Psalm 23', 'Psalm 23', 19_023_001, 19_023_999],
    ['Psalms 23:1-6', 'Psalm 23:1-6', 19_023_001, 19_023_006],
    ['Psalms 22-24', 'Psalms 22-24', 19_022_001, 19_024_999],
    ['Psalm 119:176', 'Psalm 119:176', 19_119_176, 19_119_176],
    ['Jude', 'Jude', 65_001_001, 65_999_999],
    ['Jude 1', 'Jude', 65_001_001, 65_001_999],
    ['Jude 5', 'Jude 1:5', 65_001_005, 65_001_005],
    ['Jude 3-5', 'Jude 1:3-5', 65_001_003, 65_001_005],
    ['Jude 1:1', 'Jude 1:1', 65_001_001, 65_001_001],
    ['Philem 6', 'Philemon 1:6', 57_001_006, 57_001_006],
    ['3 John 15', '3 John 1:15', 64_001_015, 64_001_015],
  ])('%j is %j', (text, display, start, end) => {
    expect(parseScripture(text)).toEqual({ ranges: [{ start, end }], display })
  })

  test.each([
    ['rom 8:28', 'Romans 8:28'],
    ['Rom. 8.28', 'Romans 8:28'],
    ['ROMANS 8 28', 'Romans 8:28'],
    ['Romans8:28', 'Romans 8:28'],
    ['Romans 8v28', 'Romans 8:28'],
    ['romans chapter 8 verses 28 - 39', 'Romans 8:28-39'],
    ['Romans 8:28–39', 'Romans 8:28-39'],
    ['Romans 8:28—39', 'Romans 8:28-39'],
    ['  Romans   8 : 28  ', 'Romans 8:28'],
    ['Genesis 1:26 – 2:3', 'Genesis 1:26-2:3'],
    ['1 John 4:7-12', '1 John 4:7-12'],
    ['1-John 4:7-12', '1 John 4:7-12'],
    ['1John 4:7-12', '1 John 4:7-12'],
    ['1 Jn 4:7-12', '1 John 4:7-12'],
    ['1Jn4:7-12', '1 John 4:7-12'],
    ['I John 4:7', '1 John 4:7'],
    ['1st John 4:7', '1 John 4:7'],
    ['First John 4:7', '1 John 4:7'],
    ['II Kings 2', '2 Kings 2'],
    ['2nd Kings 2', '2 Kings 2'],
    ['III John 4', '3 John 1:4'],
    ['Third John 4', '3 John 1:4'],
    ['Song of Songs 2:1', 'Song of Solomon 2:1'],
    ['Songs 2:1', 'Song of Solomon 2:1'],
    ['Song 2:1', 'Song of Solomon 2:1'],
    ['Ps 23:1', 'Psalm 23:1'],
    ['Psa 23:1', 'Psalm 23:1'],
    ['Phil 4:13', 'Philippians 4:13'],
    ['Philipp 4:13', 'Philippians 4:13'],
    ['Revelations 3:20', 'Revelation 3:20'],
    ['Mt 5', 'Matthew 5'],
    ['Róm 8', 'Romans 8'],
  ])('%j is formatted as %j', (text, display) => {
    expect(parseScripture(text)?.display).toBe(display)
  })

  test.each([
    ['Romans_8_28-39', 'Romans 8:28-39'],
    ['Romans_8_28', 'Romans 8:28'],
    ['Romans_8', 'Romans 8'],
    ['Genesis_1_26-2_3', 'Genesis 1:26-2:3'],
    ['1-John_4_7-21', '1 John 4:7-21'],
    ['1_John_4_7-21', '1 John 4:7-21'],
    ['1John_4_7-21', '1 John 4:7-21'],
    ['Song_of_Solomon_2_1-3', 'Song of Solomon 2:1-3'],
    ['Song-of-Solomon_2_1-3', 'Song of Solomon 2:1-3'],
    ['Jude_5', 'Jude 1:5'],
    ['Jude_1_5-7', 'Jude 1:5-7'],
    ['romans-8_28', 'Romans 8:28'],
  ])('file-name form %j is %j', (text, display) => {
    expect(parseScripture(text)?.display).toBe(display)
  })
})

describe('several references', () => {
  test.each([
    ['John 3:16; Romans 8:1', 'John 3:16; Romans 8:1'],
    ['Romans 8:1-4; 12:1-2', 'Romans 8:1-4; Romans 12:1-2'],
    ['Romans 8; 12', 'Romans 8; Romans 12'],
    ['John 3:16, 18-20; 4:1', 'John 3:16; John 3:18-20; John 4:1'],
    ['John 3:16, 4:1, 5', 'John 3:16; John 4:1; John 4:5'],
    ['Romans 8, 9', 'Romans 8; Romans 9'],
    ['Romans 8 and 9', 'Romans 8; Romans 9'],
    ['Romans 8 & 1 John 4', 'Romans 8; 1 John 4'],
    ['Matthew 5:3, Luke 6:20', 'Matthew 5:3; Luke 6:20'],
    ['John_3_16;Romans_8_1', 'John 3:16; Romans 8:1'],
    ['Romans 8;', 'Romans 8'],
  ])('%j is %j', (text, display) => {
    expect(parseScripture(text)?.display).toBe(display)
  })
})

describe('the table of books', () => {
  test('has 66 books, 1,189 chapters and 31,104 verses', () => {
    expect(canonicalBooks).toHaveLength(66)
    expect(canonicalBooks.flatMap((book) => book.verses)).toHaveLength(1189)
    expect(canonicalBooks.flatMap((book) => book.verses).reduce((a, b) => a + b)).toBe(31_104)
    expect(canonicalBooks.map((book) => book.number)).toEqual(Array.from({ length: 66 }, (_, i) => i + 1))
  })

  test('parses every name and abbreviation as one book', () => {
    const names = canonicalBooks.flatMap((book) => [book.name, ...book.abbreviations])
    const plain = names.map((name) => name.toLowerCase().replaceAll(' ', ''))
    expect(new Set(plain).size).toBe(plain.length)
    for (const book of canonicalBooks) {
      for (const name of [book.name, ...book.abbreviations]) {
        expect(readScripture(`${name} 1:1`)).toMatchObject({
          ranges: [{ start: book.number * 1_000_000 + 1_001 }],
        })
      }
    }
  })
})

describe('for every valid range', () => {
  const anyVerse = fc
    .integer({ min: 0, max: 65 })
    .chain((book) =>
      fc.tuple(fc.constant(book), fc.integer({ min: 0, max: canonicalBooks[book]!.verses.length - 1 })),
    )
    .chain(([book, chapter]) =>
      fc
        .integer({ min: 1, max: canonicalBooks[book]!.verses[chapter]! })
        .map((verse) => (book + 1) * 1_000_000 + (chapter + 1) * 1_000 + verse),
    )
  const anyRange = fc
    .tuple(anyVerse, anyVerse)
    .filter(([a, b]) => Math.floor(a / 1_000_000) === Math.floor(b / 1_000_000))
    .map(([a, b]) => ({ start: Math.min(a, b), end: Math.max(a, b) }))

  test('a formatted reference parses to the same range', () => {
    fc.assert(
      fc.property(anyRange, (range) => {
        const display = formatScripture(range)
        expect(parseScripture(display)).toEqual({ ranges: [range], display })
        expect(parseScripture(display.replace(/[ :]/g, '_'))?.ranges).toEqual([range])
      }),
      { seed: 8_28, numRuns: 500 },
    )
  })

  test('never throws, and finds only existing verses', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        for (const { start, end } of parseScripture(text)?.ranges ?? []) {
          expect(start).toBeLessThanOrEqual(end)
          expect(formatScripture({ start, end })).not.toBe('')
        }
      }),
      { seed: 8_28, numRuns: 500 },
    )
  })
})

test.each([
  ['Genesis 50:26-Exodus 1:7', 'Genesis 50:26-Exodus 1:7', 1_050_026, 2_001_007],
  ['Gen 50:26 – Ex 1:7', 'Genesis 50:26-Exodus 1:7', 1_050_026, 2_001_007],
  ['Genesis_50_26-Exodus_1_7', 'Genesis 50:26-Exodus 1:7', 1_050_026, 2_001_007],
  ['1 Samuel 31:1-2 Samuel 1:16', '1 Samuel 31:1-2 Samuel 1:16', 9_031_001, 10_001_016],
])('%j is a range across two books', (text, display, start, end) => {
  expect(parseScripture(text)).toEqual({ ranges: [{ start, end }], display })
})

test('ranges overlap when they share a verse', () => {
  const range = (text: string) => parseScripture(text)!.ranges[0]!
  const rangesOverlap = (a: ScriptureRange, b: ScriptureRange) => a.start <= b.end && b.start <= a.end
  expect(rangesOverlap(range('Romans 8:5-10'), range('Romans 8:11'))).toBe(false)
  expect(rangesOverlap(range('Romans 8'), range('Romans 9'))).toBe(false)
  expect(rangesOverlap(range('Romans 8:5-10'), range('Romans 8:10-12'))).toBe(true)
  expect(rangesOverlap(range('Romans 8'), range('Romans 7:1-8:4'))).toBe(true)
  expect(rangesOverlap(range('Romans'), range('Romans 8:28'))).toBe(true)
})
