import type { Database } from '../../db/connection.ts'

/** Date of the newest teaching, when the newest complete backup up to now was taken, and the server's version. */
export async function healthRow(
  sql: Database,
  now: Date,
): Promise<{ lastTeaching: string | null; lastBackup: Date | null; version: string }> {
  const [row] = await sql<{ lastTeaching: string | null; lastBackup: Date | null; version: string }[]>`
    select (select max(date) from teachings where deleted_at is null) as last_teaching,
      (select max(started_at) from backups where result = 'complete' and kind <> 'daily' and started_at <= ${now}) as last_backup,
      current_setting('server_version') as version`
  return row!
}

/** Connections of all processes of this product, by whether they work. */
export async function poolRow(sql: Database): Promise<{ active: number; idle: number }> {
  const [row] = await sql<{ active: number; idle: number }[]>`
    select count(*) filter (where state = 'active')::int as active,
      count(*) filter (where state <> 'active')::int as idle
    from pg_stat_activity where datname = current_database() and application_name like 'fellowship%'`
  return row!
}
