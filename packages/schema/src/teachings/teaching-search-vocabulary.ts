import { buildNearestWords } from './teaching-search-typos.ts'

/** A source of words; fields are listed in ranking order. */
export interface Field<Row> {
  readonly text: (row: Row) => string
  readonly words: (text: string) => readonly string[]
  /** Whether many rows share the same text, so that its words are cached. */
  readonly repeats: boolean
}

/** Rows from the first to before the second, found by other means, as a match in `field`. */
interface FoundRows {
  readonly field: number
  readonly rows: (word: string) => readonly [from: number, to: number]
}

interface Vocabulary {
  /**
   * Rows in which every word is a prefix of a word of the row, ranked by the sum over the words of the best field each
   * was found in (0 is best), then in row order. With `fieldLimit` only fields below it are searched, without typos.
   */
  match(words: readonly string[], fieldLimit?: number): Uint32Array
  /** Builds the index for misspelt words ahead of the first one. */
  prepare(): void
}

/** Long work in steps of well under a millisecond each. */
export type Steps<Result> = Generator<undefined, Result>

/** Rows per step. */
export const rowsOfStep = 100

/** A posting is a row and, in its last three bits, a field. */
const fieldBits = 3
const fieldMask = (1 << fieldBits) - 1
const maximumFields = 1 << fieldBits

/**
 * An inverted index: all words sorted, so that words with a common prefix are adjacent, and their postings in the same
 * order. A prefix is then one range of both.
 */
export function* buildVocabulary<Row>(
  rows: readonly Row[],
  fields: readonly Field<Row>[],
  also: FoundRows,
): Steps<Vocabulary> {
  const { words, starts, postings } = yield* index(rows, fields)
  let nearestWords: ((word: string) => number[]) | undefined
  /** Words, from the first on, that a row has matched without a gap; the best field of the last; the sum before it. */
  const matched = new Uint8Array(rows.length)
  const best = new Uint8Array(rows.length)
  const sum = new Uint8Array(rows.length)

  function matchWord(word: string, before: number, fieldLimit: number): void {
    const [from, to] = stretch(word)
    const [firstRow, endRow] = also.field < fieldLimit ? also.rows(word) : [0, 0]
    matchPostings(from, to, before, fieldLimit)
    for (let row = firstRow; row < endRow; row++) matchRow(row, also.field, before)
    if (from < to || firstRow < endRow || fieldLimit < maximumFields) return
    prepare()
    for (const near of nearestWords!(word)) matchPostings(...stretch(words[near]!), before, fieldLimit)
  }

  function prepare(): void {
    nearestWords ??= buildNearestWords(words)
  }

  function stretch(beginning: string): [from: number, to: number] {
    // No folded word contains U+FFFF, so this sorts right after the last word with the prefix.
    return [starts[lowerBound(words, beginning)]!, starts[lowerBound(words, `${beginning}\uffff`)]!]
  }

  function matchPostings(from: number, to: number, before: number, fieldLimit: number): void {
    for (let i = from; i < to; i++) {
      const posting = postings[i]!
      if ((posting & fieldMask) < fieldLimit) matchRow(posting >>> fieldBits, posting & fieldMask, before)
    }
  }

  function matchRow(row: number, field: number, before: number): void {
    if (matched[row] === before) {
      matched[row] = before + 1
      sum[row]! += best[row]!
      best[row] = field
    } else if (matched[row] === before + 1 && field < best[row]!) best[row] = field
  }

  return {
    prepare,
    match(queryWords, fieldLimit = maximumFields) {
      matched.fill(0)
      best.fill(0)
      sum.fill(0)
      const wanted = queryWords.slice(0, mostWords)
      wanted.forEach((word, before) => matchWord(word, before, fieldLimit))
      return rank(matched, wanted.length, best, sum)
    },
  }
}

/** Maximum words of a query: keeps the sums of fields in a byte. */
const mostWords = Math.floor(255 / (maximumFields - 1))

function* index<Row>(rows: readonly Row[], fields: readonly Field<Row>[]) {
  const { words: unsorted, places, placeWords } = yield* collectWords(rows, fields)
  const counts = new Uint32Array(unsorted.length)
  for (const word of placeWords) counts[word]!++
  yield

  const order = unsorted.map((_, number) => number).sort((a, b) => (unsorted[a]! < unsorted[b]! ? -1 : 1))
  yield
  const starts = new Uint32Array(unsorted.length + 1)
  const next = new Uint32Array(unsorted.length)
  order.forEach((number, position) => {
    next[number] = starts[position]!
    starts[position + 1] = starts[position]! + counts[number]!
  })
  const postings = new Uint32Array(places.length)
  for (let i = 0; i < places.length; i++) postings[next[placeWords[i]!]!++] = places[i]!
  return { words: order.map((number) => unsorted[number]!), starts, postings }
}

/** Distinct words, and postings with the index of their word. */
function* collectWords<Row>(rows: readonly Row[], fields: readonly Field<Row>[]) {
  const numbers = new Map<string, number>()
  const places: number[] = []
  const placeWords: number[] = []
  for (const [field, { text, words, repeats }] of fields.entries()) {
    const known = new Map<string, readonly number[]>()
    for (let row = 0; row < rows.length; row++) {
      if (row % rowsOfStep === 0) yield
      const held = text(rows[row]!)
      const found = known.get(held) ?? words(held).map(numberOf)
      if (repeats) known.set(held, found)
      for (const word of found) {
        places.push((row << fieldBits) | field)
        placeWords.push(word)
      }
    }
  }
  return { words: [...numbers.keys()], places, placeWords }

  function numberOf(word: string): number {
    const known = numbers.get(word)
    if (known !== undefined) return known
    numbers.set(word, numbers.size)
    return numbers.size - 1
  }
}

/** The place of the first word that is not before `word`. */
export function lowerBound(words: readonly string[], word: string): number {
  let from = 0
  let to = words.length
  while (from < to) {
    const middle = (from + to) >>> 1
    if (words[middle]! < word) from = middle + 1
    else to = middle
  }
  return from
}

/** A counting sort: scores are small, and rows of equal score keep their order. */
function rank(matched: Uint8Array, words: number, best: Uint8Array, sum: Uint8Array): Uint32Array {
  const next = new Uint32Array(256)
  for (let row = 0; row < matched.length; row++) {
    if (matched[row] === words) next[sum[row]! + best[row]!]!++
  }
  let total = 0
  for (let score = 0; score < next.length; score++) {
    const count = next[score]!
    next[score] = total
    total += count
  }
  const ranked = new Uint32Array(total)
  for (let row = 0; row < matched.length; row++) {
    if (matched[row] === words) ranked[next[sum[row]! + best[row]!]!++] = row
  }
  return ranked
}
