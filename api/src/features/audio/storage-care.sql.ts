import type { Database } from '../../db/connection.ts'

/** People, elders and live teachings. */
export async function countAll(
  sql: Database,
): Promise<{ users: number; elders: number; teachings: number; referenced: number }> {
  const [row] = await sql<{ users: number; elders: number; teachings: number; referenced: number }[]>`
    select (select count(*)::int from users) as users, (select count(*)::int from elders) as elders,
      (select count(*)::int from teachings where deleted_at is null) as teachings,
      (select count(audio_sha256) + count(copy_url) from teachings where deleted_at is null)::int as referenced`
  return row!
}

/**
 * The hashes of recordings in use: the library's, the bin's, and those that were replaced within `days`, whose address
 * still redirects; of all small copies, and of what trimmed recordings were cut from.
 */
export async function neededRecordings(sql: Database, days: number): Promise<Set<string>> {
  const rows = await sql<{ sha256: string }[]>`
    select audio_sha256 as sha256 from teachings where audio_sha256 is not null
    union select copy_sha256 from recording_copies where copy_sha256 is not null
    union select audio_sha256 from trimmed_recordings
    union select old_sha256 from audio_moved where moved_at > now() - make_interval(days => ${days})`
  return new Set(rows.map(({ sha256 }) => sha256))
}

/** The hashes of recordings that were replaced more than `days` ago, and the number of all that were replaced. */
export async function movedLonger(sql: Database, days: number): Promise<{ due: Set<string>; total: number }> {
  const rows = await sql<{ sha256: string; isDue: boolean }[]>`
    select old_sha256 as sha256, moved_at <= now() - make_interval(days => ${days}) as is_due from audio_moved`
  return { due: new Set(rows.filter(({ isDue }) => isDue).map(({ sha256 }) => sha256)), total: rows.length }
}

/** Deletes the redirects of these recordings, where they are still that old. */
export async function forgetMoved(sql: Database, hashes: ReadonlySet<string>, days: number): Promise<void> {
  await sql`delete from audio_moved
    where old_sha256 = any(${[...hashes]}) and moved_at <= now() - make_interval(days => ${days})`
}
