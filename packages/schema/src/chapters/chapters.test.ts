import { describe, expect, test } from 'vitest'
import {
  chapterAt,
  chapterLines,
  chaptersFault,
  chaptersOf,
  movedChapters,
  teachingStart,
} from './chapters.ts'
import { chaptersOfJson, jsonOf } from './chapters-json.ts'

const text = '0:00 Welcome\n12:30 The good shepherd (teaching starts here)\n1:02:09 Prayer'

describe('refused texts', () => {
  test.each([
    ['Welcome', /need a time .* number 1\./],
    ['0:00', /need a time .* number 1\./],
    ['0:00 Welcome\n12:60 Song', /need a time .* number 2\./],
    ['1:75:00 Song', /need a time .* number 1\./],
    [`0:00 ${'x'.repeat(121)}`, /at most 120 characters/],
    ['1:00 One\n0:30 Two', /number 2 does not begin after/],
    ['1:00 One\n1:00 Two', /number 2 does not begin after/],
    ['0:01 (teaching starts here)\n0:02 (teaching starts here)', /once only/],
    [Array.from({ length: 101 }, (_, at) => `${at}:00 T`).join('\n'), /limited to 100/],
  ])('%j', (given, sentence) => {
    expect(chaptersFault(given)).toMatch(sentence)
    expect(chaptersOf(given)).toEqual([])
  })
})

test('a text is read and written back', () => {
  expect(chaptersOf(text)).toEqual([
    { seconds: 0, title: 'Welcome', isTeaching: false },
    { seconds: 750, title: 'The good shepherd', isTeaching: true },
    { seconds: 3_729, title: 'Prayer', isTeaching: false },
  ])
  expect(chapterLines(chaptersOf(text))).toBe(text)
  expect(chapterLines(chaptersOf('75:00 A'))).toBe('1:15:00 A')
  expect(chaptersOf('0:07 (teaching starts here)')).toEqual([{ seconds: 7, title: '', isTeaching: true }])
})

test('finds the chapter that plays, and the start of the teaching', () => {
  const chapters = chaptersOf(text)
  expect([0, 749.9, 750, 9_999].map((second) => chapterAt(chapters, second))).toEqual([0, 0, 1, 2])
  expect(chapterAt(chaptersOf('0:05 A'), 4)).toBe(-1)
  expect(teachingStart(chapters)).toBe(750)
  expect(teachingStart(chaptersOf('0:00 A (teaching starts here)'))).toBeUndefined()
})

describe('a cut recording', () => {
  test('chapters move, the one that was under way included', () => {
    expect(movedChapters(text, 30.2, 2_000)).toBe(
      '0:00 Welcome\n12:00 The good shepherd (teaching starts here)',
    )
    expect(movedChapters(text, 760, 9_000)).toBe(
      '0:00 The good shepherd (teaching starts here)\n49:29 Prayer',
    )
  })

  test('chapters move back when its start is restored', () => {
    expect(movedChapters('0:30 A\n1:00 B', -30, 9_000)).toBe('1:00 A\n1:30 B')
    expect(movedChapters(null, 30, 100)).toBe('')
  })
})

describe('chapters of other sites', () => {
  test('documents of other shapes have none', () => {
    for (const other of [null, [], { chapters: 'a' }, { chapters: [{ startTime: -1, title: 'a' }] }])
      expect(chaptersOfJson(other)).toEqual([])
  })

  test('pictures without an entry are skipped, and titles become plain', () => {
    const read = chaptersOfJson({
      version: '1.2.0',
      chapters: [
        { startTime: 90.7, title: 'The sermon:\u0000 grace\n' },
        { startTime: 0, title: ' Notices ' },
        { startTime: 10, title: 'Slide', toc: false },
        { startTime: 20, img: 'https://a.example/1.png' },
      ],
    })
    expect(chapterLines(read)).toBe('0:00 Notices\n1:30 The sermon: grace (teaching starts here)')
  })

  test('our own document is read back whole', () => {
    expect(chapterLines(chaptersOfJson(jsonOf(chaptersOf(text))))).toBe(text)
  })
})
