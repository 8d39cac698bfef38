import { counted } from '@fellowship/schema/counted'
import { formatDate } from '@fellowship/schema/dates'
import { withSpaces } from '@fellowship/schema/teachings/shown-title'
import { isSame, type Words } from '@fellowship/sync/protocol/merge'
import type { ChangedMeanwhile } from '../../ui/form-notes.tsx'

const noTitles: ReadonlyMap<string, string> = new Map()

/**
 * A word of a row as people read it.
 *
 * @param titles of teachings, by uid
 */
export function shownWord(field: string, word: Words[string], titles = noTitles): string {
  if (word === undefined || word.length === 0) return '(empty)'
  if (typeof word !== 'string') {
    const count = counted(word.length, 'teaching')
    if (titles === noTitles) return count
    return `${count}: ${word.map((uid) => titles.get(uid) ?? 'a deleted teaching').join(', ')}`
  }
  return field === 'date' ? formatDate(word) : withSpaces(word)
}

/**
 * The fields that differ now from the row that a form opened with.
 *
 * @param now the words of the row as it is; undefined if it was deleted
 */
export function changedSinceOpened(
  fields: readonly { name: string; label: string }[],
  opened: Words,
  now: Words | undefined,
  titles?: ReadonlyMap<string, string>,
): ChangedMeanwhile {
  if (!now) return 'gone'
  return fields
    .filter(({ name }) => !isSame(opened[name], now[name]))
    .map(({ name, label }) => ({ label, now: shownWord(name, now[name], titles) }))
}
