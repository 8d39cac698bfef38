import { buildNearestWords } from './teaching-search-typos.ts'

export interface Vocabulary {
  /**
   * Rows in which every word begins a word of the row, ranked by the sum over the words of the best field each was found
   * in (0 counts most), then in row order. With `fieldLimit` only fields below it are looked at, and words are taken as
   * they are.
   */
  match(words: readonly string[], fieldLimit?: number): Uint32Array
}

/** Fields fit into two bits of a posting. */
export const maximumFields = 4

/**
 * An index over `rows` of words: the words sorted, so that those with a common beginning stand together, and for each the
 * places where it stands, in the same order. A beginning is then one stretch of both. `wordsOf(row)` lists a row's words
 * by field.
 */
export function buildVocabulary(
  rows: number,
  wordsOf: (row: number) => readonly (readonly string[])[],
): Vocabulary {
  const { words, starts, postings } = index(rows, wordsOf)
  let nearestWords: ((word: string) => number[]) | undefined
  /** How many words, from the first on, a row has matched without a gap; the best field of the last; the sum before it. */
  const matched = new Uint8Array(rows)
  const best = new Uint8Array(rows)
  const sum = new Uint8Array(rows)

  function stretch(beginning: string): Stretch {
    // No folded word holds U+FFFF, so this stands right after the last word with the beginning.
    return [starts[lowerBound(words, beginning)]!, starts[lowerBound(words, `${beginning}\uffff`)]!]
  }

  function stretchesOf(word: string, mayGuess: boolean): Stretch[] {
    const exact = stretch(word)
    if (exact[0] < exact[1] || !mayGuess) return [exact]
    nearestWords ??= buildNearestWords(words)
    return nearestWords(word).map((found) => stretch(words[found]!))
  }

  function matchWord(before: number, [from, to]: Stretch, fieldLimit: number): void {
    for (let i = from; i < to; i++) {
      const posting = postings[i]!
      const field = posting & 3
      const row = posting >>> 2
      if (field >= fieldLimit) continue
      if (matched[row] === before) {
        matched[row] = before + 1
        sum[row]! += best[row]!
        best[row] = field
      } else if (matched[row] === before + 1 && field < best[row]!) best[row] = field
    }
  }

  return {
    match(queryWords, fieldLimit = maximumFields) {
      matched.fill(0)
      best.fill(0)
      sum.fill(0)
      const wanted = queryWords.slice(0, mostWords)
      wanted.forEach((word, before) => {
        for (const found of stretchesOf(word, fieldLimit === maximumFields))
          matchWord(before, found, fieldLimit)
      })
      return rank(matched, wanted.length, best, sum)
    },
  }
}

/** Positions in `postings`, from the first to before the second. */
type Stretch = [from: number, to: number]

/** More words than anyone types; keeps the sums of fields in a byte. */
const mostWords = 60

function index(rows: number, wordsOf: (row: number) => readonly (readonly string[])[]) {
  const numbers = new Map<string, number>()
  const counts: number[] = []
  const places: number[] = []
  const placeWords: number[] = []
  for (let row = 0; row < rows; row++) {
    wordsOf(row).forEach((fieldWords, field) => {
      for (const word of fieldWords) {
        let number = numbers.get(word)
        if (number === undefined) {
          number = numbers.size
          numbers.set(word, number)
          counts.push(0)
        }
        counts[number]!++
        places.push((row << 2) | field)
        placeWords.push(number)
      }
    })
  }

  const words = [...numbers.keys()].sort()
  const starts = new Uint32Array(words.length + 1)
  const next = new Uint32Array(words.length)
  words.forEach((word, position) => {
    const number = numbers.get(word)!
    next[number] = starts[position]!
    starts[position + 1] = starts[position]! + counts[number]!
  })
  const postings = new Uint32Array(places.length)
  places.forEach((place, i) => {
    postings[next[placeWords[i]!]!++] = place
  })
  return { words, starts, postings }
}

function lowerBound(words: readonly string[], word: string): number {
  let from = 0
  let to = words.length
  while (from < to) {
    const middle = (from + to) >>> 1
    if (words[middle]! < word) from = middle + 1
    else to = middle
  }
  return from
}

/** A counting sort: scores are small, and rows of one score stay in their order. */
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
