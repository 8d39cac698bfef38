import { church } from '../church.ts'
import { formatDate } from '../dates.ts'
import { shownTitle } from './shown-title.ts'
import { teachingPath } from './teaching-address.ts'
import type { Teaching } from './teachings.schema.ts'

/**
 * The path of one teaching, without the site's origin.
 *
 * @param at the second to start at; absent or 0 for the start
 */
export function sharePath(teaching: Parameters<typeof teachingPath>[0], at = 0): string {
  const second = Math.floor(at)
  return `${teachingPath(teaching)}${second > 0 ? `?at=${second}` : ''}`
}

/**
 * The path of a teaching if only its uid is known, as in links of earlier releases; the page replaces it with its own
 * address.
 *
 * @param at the second to start at; anything else is left out
 */
export function pathByUid(uid: string, at?: unknown): string {
  const second = startSecond(at)
  return `/teaching/${encodeURIComponent(uid.slice(-12))}${second === undefined ? '' : `?at=${second}`}`
}

/** The start second in a link; undefined when invalid. A day is longer than any recording. */
export function startSecond(value: unknown): number | undefined {
  const second = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof second === 'number' && second > 0 && second < 86_400 ? Math.floor(second) : undefined
}

/** A message about a teaching, as it is sent to people; the link follows in a line of its own. */
export function shareText(
  teaching: Pick<Teaching, 'title' | 'speaker' | 'date' | 'scriptureReference' | 'duration'>,
): string {
  const { speaker, date, scriptureReference, duration } = teaching
  const title = shownTitle(teaching)
  const about = [scriptureReference !== title && scriptureReference, duration].filter(Boolean).join(' · ')
  return [`“${title}” by ${speaker}`, formatDate(date), about, church().name]
    .filter((line) => line !== '')
    .join('\n')
}
