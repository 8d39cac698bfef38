import type { Database } from '../../db/connection.ts'

/** People, elders and live teachings. */
export async function countAll(
  sql: Database,
): Promise<{ users: number; elders: number; teachings: number; referenced: number }> {
  const [row] = await sql<{ users: number; elders: number; teachings: number; referenced: number }[]>`
    select (select count(*)::int from users) as users, (select count(*)::int from elders) as elders,
      (select count(*)::int from teachings where deleted_at is null) as teachings,
      (select count(*)::int from teachings where deleted_at is null and audio_sha256 is not null) as referenced`
  return row!
}

/**
 * The hashes of recordings in use: the library's, the bin's, and those that were replaced after `since`, whose address
 * still redirects.
 */
export async function neededRecordings(sql: Database, since: Date): Promise<Set<string>> {
  const rows = await sql<{ sha256: string }[]>`
    select audio_sha256 as sha256 from teachings where audio_sha256 is not null
    union select old_sha256 from audio_moved where moved_at > ${since}`
  return new Set(rows.map(({ sha256 }) => sha256))
}

/** The hashes of recordings that were replaced before this time. */
export async function movedBefore(sql: Database, before: Date): Promise<Set<string>> {
  const rows = await sql<{ sha256: string }[]>`
    select old_sha256 as sha256 from audio_moved where moved_at <= ${before}`
  return new Set(rows.map(({ sha256 }) => sha256))
}

/** Deletes the redirects of recordings that were replaced before this time. */
export async function forgetMoved(sql: Database, before: Date): Promise<void> {
  await sql`delete from audio_moved where moved_at <= ${before}`
}
