import type { Database, Sql } from '../../db/connection.ts'

/** What is wrong with a recording's file: it is not there, or its bytes are not those that were accepted. */
export type RecordingFault = 'missing' | 'damaged'

/** The recording of a live teaching, and what is known of its file. */
export interface CheckedRecording {
  sha256: string
  audioUrl: string
  audioBytes: number
  fault: RecordingFault | null
}

/** All live recordings, or those of the given hashes. */
export function checkedRecordings(
  sql: Database,
  sha256s: readonly string[] | null = null,
): Promise<CheckedRecording[]> {
  return sql<CheckedRecording[]>`
    select audio_sha256 as sha256, audio_url, audio_bytes, fault
    from teachings left join recording_checks on sha256 = audio_sha256
    where deleted_at is null and audio_sha256 is not null
      and (${sha256s}::text[] is null or audio_sha256 = any(${sha256s}))`
}

/** Live recordings whose bytes were not compared for longest: a share of the library, and all that have a fault. */
export function recordingsToHash(sql: Database, share: number): Promise<CheckedRecording[]> {
  return sql<CheckedRecording[]>`
    with live as (
      select audio_sha256 as sha256, audio_url, audio_bytes, fault,
        row_number() over (order by hashed_at nulls first, audio_sha256) as place, count(*) over () as total
      from teachings left join recording_checks on sha256 = audio_sha256
      where deleted_at is null and audio_sha256 is not null)
    select sha256, audio_url, audio_bytes, fault from live
    where fault is not null or place <= ceil(total * ${share}::float8) order by place`
}

/** Notes the outcome of looking at a file; `hashed` where all of its bytes were compared. */
export async function noteCheck(
  sql: Sql,
  { sha256, fault, hashed }: { sha256: string; fault: RecordingFault | null; hashed: boolean },
): Promise<void> {
  await sql`insert into recording_checks as known (sha256, hashed_at, fault)
    values (${sha256}, case when ${hashed} then now() end, ${fault})
    on conflict (sha256) do update set fault = excluded.fault,
      hashed_at = coalesce(excluded.hashed_at, known.hashed_at)`
}

export async function hasFault(sql: Sql, sha256: string): Promise<boolean> {
  const [row] = await sql`select 1 from recording_checks where sha256 = ${sha256} and fault is not null`
  return row !== undefined
}

/** A live teaching whose recording has a fault. */
export interface FaultyTeaching {
  id: number
  title: string
  speaker: string
  date: string
  scriptureReference: string | null
  fault: RecordingFault
}

export function faultyTeachings(sql: Database): Promise<FaultyTeaching[]> {
  return sql<FaultyTeaching[]>`
    select id, title, speaker, date, scripture_reference, fault
    from teachings join recording_checks on sha256 = audio_sha256
    where deleted_at is null and fault is not null order by date desc, id desc`
}

/** Live recordings, and how many of them were compared with their hashes in the last `days` days. */
export async function checkCounts(
  sql: Database,
  days: number,
): Promise<{ recordings: number; compared: number }> {
  const [row] = await sql<{ recordings: number; compared: number }[]>`
    select count(*)::int as recordings,
      (count(*) filter (where hashed_at > now() - make_interval(days => ${days})))::int as compared
    from teachings left join recording_checks on sha256 = audio_sha256
    where deleted_at is null and audio_sha256 is not null`
  return row!
}
