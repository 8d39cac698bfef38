import type { Database } from '../../db/connection.ts'

/** The time of the last change of a teaching. Reads every change, so it is called once per revision. */
export async function readChanged(sql: Database): Promise<Date> {
  const [row] = await sql<{ changed: Date }[]>`
    select coalesce(max(changed_at), 'epoch') as changed from sync_change where kind = 'teaching'`
  return row!.changed
}

/** Saves the podcast's identity unless there is one already; returns the saved one. */
export async function savePodcastGuid(sql: Database, guid: string, feedAddress: string): Promise<string> {
  await sql`insert into podcast (guid, feed_address) values (${guid}, ${feedAddress}) on conflict do nothing`
  const [row] = await sql<{ guid: string }[]>`select guid from podcast`
  return row!.guid
}

/** The podcast's identity; undefined if it has none yet. */
export async function readPodcastGuid(sql: Database): Promise<string | undefined> {
  const [row] = await sql<{ guid: string }[]>`select guid from podcast`
  return row?.guid
}

/** Guids by uid, of teachings that moved in from another feed. */
export async function readGuids(sql: Database): Promise<Map<string, string>> {
  const rows = await sql<{ uid: string; guid: string }[]>`
    select uid, guid from teachings where guid is not null and deleted_at is null`
  return new Map(rows.map(({ uid, guid }) => [uid, guid]))
}
