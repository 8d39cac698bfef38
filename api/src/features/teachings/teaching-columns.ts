import { yearOf } from '@fellowship/schema/dates'
import { parseScripture } from '@fellowship/schema/scripture'
import { isSameTeaching } from '@fellowship/schema/teachings/duplicate'
import { storedWords, type TeachingText } from '@fellowship/schema/teachings/teaching-words'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { Sql } from '../../db/connection.ts'
import { teachingsOfDay, teachingWithAudio, type TeachingColumns } from './teachings.sql.ts'

/** The columns of validated fields: with the year of the date and the passage as comparable numbers. */
export function columnsOf(fields: TeachingText): TeachingColumns {
  const { title, date, scriptureReference } = fields
  const ranges = parseScripture(scriptureReference)?.ranges ?? []
  return {
    ...storedWords(fields),
    // A list needs a title; the passage stands in for a missing one.
    title: title || scriptureReference,
    year: yearOf(date),
    scriptureStart: ranges.length > 0 ? Math.min(...ranges.map(({ start }) => start)) : null,
    scriptureEnd: ranges.length > 0 ? Math.max(...ranges.map(({ end }) => end)) : null,
  }
}

/**
 * The teaching of which a new one would be a duplicate: the same recording, or the same date, speaker and title or
 * scripture.
 *
 * @param except the id of a teaching that is being changed
 */
export async function findDuplicate(
  sql: Sql,
  candidate: TeachingText,
  { sha256, except }: { sha256?: string; except?: number } = {},
): Promise<Teaching | undefined> {
  const sameAudio = sha256 === undefined ? undefined : await teachingWithAudio(sql, sha256)
  if (sameAudio && sameAudio.id !== except) return sameAudio
  const sameDay = await teachingsOfDay(sql, candidate.date)
  return sameDay.find((other) => other.id !== except && isSameTeaching(candidate, other))
}
