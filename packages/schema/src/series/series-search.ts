import { foldedWords } from '../text-folding.ts'

/**
 * Finds series by the words of their titles, at every keystroke: each word typed begins a word of the title.
 *
 * @param all in the order of the result
 * @returns a function of a query and a limit; it returns an empty list if the query has no words
 */
export function seriesFinder<Row extends { readonly title: string }>(
  all: readonly Row[],
): (query: string, limit: number) => Row[] {
  const folded = all.map((row) => ({ row, words: foldedWords(row.title) }))
  return (query, limit) => {
    const typed = foldedWords(query)
    const found: Row[] = []
    if (typed.length === 0) return found
    for (const { row, words } of folded) {
      if (found.length >= limit) break
      if (typed.every((start) => words.some((word) => word.startsWith(start)))) found.push(row)
    }
    return found
  }
}
