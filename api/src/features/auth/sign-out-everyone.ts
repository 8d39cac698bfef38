import { writeAudit } from '../../db/audit-log.ts'
import type { Database } from '../../db/connection.ts'
import { deleteAllSessions } from './auth.sql.ts'

/** Ends all sessions, with a line in the activity log; returns their number. */
export async function signOutEveryone(sql: Database, now: Date): Promise<number> {
  return sql.begin(async (tx) => {
    const ended = await deleteAllSessions(tx)
    const actor = { id: null, name: 'the server’s keeper' }
    await writeAudit(tx, { actor, action: 'sessions.ended', subject: 'everybody', details: { ended } }, now)
    return ended
  })
}
