import { parseScripture } from '../scripture.ts'
import { foldText } from '../text-folding.ts'

interface Described {
  readonly title: string
  readonly speaker: string
  /** YYYY-MM-DD */
  readonly date: string
  readonly scriptureReference: string | null
}

/**
 * Whether two descriptions mean the same teaching: same date, same speaker, and same title. If one of them has no title, the
 * same scripture decides: two titles that differ are two teachings, whatever their passage. Case, accents, punctuation,
 * underscores and abbreviated books are ignored; two empty fields are not equal.
 */
export function isSameTeaching(a: Described, b: Described): boolean {
  if (a.date.trim() !== b.date.trim() || foldText(a.speaker) !== foldText(b.speaker)) return false
  if (isSame(foldText(a.title), foldText(b.title))) return true
  return !(hasOwnTitle(a) && hasOwnTitle(b)) && isSame(passageKey(a), passageKey(b))
}

/** False also if the passage stands in for the title, as it does in the library. */
function hasOwnTitle(described: Described): boolean {
  const title = foldText(described.title)
  return title !== '' && title !== foldText(described.scriptureReference ?? '')
}

const isSame = (a: string, b: string) => a !== '' && a === b

function passageKey({ scriptureReference }: Described): string {
  if (scriptureReference === null) return ''
  const scripture = parseScripture(scriptureReference)
  return scripture ? scripture.display : foldText(scriptureReference)
}
