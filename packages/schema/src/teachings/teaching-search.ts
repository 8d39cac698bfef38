import { type ScriptureRange, isBookName, parseScripture } from '../scripture.ts'
import { foldedWords } from '../text-folding.ts'
import { type Field, type Steps, buildVocabulary, rowsOfStep } from './teaching-search-vocabulary.ts'

export interface SearchableTeaching {
  readonly title: string
  readonly speaker: string
  /** YYYY-MM-DD */
  readonly date: string
  readonly scriptureReference: string | null
  readonly description?: string | null
}

export interface TeachingIndex<Row extends SearchableTeaching> {
  /**
   * Rows in which every word of the query is a prefix of a word of title, speaker, scripture, date or description: best
   * field first, then newest. A reference ('Romans 8', '1 Jn 4:7-12') finds the rows whose passage overlaps it and the
   * titles with its words; with words before or after it ('Smith rom 8:30') the rows that match both come first. A word
   * that is no prefix in the library is replaced by the nearest one. An empty query returns every row.
   */
  search(query: string, options?: { readonly limit?: number }): Row[]
}

/**
 * Indexes the whole catalogue for a search at every keystroke: for 10,000 rows some tens of milliseconds to build, well
 * under one to search. Rebuild it when rows change. The parts for references and typos are built when first needed.
 */
export function buildTeachingIndex<Row extends SearchableTeaching>(rows: readonly Row[]): TeachingIndex<Row> {
  return finish(build(rows)).index
}

/**
 * The same in steps, for a page that must stay responsive, with all parts. A few warm-up searches run too: code that has
 * never run is several times slower, which the first keystrokes would feel.
 */
export function* teachingIndexInSteps<Row extends SearchableTeaching>(
  rows: readonly Row[],
): Steps<TeachingIndex<Row>> {
  const { index, prepare } = yield* build(rows)
  yield* prepare()
  for (const query of tryouts) {
    yield
    index.search(query)
  }
  return index
}

/** Warm-up queries: frequent prefixes, two words, a typo, and a passage. */
const tryouts = ['t', 's', 'a', 'th', 'the s', 'graec', 'john 3:16', 'romans 8', 'romans 8 the']

/** Runs the remaining steps without a pause. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

function* build<Row extends SearchableTeaching>(
  rows: readonly Row[],
): Steps<{ index: TeachingIndex<Row>; prepare: () => Steps<void> }> {
  const newestFirst = [...rows].sort((a, b) => (a.date < b.date ? 1 : a.date > b.date ? -1 : 0))
  yield
  const vocabulary = yield* buildVocabulary(newestFirst, fields, {
    field: dateField,
    rows: (word) => rowsByDate(newestFirst, word),
  })
  let passages: Passages | undefined

  function* prepare(): Steps<void> {
    passages ??= yield* indexPassages(newestFirst)
    yield
    vocabulary.prepare()
  }
  const index: TeachingIndex<Row> = {
    search(query, { limit = Infinity } = {}) {
      const words = queryWords(query)
      if (words.length === 0) return newestFirst.slice(0, limit)
      const ranges = referenceIn(query)
      if (ranges) {
        const found = new Set(vocabulary.match(words, titleOnly).filter(hasTitleOfItsOwn))
        addOverlapping(found, passagesNow(), ranges)
        return take(newestFirst, found, limit)
      }
      const beside = referenceBeside(query)
      if (!beside) return take(newestFirst, vocabulary.match(words), limit)
      const overlapping = new Set<number>()
      addOverlapping(overlapping, passagesNow(), beside.ranges)
      const both = vocabulary.match(queryWords(beside.words)).filter((row) => overlapping.has(row))
      return take(newestFirst, new Set([...both, ...vocabulary.match(words)]), limit)
    },
  }
  return { index, prepare }

  /** A title that repeats the reference has no words: '1 john' must not find 'Psalm 10; John 1' by its figures. */
  function hasTitleOfItsOwn(row: number): boolean {
    const { title, scriptureReference } = newestFirst[row]!
    return title !== scriptureReference
  }

  function passagesNow(): Passages {
    return (passages ??= finish(indexPassages(newestFirst)))
  }
}

/** In ranking order. */
const fields: readonly Field<SearchableTeaching>[] = [
  { text: (row) => row.title, words: foldedWords, repeats: false },
  { text: (row) => row.speaker, words: foldedWords, repeats: true },
  { text: (row) => row.scriptureReference ?? '', words: scriptureWords, repeats: false },
  { text: (row) => row.date.slice(4), words: dayWords, repeats: true },
  { text: (row) => row.description ?? '', words: foldedWords, repeats: true },
]
const titleOnly = 1
const dateField = 3

/** Rows whose date starts with `figures`: adjacent, because rows are sorted by date. */
function rowsByDate(rows: readonly SearchableTeaching[], figures: string): [from: number, to: number] {
  if (!/^\d/.test(figures)) return [0, 0]
  return [rowsAfter(rows, `${figures}\uffff`), rowsAfter(rows, figures)]
}

/** Number of rows with a date of `bound` or later. */
function rowsAfter(rows: readonly SearchableTeaching[], bound: string): number {
  let from = 0
  let to = rows.length
  while (from < to) {
    const middle = (from + to) >>> 1
    if (rows[middle]!.date >= bound) from = middle + 1
    else to = middle
  }
  return from
}

/** One entry per range, in row order. */
interface Passages {
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  readonly rows: Uint32Array
}

function* indexPassages(rows: readonly SearchableTeaching[]): Steps<Passages> {
  const starts: number[] = []
  const ends: number[] = []
  const rowsOf: number[] = []
  for (const [row, { scriptureReference }] of rows.entries()) {
    if (row % rowsOfStep === 0) yield
    const ranges = scriptureReference ? parseScripture(scriptureReference)?.ranges : undefined
    for (const range of ranges ?? []) {
      starts.push(range.start)
      ends.push(range.end)
      rowsOf.push(row)
    }
  }
  return { starts: Uint32Array.from(starts), ends: Uint32Array.from(ends), rows: Uint32Array.from(rowsOf) }
}

function addOverlapping(
  found: Set<number>,
  { starts, ends, rows }: Passages,
  wanted: readonly ScriptureRange[],
) {
  for (let i = 0; i < rows.length; i++) {
    for (const { start, end } of wanted) {
      if (starts[i]! <= end && start <= ends[i]!) found.add(rows[i]!)
    }
  }
}

function take<Row>(rows: readonly Row[], found: Iterable<number>, limit: number): Row[] {
  const taken: Row[] = []
  for (const row of found) {
    if (taken.length >= limit) break
    taken.push(rows[row]!)
  }
  return taken
}

/**
 * The passages in a query. A single word without a number is searched as a word: 'John' is a speaker as often as a book.
 * An incomplete reference ('Romans 8:', 'Romans 8:28-3') is parsed as far as it is valid.
 */
function referenceIn(query: string): readonly ScriptureRange[] | undefined {
  const typed = query.trim().replace(/[\s:;,.–—-]+$/, '')
  if (!/[\s_\d]/.test(typed)) return undefined
  const read = parseScripture(typed) ?? parseScripture(typed.replace(/\s*[–—-][\d\s:.]*$/, ''))
  return read?.ranges
}

/**
 * A passage with words before or after it: the longest prefix of the query that names a chapter, else the longest such
 * suffix. Not a whole book: 'John Smith' is a person.
 */
function referenceBeside(query: string): { ranges: readonly ScriptureRange[]; words: string } | undefined {
  const chunks = query.trim().split(/\s+/)
  // Bounds the work for pasted text.
  if (chunks.length > 20) return undefined
  const cuts = chunks.slice(1).map((_, at) => at + 1)
  for (const [at, isFirst] of [
    ...cuts.toReversed().map((cut) => [cut, true] as const),
    ...cuts.map((cut) => [cut, false] as const),
  ]) {
    const parts = [chunks.slice(0, at).join(' '), chunks.slice(at).join(' ')] as const
    const [passage, words] = isFirst ? parts : [parts[1], parts[0]]
    const ranges = namesChapter.test(passage) ? referenceIn(passage) : undefined
    if (ranges) return { ranges, words }
  }
  return undefined
}

/** A letter followed by a number at the end. */
const namesChapter = /\p{L}[.\s]*\d[\d\s:;,.–—-]*$/u

/** The distinct words of a query. A numeric date is one word: '2026-03', '15/3/2026'. */
function queryWords(query: string): string[] {
  const words = query.split(/\s+/).flatMap((chunk) => dateInFigures(chunk) ?? foldedWords(chunk))
  return [...new Set(words)]
}

/** Words for '-03-15', a date without its year: 'march', '15'. Whole dates are found by their sort order. */
function dayWords(monthAndDay: string): string[] {
  const [, month = '', day = ''] = monthAndDay.split('-')
  const name = months[Number(month) - 1] ?? ''
  return [name, day, day.replace(/^0/, '')].filter((word, i, all) => word !== '' && all.indexOf(word) === i)
}

/** Words of a reference as written, and the full name of its book: 'Rom 8:28' is found by 'romans' too. */
function scriptureWords(reference: string): string[] {
  const written = foldedWords(reference)
  if (isBookName(reference.slice(0, reference.lastIndexOf(' ')))) return written
  const display = parseScripture(reference)?.display ?? ''
  return [...new Set([...written, ...foldedWords(display)])]
}

const months = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
]

/** '2026-03', '2026-3' and '15/3/2026' as the prefix of a plain date; undefined for anything else. */
function dateInFigures(chunk: string): string | undefined {
  const ours = /^(\d{4}-)(\d{0,2}|\d{2}-\d{0,2})$/.exec(chunk)
  // No two-digit month starts with 2 to 9.
  if (ours) return /^[2-9]$/.test(ours[2] ?? '') ? `${ours[1]}0${ours[2]}` : chunk
  const [, day, month, year] = /^(\d{1,2})[/.](\d{1,2})[/.](\d{4})$/.exec(chunk) ?? []
  if (!day || !month || !year) return undefined
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
}
