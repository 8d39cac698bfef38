/**
 * Finds the nearest words to a misspelt one: first among whole words, then among their prefixes (the word may be
 * incomplete). One edit in words of three to six letters, two in longer ones; an edit is an insertion, a deletion, a
 * substitution or a transposition. Numbers are never corrected.
 */
export function buildNearestWords(vocabulary: readonly string[]): (word: string) => number[] {
  const letters = Uint32Array.from(vocabulary, letterSet)

  return (word) => {
    const slips = allowedSlips(word)
    if (slips === 0) return []
    const wanted = letterSet(word)
    const whole = nearest((index, candidate, limit) => {
      if (Math.abs(candidate.length - word.length) > limit) return limit + 1
      // An edit changes at most two letters of the set; this skips nearly every comparison.
      return bitCount(wanted ^ letters[index]!) > 2 * limit
        ? limit + 1
        : distance(word, candidate, limit, false)
    })
    if (whole.length > 0) return whole
    return nearest((index, candidate, limit) => {
      if (candidate.length < word.length - limit) return limit + 1
      return bitCount(wanted & ~letters[index]!) > limit ? limit + 1 : distance(word, candidate, limit, true)
    })

    function nearest(distanceTo: (index: number, candidate: string, limit: number) => number): number[] {
      let limit = slips
      let found: number[] = []
      vocabulary.forEach((candidate, index) => {
        const away = distanceTo(index, candidate, limit)
        if (away > limit) return
        if (away < limit) found = []
        limit = away
        found.push(index)
      })
      return found
    }
  }
}

const longestWord = 40

function allowedSlips(word: string): number {
  if (word.length < 3 || word.length > longestWord || /\p{N}/u.test(word)) return 0
  return word.length < 7 ? 1 : 2
}

/** The letters of a word as a bit set: one bit each for a to z, shared ones for others. */
function letterSet(word: string): number {
  let set = 0
  for (let i = 0; i < word.length; i++) set |= 1 << ((word.charCodeAt(i) + 31) % 32)
  return set >>> 0
}

function bitCount(bits: number): number {
  let n = bits - ((bits >>> 1) & 0x55555555)
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333)
  return Math.imul((n + (n >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

// Three rows of the table are enough: edits look back one row, transpositions two.
let beforeLast = new Uint8Array(longestWord + 1)
let last = new Uint8Array(longestWord + 1)
let current = new Uint8Array(longestWord + 1)

/**
 * Optimal string alignment distance (Damerau-Levenshtein without editing a transposed pair again) of `word` to
 * `candidate` or to its nearest prefix. Anything above `limit` is returned as more than `limit`.
 */
function distance(word: string, candidate: string, limit: number, beginning: boolean): number {
  const columns = word.length
  // Longer prefixes are too far away by length alone.
  const rows = beginning ? Math.min(candidate.length, columns + limit) : candidate.length
  for (let column = 0; column <= columns; column++) last[column] = column
  let best = columns
  for (let row = 1; row <= rows; row++) {
    const letter = candidate.charCodeAt(row - 1)
    current[0] = row
    let least = row
    for (let column = 1; column <= columns; column++) {
      const same = word.charCodeAt(column - 1) === letter
      let away = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (same ? 0 : 1))
      const swapped =
        row > 1 &&
        column > 1 &&
        word.charCodeAt(column - 2) === letter &&
        word.charCodeAt(column - 1) === candidate.charCodeAt(row - 2)
      if (swapped) away = Math.min(away, beforeLast[column - 2]! + 1)
      current[column] = away
      if (away < least) least = away
    }
    if (beginning && current[columns]! < best) best = current[columns]!
    const spare = beforeLast
    beforeLast = last
    last = current
    current = spare
    // A transposition looks back two rows, so only two bad rows in a row end the search.
    if (least > limit + 1) break
    if (row === rows && !beginning) return last[columns]!
  }
  return beginning ? best : limit + 1
}
