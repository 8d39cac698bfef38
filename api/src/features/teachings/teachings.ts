import { yearOf } from '@fellowship/schema/dates'
import { Problem } from '@fellowship/schema/problem'
import { parseScripture } from '@fellowship/schema/scripture'
import { isSameTeaching } from '@fellowship/schema/teachings/duplicate'
import { storedWords, type TeachingText } from '@fellowship/schema/teachings/teaching-words'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { Context } from '../../context.ts'
import { writeAudit, type AuditActor } from '../../db/audit-log.ts'
import type { Sql } from '../../db/connection.ts'
import { once, type MutationKey } from './mutations.ts'
import {
  binTeaching,
  findTeaching,
  lockForWriting,
  teachingsOfDay,
  teachingWithAudio,
  type TeachingColumns,
} from './teachings.sql.ts'

export { mutationKey, once, type MutationKey } from './mutations.ts'
export { purgeBin } from './bin-purge.ts'
export { forgetMutations } from './mutations.sql.ts'
export {
  findTeaching,
  findTeachingByUid,
  insertTeaching,
  liveTeachings,
  lockForWriting,
  newestTeachings,
  noteMovedAudio,
  updateTeaching,
  type TeachingAudio,
} from './teachings.sql.ts'

/** The columns that checked words make: the year is the date's, the passage is also stored as comparable numbers. */
export function columnsOf(fields: TeachingText): TeachingColumns {
  const { title, date, scriptureReference } = fields
  const ranges = parseScripture(scriptureReference)?.ranges ?? []
  return {
    ...storedWords(fields),
    // Shown in a list, a teaching needs a name; one that has none goes by its passage.
    title: title || scriptureReference,
    year: yearOf(date),
    scriptureStart: ranges.length > 0 ? Math.min(...ranges.map(({ start }) => start)) : null,
    scriptureEnd: ranges.length > 0 ? Math.max(...ranges.map(({ end }) => end)) : null,
  }
}

/**
 * The teaching in the library that a new one would double: the same recording, or the same date, speaker and title
 * or scripture.
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

/**
 * Moves a teaching to the bin; its recording stays there with it.
 *
 * @param baseRev the revision the person saw
 * @returns the revision of the deletion
 * @throws Problem `not_found`, `revision_conflict` (with `current`) or `idempotency_mismatch`
 */
export async function removeTeaching(
  { sql, clock, changes }: Context,
  id: number,
  actor: AuditActor,
  { baseRev, key }: { baseRev?: number | undefined; key?: MutationKey | undefined } = {},
): Promise<{ rev: number }> {
  const removed = (await sql.begin(async (tx) => {
    await lockForWriting(tx)
    return once(tx, key, async () => {
      const current = await findTeaching(tx, id)
      if (!current) throw new Problem('not_found', 'This teaching was already deleted.')
      if (baseRev !== undefined && baseRev !== current.rev) {
        throw new Problem('revision_conflict', undefined, { current })
      }
      const rev = await binTeaching(tx, id, clock.now())
      const { title, speaker, date } = current
      const entry = { actor, action: 'teaching.deleted', subject: title, details: { id, speaker, date } }
      await writeAudit(tx, entry, clock.now())
      return { rev }
    })
  })) as { rev: number }
  changes.announce()
  return removed
}
