import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { parseScripture, type ScriptureRange } from '../scripture.ts'
import { manyTeachings } from '../testing/builders.ts'
import { foldedWords } from '../text-folding.ts'
import {
  type SearchableTeaching,
  buildTeachingIndex,
  finish,
  teachingIndexInSteps,
} from './teaching-search.ts'

const row = (title: string, speaker: string, scriptureReference: string | null, date: string) => ({
  title,
  speaker,
  scriptureReference,
  date,
})

const library = [
  row('Hope_in Christ', 'John Smith', 'Romans 8:28-39', '2026-03-15'),
  row('No condemnation', 'Wiremu Pūriri', 'Romans 7:1-8:4', '2026-03-08'),
  row('God’s love', "Pat O'Brien", '1 John 4:7-21', '2025-12-25'),
  row('The gospel of John, part 3', 'Mary Jones', 'Jhn 1:1-18', '2025-06-01'),
  row('Forgiveness', 'Hope Walker', null, '2024-02-29'),
  row('Romans 8 in an hour', 'John Smith', 'Rom 8', '2024-01-07'),
  row('Grace', 'Mark Romans', 'John 3:16; Ephesians 2:8', '2023-11-05'),
]
const index = buildTeachingIndex(library)
const titles = (query: string, limit?: number) =>
  index.search(query, limit === undefined ? {} : { limit }).map((found) => found.title)

describe('finds nothing', () => {
  test.each(['zzzz', 'hope zzzz', 'xyz123', '2031', '2026-04', 'march 2025', 'Leviticus 3', 'Romans 16:99'])(
    '%j has no results',
    (query) => {
      expect(titles(query)).toEqual([])
    },
  )

  test('an empty library has no results', () => {
    expect(buildTeachingIndex([]).search('hope')).toEqual([])
    expect(buildTeachingIndex([]).search('Romans 8')).toEqual([])
    expect(buildTeachingIndex([]).search('')).toEqual([])
  })
})

describe('words', () => {
  test.each([
    ['hope', ['Hope_in Christ', 'Forgiveness']],
    ['HOP', ['Hope_in Christ', 'Forgiveness']],
    ['hope christ', ['Hope_in Christ']],
    ['christ hope', ['Hope_in Christ']],
    ['hope_in', ['Hope_in Christ']],
    ['gods', ['God’s love']],
    ["god's", ['God’s love']],
    ['obrien', ['God’s love']],
    ['puriri', ['No condemnation']],
    ['Pūriri', ['No condemnation']],
    ['smith hope', ['Hope_in Christ']],
    ['part 3', ['The gospel of John, part 3']],
    // Title before speaker before scripture.
    ['john', ['The gospel of John, part 3', 'Hope_in Christ', 'Romans 8 in an hour', 'God’s love', 'Grace']],
    // The full name finds a row with the book's abbreviation.
    ['romans smith', ['Romans 8 in an hour', 'Hope_in Christ']],
  ])('%j', (query, expected) => {
    expect(titles(query)).toEqual(expected)
  })

  test('an empty query returns every row, newest first', () => {
    for (const query of ['', '  ', '…']) expect(titles(query)).toEqual(library.map((found) => found.title))
  })

  test('the limit applies after ranking', () => {
    expect(titles('john', 2)).toEqual(['The gospel of John, part 3', 'Hope_in Christ'])
    expect(titles('', 1)).toEqual(['Hope_in Christ'])
    expect(titles('Romans 8', 1)).toEqual(['Romans 8 in an hour'])
  })

  test('a search does not affect the next one', () => {
    titles('romans')
    expect(titles('hope')).toEqual(['Hope_in Christ', 'Forgiveness'])
  })
})

describe('dates', () => {
  test.each([
    ['2026', ['Hope_in Christ', 'No condemnation']],
    ['2026-03', ['Hope_in Christ', 'No condemnation']],
    ['2026-3', ['Hope_in Christ', 'No condemnation']],
    ['2026-03-15', ['Hope_in Christ']],
    ['15/3/2026', ['Hope_in Christ']],
    ['march', ['Hope_in Christ', 'No condemnation']],
    ['March 2026', ['Hope_in Christ', 'No condemnation']],
    ['15 march 2026', ['Hope_in Christ']],
    ['25 december', ['God’s love']],
    ['christmas', []],
    ['dec 2025', ['God’s love']],
  ])('%j', (query, expected) => {
    expect(titles(query)).toEqual(expected)
  })
})

describe('references match overlapping passages', () => {
  const inRomans8 = ['Romans 8 in an hour', 'Hope_in Christ', 'No condemnation']
  test.each([
    ['Romans 8', inRomans8],
    ['romans 8', inRomans8],
    ['rom 8', inRomans8],
    ['Romans 8:', inRomans8],
    ['rom 8:28', ['Hope_in Christ', 'Romans 8 in an hour']],
    ['Romans 8:28-', ['Hope_in Christ', 'Romans 8 in an hour']],
    ['Romans 8:28-3', ['Hope_in Christ', 'Romans 8 in an hour']],
    ['Romans 8:1-4', ['No condemnation', 'Romans 8 in an hour']],
    ['Romans 7', ['No condemnation']],
    ['Romans 6-9', ['Hope_in Christ', 'No condemnation', 'Romans 8 in an hour']],
    ['1 Jn 4:7-12', ['God’s love']],
    ['1 John', ['God’s love']],
    ['john 1', ['The gospel of John, part 3']],
    ['John 3:16', ['Grace']],
    ['Ephesians 2', ['Grace']],
    ['john 1; ephesians 2', ['The gospel of John, part 3', 'Grace']],
  ])('%j', (query, expected) => {
    expect(titles(query)).toEqual(expected)
  })
})

test('ignores the figures of a reference in the title', () => {
  const row = (title: string, scriptureReference: string) => ({
    title,
    scriptureReference,
    speaker: 'John Smith',
    date: '2026-01-01',
  })
  const rows = [row('Psalm 23; John 10:1-18', 'Psalm 23; John 10:1-18'), row('Love', '1 John 4:7-21')]
  expect(
    buildTeachingIndex(rows)
      .search('1 john')
      .map(({ title }) => title),
  ).toEqual(['Love'])
})

describe('a reference with words: rows that match both come first', () => {
  test.each([
    ['smith rom 8:30', ['Hope_in Christ', 'Romans 8 in an hour']],
    ['rom 8:30 smith', ['Hope_in Christ', 'Romans 8 in an hour']],
    ['rom 8:30 hop', ['Hope_in Christ']],
    ['rom 8:30 hpoe', ['Hope_in Christ']],
    ['puriri Rom. 8', ['No condemnation']],
    ['1 jn 4:8 pat', ['God’s love']],
    ['jones john 1:3', ['The gospel of John, part 3']],
    ['romans 8 hour', ['Romans 8 in an hour']],
    // Overlapping passages first, then matching words.
    ['john 3 mark', ['Grace']],
    ['2024 rom 8:1', ['Romans 8 in an hour']],
    // Not a whole book: a name.
    ['john smith', ['Hope_in Christ', 'Romans 8 in an hour']],
    ['1 john pat', ['God’s love']],
    ['rom 99 smith', []],
    ['rom 8:30 zzzz', []],
    ['jones rom 8', []],
  ])('%j', (query, expected) => {
    expect(titles(query)).toEqual(expected)
  })
})

describe('typos, only for words that are no prefix', () => {
  test.each([
    ['forgivness', ['Forgiveness']],
    ['forgivenes', ['Forgiveness']],
    ['foriveness', ['Forgiveness']],
    ['condemantion', ['No condemnation']],
    ['xondemnation', ['No condemnation']],
    ['grcae', ['Grace']],
    ['gace', ['Grace']],
    ['smyth hope', ['Hope_in Christ']],
    // An incomplete word.
    ['forgvene', ['Forgiveness']],
    // 'hop' is a prefix of 'hope', so no correction is tried.
    ['hop', ['Hope_in Christ', 'Forgiveness']],
    // Numbers are never corrected.
    ['2027', []],
    ['zz', []],
  ])('%j', (query, expected) => {
    expect(titles(query)).toEqual(expected)
  })
})

/**
 * The same rules said the slow way: every row, every word, a full table of distances. Shares only folding and the
 * reading of references with the index.
 */
function searchSlowly(rows: readonly SearchableTeaching[], query: string): SearchableTeaching[] {
  const newest = rows
    .map((r, at) => ({ r, at }))
    .sort((a, b) => b.r.date.localeCompare(a.r.date) || a.at - b.at)
  const fieldsOf = ({ title, speaker, scriptureReference, date }: SearchableTeaching) => {
    const reference = scriptureReference ?? ''
    const month = new Date(`${date}T00:00Z`)
      .toLocaleString('en', { month: 'long', timeZone: 'UTC' })
      .toLowerCase()
    return [
      foldedWords(title),
      foldedWords(speaker),
      [...foldedWords(reference), ...foldedWords(parseScripture(reference)?.display ?? '')],
      [date, month, date.slice(8), String(Number(date.slice(8)))],
    ]
  }
  const rangesOverlap = (a: ScriptureRange, b: ScriptureRange) => a.start <= b.end && b.start <= a.end
  const all = [...new Set(rows.flatMap((r) => fieldsOf(r).flat()))]
  const words = foldedWords(query)
  const reference = /[\s\d]/.test(query.trim()) ? parseScripture(query) : null
  const beside = reference ? undefined : passageBeside(query)
  const both = beside
    ? searchSlowly(rows, beside.words).filter((r) =>
        parseScripture(r.scriptureReference ?? '')?.ranges.some((a) =>
          beside.ranges.some((b) => rangesOverlap(a, b)),
        ),
      )
    : []
  const found = newest.flatMap(({ r }) => {
    const score = scoreOf(
      // To a reference, a title that only repeats another one has no words.
      reference && r.title === r.scriptureReference ? [[]] : fieldsOf(r),
      words.map((word) => (reference ? [word] : candidates(word, all))),
      reference ? 1 : 4,
    )
    if (score !== undefined) return [{ r, score }]
    const overlaps = parseScripture(r.scriptureReference ?? '')?.ranges.some((a) =>
      reference?.ranges.some((b) => rangesOverlap(a, b)),
    )
    return overlaps ? [{ r, score: 1000 }] : []
  })
  return [...new Set([...both, ...found.sort((a, b) => a.score - b.score).map(({ r }) => r)])]
}

/** Every beginning, then every end, the longest first. */
function passageBeside(query: string) {
  const chunks = query.trim().split(/\s+/)
  const splits = chunks
    .slice(1)
    .map((_, at) => [chunks.slice(0, at + 1).join(' '), chunks.slice(at + 1).join(' ')] as const)
  const asked = [
    ...splits.toReversed().map(([passage, words]) => ({ passage, words })),
    ...splits.map(([words, passage]) => ({ passage, words })),
  ]
  for (const { passage, words } of asked) {
    const ranges = /[a-z]/i.test(passage) && /\d$/.test(passage) ? parseScripture(passage)?.ranges : undefined
    if (ranges) return { words, ranges }
  }
  return undefined
}

function scoreOf(fields: string[][], words: string[][], fieldLimit: number): number | undefined {
  let score = 0
  for (const beginnings of words) {
    const field = fields.findIndex((held) => held.some((word) => beginnings.some((b) => word.startsWith(b))))
    if (field < 0 || field >= fieldLimit) return undefined
    score += field
  }
  return score
}

function candidates(word: string, all: string[]): string[] {
  if (all.some((known) => known.startsWith(word))) return [word]
  if (word.length < 3 || /\d/.test(word)) return []
  const slips = word.length < 7 ? 1 : 2
  const beginnings = (known: string) => Array.from({ length: known.length + 1 }, (_, n) => known.slice(0, n))
  for (const away of [
    (known: string) => editDistance(word, known),
    (known: string) => Math.min(...beginnings(known).map((b) => editDistance(word, b))),
  ]) {
    const nearest = Math.min(...all.map(away))
    if (nearest <= slips) return all.filter((known) => away(known) === nearest)
  }
  return []
}

/** Optimal string alignment, by its definition. */
function editDistance(a: string, b: string): number {
  const table = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => i || j),
  )
  const at = (i: number, j: number) => table[i]![j]!
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      let least = Math.min(
        at(i - 1, j) + 1,
        at(i, j - 1) + 1,
        at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
      )
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, at(i - 2, j - 2) + 1)
      table[i]![j] = least
    }
  }
  return at(a.length, b.length)
}

describe('built in steps', () => {
  const many = manyTeachings(1_000)

  test('yields at least every hundred rows of a field', () => {
    const steps = teachingIndexInSteps(many)
    let count = 0
    while (!steps.next().done) count += 1
    // Four fields and the passages.
    expect(count).toBeGreaterThanOrEqual((5 * many.length) / 100)
  })

  test('finds the same as an index built at once', () => {
    const inSteps = finish(teachingIndexInSteps(many))
    const atOnce = buildTeachingIndex(many)
    for (const query of ['', 'grace', 'graec', 's', 'romans 8', 'john 3:16', '2019', 'zzzz'])
      expect(inSteps.search(query)).toEqual(atOnce.search(query))
  })
})

describe('compared with a linear search', () => {
  const word = fc.constantFrom(
    ...'grace gracious hope hopeful faith faithful father love loved john romans ruth mark māori o’brien part 2 8 the forgiveness condemnation'.split(
      ' ',
    ),
  )
  const reference = fc.constantFrom(
    null,
    '',
    'Romans 8:28-39',
    'Romans 7:1-8:4',
    'Rom 8',
    'Romans',
    'John 3:16; Romans 8:1',
    '1 John 4:7-21',
    'Ruth 1',
    'various',
  )
  const teaching = fc.record({
    title: fc.array(word, { maxLength: 4 }).map((words) => words.join(' ')),
    speaker: fc.array(word, { minLength: 1, maxLength: 2 }).map((words) => words.join(' ')),
    scriptureReference: reference,
    date: fc.constantFrom('2026-03-15', '2026-03-08', '2025-12-25', '2024-02-29', '2020-08-08'),
  })
  const typed = fc.tuple(word, fc.nat(12), fc.constantFrom('', '', '', 'x', 'e')).map(([w, at, extra]) => {
    const i = Math.min(at, w.length)
    return extra ? w.slice(0, i) + extra + w.slice(i + 1) : w.slice(0, i)
  })
  const query = fc.oneof(
    fc.array(typed, { maxLength: 3 }).map((words) => words.join(' ')),
    fc.constantFrom(
      'Romans 8',
      'rom 8:28',
      'Romans 7:20-8:1',
      '1 john',
      'ruth 1',
      'john 3:16; ruth 1',
      'march',
      '2026',
      '8 march 2026',
      'grace rom 8:28',
      'rom 8:1 fiathful love',
      'john 3 mark',
    ),
  )

  test('every query finds the same rows in the same order', () => {
    fc.assert(
      fc.property(
        fc.array(teaching, { maxLength: 12 }),
        fc.array(query, { minLength: 1, maxLength: 4 }),
        (rows, queries) => {
          const built = buildTeachingIndex(rows)
          for (const asked of queries) {
            const slow = foldedWords(asked).length === 0 ? undefined : searchSlowly(rows, asked)
            if (slow) expect(built.search(asked)).toEqual(slow)
            else expect(built.search(asked)).toHaveLength(rows.length)
          }
        },
      ),
      { seed: 8, numRuns: 200 },
    )
  })
})
