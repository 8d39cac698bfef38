import { isBookName, parseScripture } from '../scripture.ts'
import { foldedWords } from '../text-folding.ts'

/** The distinct words of a query. A numeric date is one word: '2026-03', '15/3/2026'. */
export function queryWords(query: string): string[] {
  const words = query.split(/\s+/).flatMap((chunk) => dateInFigures(chunk) ?? foldedWords(chunk))
  return [...new Set(words)]
}

/** Words for '-03-15', a date without its year: 'march', '15'. Whole dates are found by their sort order. */
export function dayWords(monthAndDay: string): string[] {
  const [, month = '', day = ''] = monthAndDay.split('-')
  const name = months[Number(month) - 1] ?? ''
  return [name, day, day.replace(/^0/, '')].filter((word, i, all) => word !== '' && all.indexOf(word) === i)
}

/** Words of a reference as written, and the full name of its book: 'Rom 8:28' is found by 'romans' too. */
export function scriptureWords(reference: string): string[] {
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
