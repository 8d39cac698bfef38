import { booksOf } from './teaching-facets.ts'
import { nameSlug } from '../text-folding.ts'
import type { SavedTeaching } from './saved-teaching.ts'
import type { Teaching } from './teachings.schema.ts'

/** Further teachings of a speaker or on a book that the page of one teaching shows. */
export const mostRelated = 3

/** The other teachings on the page of one teaching. */
interface Neighbours {
  /** The next one, and the one before, in time. */
  readonly newer: Teaching | undefined
  readonly older: Teaching | undefined
  /** The newest others of the same speaker. */
  readonly bySpeaker: readonly Teaching[]
  /** The first book of its passage, and the newest others on it. */
  readonly book: string | undefined
  readonly onBook: readonly Teaching[]
}

/**
 * Made from the whole library. If it is made from its own result, it is the same again, so that a page needs only these
 * rows to be hydrated.
 *
 * @param rows newest first
 */
export function neighboursOf(rows: readonly Teaching[], teaching: SavedTeaching): Neighbours {
  const at = rows.findIndex(({ uid }) => uid === teaching.uid)
  const speaker = nameSlug(teaching.speaker)
  const [book] = booksOf(teaching.scriptureReference)
  const isOther = ({ uid }: SavedTeaching) => uid !== teaching.uid
  return {
    newer: at > 0 ? rows[at - 1] : undefined,
    older: at >= 0 ? rows[at + 1] : undefined,
    bySpeaker: firstOf(
      rows,
      (row) =>
        isOther(row) &&
        (row.speaker === teaching.speaker || (speaker !== '' && nameSlug(row.speaker) === speaker)),
    ),
    book,
    onBook:
      book === undefined
        ? []
        : firstOf(rows, (row) => isOther(row) && booksOf(row.scriptureReference).includes(book)),
  }
}

/** A teaching and its neighbours, each once, newest first. */
export function rowsAround(rows: readonly Teaching[], teaching: Teaching): Teaching[] {
  const { newer, older, bySpeaker, onBook } = neighboursOf(rows, teaching)
  const wanted = new Set([teaching, newer, older, ...bySpeaker, ...onBook])
  return rows.filter((row) => wanted.has(row))
}

function firstOf(rows: readonly Teaching[], isWanted: (row: Teaching) => boolean): Teaching[] {
  const found: Teaching[] = []
  for (const row of rows) {
    if (found.length === mostRelated) break
    if (isWanted(row)) found.push(row)
  }
  return found
}
