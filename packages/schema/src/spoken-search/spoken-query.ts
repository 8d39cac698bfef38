import { foldedWords } from '../text-folding.ts'
import { longestWord } from './spoken-words.ts'
import { spokenLimits } from './spoken-search.limits.ts'

/** A word of a query. */
export interface AskedWord {
  readonly word: string
  /** Whether it was typed whole: it then matches itself only, else every word that begins with it. */
  readonly whole: boolean
}

/** Words that must follow each other; one word for each part that is not quoted. */
export type AskedPart = readonly AskedWord[]

/**
 * The parts of a query: quoted words belong together and are whole, except the last one as long as the quotation is open, as
 * it may be unfinished. Empty if the query is too short to mean a word.
 */
export function askedParts(query: string): AskedPart[] {
  const parts: AskedPart[] = []
  let left: number = spokenLimits.queryWords
  query.split(quotationMarks).forEach((piece, at, all) => {
    const words = foldedWords(piece)
      .slice(0, left)
      .map((word) => word.slice(0, longestWord))
    left -= words.length
    const isQuoted = at % 2 === 1
    const isOpen = at === all.length - 1
    if (isQuoted && words.length > 0)
      parts.push(words.map((word, place) => ({ word, whole: !(isOpen && place === words.length - 1) })))
    else for (const word of words) parts.push([{ word, whole: false }])
  })
  const distinct = new Map(parts.map((part) => [keyOf(part), part]))
  return isLongEnough(parts) ? [...distinct.values()] : []
}

const quotationMarks = /["“”„«»]/

const keyOf = (part: AskedPart) => part.map(({ word, whole }) => `${word}${whole ? '.' : ''}`).join(' ')

/** One or two letters are in nearly every text; a word of another script may be as short as that. */
const isLongEnough = (parts: readonly AskedPart[]) =>
  parts.some((part) => part.some(({ word }) => word.length >= spokenLimits.queryLetters || word > '\u007f'))
