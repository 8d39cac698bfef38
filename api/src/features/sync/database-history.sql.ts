import type { Sql, Transaction } from '../../db/connection.ts'

/** What identifies the history of a database; see the table `database_history`. */
export interface DatabaseHistory {
  systemIdentifier: string | null
  timeline: number | null
  startFile: string | null
  boot: string | null
}

/** The history noted by the last start; undefined before the first one. Locked until the transaction ends. */
export async function notedHistory(
  tx: Transaction,
): Promise<(DatabaseHistory & { stopped: boolean }) | undefined> {
  await tx`select 1 from sync_clock for update`
  const [row] = await tx<(DatabaseHistory & { stopped: boolean })[]>`
    select system_identifier, timeline, start_file, boot, stopped from database_history`
  return row
}

/** Null, null where the account has no right to ask for them. */
export async function clusterIdentity(
  tx: Transaction,
): Promise<Pick<DatabaseHistory, 'systemIdentifier' | 'timeline'>> {
  const [right] = await tx<{ may: boolean }[]>`
    select has_function_privilege('pg_control_system()', 'execute')
      and has_function_privilege('pg_control_checkpoint()', 'execute') as may`
  if (!right!.may) return { systemIdentifier: null, timeline: null }
  const [row] = await tx<{ systemIdentifier: string; timeline: number }[]>`
    select s.system_identifier::text, greatest(c.timeline_id,
      -- Right after a recovery the last checkpoint may still be of the old timeline.
      ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int) as timeline
    from pg_control_system() s, pg_control_checkpoint() c`
  return row!
}

export async function noteHistory(tx: Transaction, history: DatabaseHistory): Promise<void> {
  const row = { ...history, stopped: false }
  await tx`insert into database_history ${tx(row)} on conflict (one) do update set ${tx(row)}`
}

export async function noteStopped(sql: Sql): Promise<void> {
  await sql`update database_history set stopped = true`
}
