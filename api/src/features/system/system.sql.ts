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
