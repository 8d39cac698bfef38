import { foldedWords } from '../text-folding.ts'

/**
 * How the words of a text travel. A dictionary, which only grows, numbers the words that several texts have; a text is the
 * numbers of its words, and the words that the dictionary lacks. Both are plain text that a compressor shrinks well.
 */
export interface SpokenWords {
  /** The numbers in ascending order, as their distances. */
  readonly numbers: string
  /** The other words, as of `encodeWords`. */
  readonly own: string
}

/** The distinct words of a text, folded as the library's search folds them. */
export function distinctWords(sentences: readonly { readonly text: string }[]): string[] {
  const found = new Set<string>()
  for (const { text } of sentences)
    for (const word of foldedWords(text)) found.add(word.slice(0, longestWord))
  return [...found]
}

/** Letters that are indexed of a word: longer ones are noise. */
export const longestWord = 40

/**
 * Words as text, each by the letters that it does not share with the one before it. A capital before a word tells how many it
 * shares: folded words have none.
 */
export function encodeWords(words: readonly string[]): string {
  let text = ''
  let before = ''
  for (const word of words) {
    let shared = 0
    while (shared < mostShared && shared < before.length && before[shared] === word[shared]) shared++
    text += String.fromCharCode(firstCapital + shared) + word.slice(shared)
    before = word
  }
  return text
}

/** @throws RangeError if the text was not made by `encodeWords` */
export function decodeWords(text: string): string[] {
  const words: string[] = []
  let before = ''
  for (let at = 0; at < text.length;) {
    const shared = text.charCodeAt(at) - firstCapital
    if (shared < 0 || shared > Math.min(mostShared, before.length)) throw new RangeError('No list of words')
    let end = at + 1
    while (end < text.length && !isCapital(text.charCodeAt(end))) end++
    before = before.slice(0, shared) + text.slice(at + 1, end)
    words.push(before)
    at = end
  }
  return words
}

const firstCapital = 65
const mostShared = 25
const isCapital = (code: number) => code >= firstCapital && code <= firstCapital + mostShared

/** The words of a text by this dictionary. */
export function encodeText(words: readonly string[], dictionary: ReadonlyMap<string, number>): SpokenWords {
  const numbers: number[] = []
  const own: string[] = []
  for (const word of words) {
    const number = dictionary.get(word)
    if (number === undefined) own.push(word)
    else numbers.push(number)
  }
  return { numbers: encodeNumbers(numbers.sort((a, b) => a - b)), own: encodeWords(own.sort()) }
}

/**
 * Ascending numbers as their distances, one character for most: a last digit of 57, after leading digits of 34 from another
 * range. Neither has a character that JSON escapes.
 */
function encodeNumbers(numbers: readonly number[]): string {
  let text = ''
  let before = -1
  for (const number of numbers) {
    const distance = number - before - 1
    let leading = ''
    for (let rest = Math.floor(distance / lastBase); rest > 0; rest = Math.floor(rest / leadingBase))
      leading = String.fromCharCode(leadingFirst + (rest % leadingBase)) + leading
    text += leading + String.fromCharCode(lastFirst + (distance % lastBase))
    before = number
  }
  return text
}

/**
 * Calls back with each number, in ascending order.
 *
 * @throws RangeError for a number that is not below `end`, and for text that was not made by `encodeText`
 */
export function eachNumber(text: string, end: number, then: (number: number) => void): void {
  let number = -1
  let leading = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code >= leadingFirst) leading = leading * leadingBase + (code - leadingFirst)
    else {
      number += leading * lastBase + (code - lastFirst) + 1
      leading = 0
      if (code < lastFirst || !(number < end)) throw new RangeError('No list of numbers')
      then(number)
    }
  }
  if (text.charCodeAt(text.length - 1) >= leadingFirst) throw new RangeError('No list of numbers')
}

const lastFirst = 0x23
const lastBase = 57
const leadingFirst = 0x5d
const leadingBase = 34

/**
 * The words that the dictionary should learn: those that at least two texts have, if they are enough to be worth a piece of
 * their own; otherwise none. The most frequent come first, so that the distances in a text are short; those of nearly the
 * same frequency are in alphabetical order, as they then share their beginnings.
 *
 * @param known number of words in the dictionary
 * @param unknown the words of each text that the dictionary lacks
 */
export function wordsToLearn(known: number, unknown: Iterable<readonly string[]>): string[] {
  const counts = new Map<string, number>()
  for (const words of unknown) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  const shared = [...counts].flatMap(([word, count]) => (count > 1 ? [{ word, band: bandOf(count) }] : []))
  if (shared.length < Math.max(smallestPiece, known / 16)) return []
  return shared.sort((a, b) => b.band - a.band || (a.word < b.word ? -1 : 1)).map(({ word }) => word)
}

const bandOf = (count: number) => Math.floor(2 * Math.log2(count))
const smallestPiece = 128
