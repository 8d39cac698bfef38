import { Problem } from '@fellowship/schema/problem'
import { undoMinutes } from '@fellowship/schema/teachings/bin.limits'
import { binTexts } from '@fellowship/schema/teachings/bin.texts'
import type { Sql } from '../../db/connection.ts'
import { lastUserOf, type Actor } from '../../db/audit-log.ts'

/** The deletion of a teaching or a series, as the audit log has it. */
export type Deletion =
  | { action: 'teaching.deleted'; details: { id: number } }
  | { action: 'series.deleted'; details: { uid: string } }

/**
 * Allows whoever deleted something to bring it back for ten minutes; after that it is an administrator's right.
 *
 * @throws Problem `forbidden`
 */
export async function assertOwnDeletion(tx: Sql, deletion: Deletion, actor: Actor, now: Date): Promise<void> {
  const since = new Date(now.getTime() - undoMinutes * 60_000)
  if ((await lastUserOf(tx, { ...deletion, since })) !== actor.id)
    throw new Problem('forbidden', binTexts.undoLate)
}
