import { buildNearestWords } from '../teachings/teaching-search-typos.ts'
import { foldAccents } from '../text-folding.ts'
import { linesOf } from './heard-text.ts'
import { speechLimits as limits } from './speech.limits.ts'

/** A spelling in a text that is likely meant as another one. */
export interface Misspelt {
  found: string
  right: string
  count: number
}

/**
 * Spellings that the list of the church replaces, or that are near one of its names; the most frequent first. Shorter names are
 * near too many other words.
 *
 * @param words names and words of the church, one per line; `heard = right` names words that are often misheard
 */
export function misspeltNames(sentences: readonly { readonly text: string }[], words: string): Misspelt[] {
  const lines = linesOf(words)
  const names = [...new Set(lines.flatMap(({ right }) => wordsOf(right)))]
  const long = names.filter(({ length }) => length >= limits.comparedName)
  const nearest = buildNearestWords(long.map(foldAccents))
  const found = new Map<string, Misspelt>()
  for (const { heard, right } of lines.filter((line) => line.heard !== line.right)) {
    const pattern = phraseOf(heard)
    for (const { text } of sentences) for (const [match] of text.matchAll(pattern)) note(match, right)
  }
  const counts = new Map<string, number>()
  for (const { text } of sentences)
    for (const word of wordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + 1)
  for (const [word, count] of counts) {
    if (names.includes(word) || found.has(word)) continue
    const folded = foldAccents(word)
    const right = long[nearest(folded).find((at) => isAsLong(folded, long[at]!)) ?? -1]
    if (right !== undefined) found.set(word, { found: word, right, count })
  }
  return [...found.values()].sort((a, b) => b.count - a.count).slice(0, limits.shownNames)

  function note(match: string, right: string): void {
    if (match === right) return
    found.set(match, { found: match, right, count: (found.get(match)?.count ?? 0) + 1 })
  }
}

const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{M}]+/gu) ?? []

/** Whole words, in whatever case they stand. */
const phraseOf = (heard: string) =>
  new RegExp(
    String.raw`(?<![\p{L}\p{N}])${heard.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}(?![\p{L}\p{N}])`,
    'giu',
  )

/** The beginning of a name is no misspelling of it. */
const isAsLong = (word: string, name: string) =>
  Math.abs(word.length - name.length) <= (word.length < 7 ? 1 : 2)
