import type { Database } from '../../db/connection.ts'

/** Tables that are replicated to devices. */
export const syncedTables = ['teachings', 'elders', 'passages', 'series'] as const

const triggers = ['sync_1_statement', 'sync_2_before_row', 'sync_3_after_row'] as const

/**
 * Checks at start that all sync triggers are enabled: without them, changes never reach any device.
 *
 * @throws Error naming the missing or disabled triggers
 */
export async function assertSyncTriggers(sql: Database): Promise<void> {
  const enabled = await sql<{ place: string }[]>`
    select c.relname || '.' || t.tgname as place
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where t.tgname like 'sync\\_%' and t.tgenabled in ('O', 'A')`
  const present = new Set(enabled.map(({ place }) => place))
  const missing = syncedTables.flatMap((table) =>
    triggers.map((trigger) => `${table}.${trigger}`).filter((place) => !present.has(place)),
  )
  if (missing.length === 0) return
  throw new Error(
    `The database does not report changes to devices: ${missing.join(', ')} missing or disabled. ` +
      'Enable them (alter table … enable trigger all) or restore a backup.',
  )
}
