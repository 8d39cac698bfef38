import type { Database } from './connection.ts'

/** The revision of the synced tables. */
export async function readRevision(sql: Database): Promise<string> {
  const [row] = await sql<{ key: string }[]>`select epoch || '.' || rev as key from sync_clock`
  return row!.key
}
