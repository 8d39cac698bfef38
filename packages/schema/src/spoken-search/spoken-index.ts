import { buildNearestWords } from '../teachings/teaching-search-typos.ts'
import { lowerBound, type Steps } from '../teachings/teaching-search-vocabulary.ts'
import { askedParts, type AskedWord } from './spoken-query.ts'
import { decodeWords, eachNumber, type SpokenWords } from './spoken-words.ts'

/** The words of one teaching. */
export interface IndexedText extends SpokenWords {
  readonly uid: string
}

export interface SpokenIndex {
  /**
   * The texts that have every word of the query, or one that begins with it; a word that no text has is replaced by the
   * nearest ones, unless it is quoted. Texts with the words as they were typed come first, then in the order of the texts.
   */
  search(query: string): SpokenMatches
  /** Number of texts. */
  readonly texts: number
}

interface SpokenMatches {
  readonly uids: readonly string[]
  /** The parts of the query as they were found; empty if the query is too short. */
  readonly parts: readonly MeantPart[]
}

/** A part of a query, with the words that were found for each of its words. */
export type MeantPart = readonly MeantWord[]

interface MeantWord {
  readonly whole: boolean
  /** The typed word, or the nearest ones that were said. */
  readonly beginnings: readonly string[]
}

/**
 * An inverted index: the words in order, and the texts of each. It is built in steps of some milliseconds.
 *
 * @param dictionary the words by their numbers
 * @throws RangeError if a text is damaged
 */
export function* spokenIndexInSteps(
  dictionary: readonly string[],
  texts: readonly IndexedText[],
): Steps<SpokenIndex> {
  const { words, starts, postings } = yield* invert(dictionary, texts)
  let nearestWords: ((word: string) => number[]) | undefined
  const best = new Uint8Array(texts.length)
  const sum = new Uint8Array(texts.length)

  function meantBy({ word, whole }: AskedWord): MeantWord {
    if (whole || words[lowerBound(words, word)]?.startsWith(word)) return { whole, beginnings: [word] }
    nearestWords ??= buildNearestWords(words)
    return { whole, beginnings: nearestWords(word).map((near) => words[near]!) }
  }

  /** Sets `best` of each text to how well it has the word: 0 as typed, 1 its beginning or another word, `absent` not at all. */
  function matchWord({ word }: AskedWord, { whole, beginnings }: MeantWord): void {
    best.fill(absent)
    for (const beginning of beginnings) {
      const from = lowerBound(words, beginning)
      // No folded word contains U+FFFF.
      const to = whole ? from + Number(words[from] === beginning) : lowerBound(words, `${beginning}\uffff`)
      const exact = words[from] === word ? starts[from + 1]! : 0
      for (let i = starts[from]!, end = starts[to]!; i < end; i++) {
        const text = postings[i]!
        if (i < exact) best[text] = 0
        else if (best[text] === absent) best[text] = 1
      }
    }
  }

  return {
    texts: texts.length,
    search(query) {
      const asked = askedParts(query)
      const parts = asked.map((part) => part.map(meantBy))
      if (asked.length === 0) return { uids: [], parts }
      sum.fill(0)
      asked.forEach((part, at) =>
        part.forEach((word, place) => {
          matchWord(word, parts[at]![place]!)
          for (let text = 0; text < sum.length; text++) sum[text] = Math.min(absent, sum[text]! + best[text]!)
        }),
      )
      return { uids: ranked(texts, sum), parts }
    },
  }
}

/** More than the sum over all words of a query. */
const absent = 255

function ranked(texts: readonly IndexedText[], sum: Uint8Array): string[] {
  const byScore: string[][] = []
  for (let text = 0; text < sum.length; text++)
    if (sum[text] !== absent) (byScore[sum[text]!] ??= []).push(texts[text]!.uid)
  return byScore.flat()
}

/** Postings are counted before they are placed, so that they need no lists of their own. */
function* invert(dictionary: readonly string[], texts: readonly IndexedText[]) {
  const own = new Map<string, number>()
  const ownOf: (readonly number[])[] = []
  for (const [at, text] of texts.entries()) {
    if (at % textsOfStep === 0) yield
    ownOf.push(decodeWords(text.own).map(numberOf))
  }
  const all = [...dictionary, ...own.keys()]
  const counts = new Uint32Array(all.length)
  const forEachWord = (at: number, then: (number: number) => void) => {
    eachNumber(texts[at]!.numbers, dictionary.length, then)
    ownOf[at]!.forEach(then)
  }
  for (let at = 0; at < texts.length; at++) {
    if (at % textsOfStep === 0) yield
    forEachWord(at, (number) => counts[number]!++)
  }
  yield
  // Words that no text has any more are left out, so that none is taken for a misspelt one.
  const order = [...all.keys()].filter((number) => counts[number]! > 0)
  order.sort((a, b) => (all[a]! < all[b]! ? -1 : 1))
  yield
  const starts = new Uint32Array(order.length + 1)
  const next = new Uint32Array(all.length)
  order.forEach((number, position) => {
    next[number] = starts[position]!
    starts[position + 1] = starts[position]! + counts[number]!
  })
  const total = starts[order.length]!
  const postings = texts.length <= 0xffff ? new Uint16Array(total) : new Uint32Array(total)
  for (let at = 0; at < texts.length; at++) {
    if (at % textsOfStep === 0) yield
    forEachWord(at, (number) => (postings[next[number]!++] = at))
  }
  return { words: order.map((number) => all[number]!), starts, postings }

  function numberOf(word: string): number {
    const known = own.get(word)
    if (known !== undefined) return known
    const number = dictionary.length + own.size
    own.set(word, number)
    return number
  }
}

const textsOfStep = 20
