import type { Database } from '../../db/connection.ts'

/** The revision of the synced tables, and when a teaching last changed. */
export async function readFeedState(sql: Database): Promise<{ key: string; changed: Date }> {
  const [row] = await sql<{ key: string; changed: Date }[]>`
    select epoch || '.' || rev as key,
      coalesce((select max(changed_at) from sync_change where kind = 'teaching'), 'epoch') as changed
    from sync_clock`
  return row!
}

/** Saves the podcast's identity unless there is one already; returns the saved one. */
export async function savePodcastGuid(sql: Database, guid: string, feedAddress: string): Promise<string> {
  await sql`insert into podcast (guid, feed_address) values (${guid}, ${feedAddress}) on conflict do nothing`
  const [row] = await sql<{ guid: string }[]>`select guid from podcast`
  return row!.guid
}
