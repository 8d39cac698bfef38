import { formatScripture, parseScripture } from '../scripture.ts'
import { canonicalBooks } from '../scripture-books.ts'

const books = canonicalBooks
  .flatMap(({ name }) => (name === 'Psalms' ? ['Psalms', 'Psalm'] : [name]))
  // Longer names first, so that a name is not matched by its own beginning.
  .sort((a, b) => b.length - a.length)
  .join('|')

/**
 * 'Book Chapter:Verse' or 'Book Chapter:Verse-Verse', the book spelled out. A range into another chapter does not match,
 * nor does its beginning; neither does '2:10 pm', nor a book's name at the end of another word.
 */
const strict = `(?<![\\p{L}\\p{N}])(?:${books}) \\d{1,3}:\\d{1,3}(?:[-–]\\d{1,3})?(?![\\p{L}\\p{N}:]|[-–]\\d)`
const anywhere = new RegExp(strict, 'gu')
const whole = new RegExp(`^${strict}$`, 'u')

/** The canonical form: 'Psalm 23:1', 'Romans 8:28-39'; undefined for other forms and verses that do not exist. */
export function canonicalReference(text: string): string | undefined {
  const trimmed = text.trim()
  const ranges = whole.test(trimmed) ? parseScripture(trimmed)?.ranges : undefined
  return ranges?.length === 1 ? formatScripture(ranges[0]!) : undefined
}

interface TextPiece<Found> {
  /** As written in the text. */
  readonly text: string
  readonly found?: Found
}

/**
 * Splits a text at the references that `find` returns something for. The joined pieces are the original text.
 *
 * @param find called with the canonical form; if it returns undefined, the reference stays plain text
 */
export function splitAtReferences<Found>(
  text: string,
  find: (reference: string) => Found | undefined,
): TextPiece<Found>[] {
  const pieces: TextPiece<Found>[] = []
  let end = 0
  for (const match of text.matchAll(anywhere)) {
    const reference = canonicalReference(match[0])
    const found = reference === undefined ? undefined : find(reference)
    if (found === undefined) continue
    if (match.index > end) pieces.push({ text: text.slice(end, match.index) })
    pieces.push({ text: match[0], found })
    end = match.index + match[0].length
  }
  if (end < text.length) pieces.push({ text: text.slice(end) })
  return pieces
}
