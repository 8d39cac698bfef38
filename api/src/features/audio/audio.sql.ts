import type { Database, Sql } from '../../db/connection.ts'

/** The recording of a live teaching, or its small copy. */
export interface LiveRecording {
  sha256: string
  mime: string
  /** As it was accepted. */
  bytes: number
  title: string
  speaker: string
  date: string
  scriptureReference: string | null
  chapters: string | null
  duration: string | null
}

/** Small copies come first: one that was uploaded as a recording of its own counts as that. */
export function liveRecordings(sql: Database): Promise<LiveRecording[]> {
  return sql<LiveRecording[]>`
    select copy_sha256 as sha256, copy_mime as mime, recording_copies.copy_bytes as bytes, title, speaker, date,
      scripture_reference, chapters, teachings.duration
    from teachings join recording_copies on sha256 = audio_sha256
    where deleted_at is null and copy_sha256 is not null
    union all
    select audio_sha256, audio_mime, audio_bytes, title, speaker, date, scripture_reference, chapters, duration
    from teachings where deleted_at is null and audio_sha256 is not null`
}

/** Waveform and silences of a live recording, as JSON. */
export async function soundOf(sql: Database, sha256: string): Promise<string | undefined> {
  const [row] = await sql<{ sound: string | null }[]>`
    select sound from recording_copies join teachings on audio_sha256 = sha256
    where sha256 = ${sha256} and deleted_at is null`
  return row?.sound ?? undefined
}

/** The address of the recording that replaced this one, if that was within `days`; a copy's leads to a copy. */
export async function movedTo(sql: Database, sha256: string, days: number): Promise<string | undefined> {
  const [row] = await sql<{ audioUrl: string | null }[]>`
    with recursive trail as (
      select new_sha256, 1 as hops from audio_moved where moved_at > now() - make_interval(days => ${days}) and (
        old_sha256 = ${sha256}
        or old_sha256 in (select recording_copies.sha256 from recording_copies where copy_sha256 = ${sha256}))
      union all
      select next.new_sha256, trail.hops + 1 from audio_moved next
      join trail on next.old_sha256 = trail.new_sha256 where trail.hops < 20)
    select case when exists (select 1 from recording_copies where copy_sha256 = ${sha256})
      then coalesce(copy_url, audio_url) else audio_url end as audio_url from trail
    join teachings on teachings.audio_sha256 = trail.new_sha256 and teachings.deleted_at is null
    order by trail.hops desc limit 1`
  return row?.audioUrl ?? undefined
}

/** The fault of a recording's file: it is missing, or its bytes differ from the accepted ones. */
export type RecordingFault = 'missing' | 'damaged'

/** The recording of a live teaching, with the last result for its file. */
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

/** Stores the result of a check of a file; `hashed` if all of its bytes were compared. */
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
interface FaultyTeaching {
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
 * still redirects; of all small copies, and of the originals of trimmed recordings.
 */
export async function neededRecordings(sql: Database, days: number): Promise<Set<string>> {
  const rows = await sql<{ sha256: string }[]>`
    select audio_sha256 as sha256 from teachings where audio_sha256 is not null
    union select copy_sha256 from recording_copies where copy_sha256 is not null
    union select audio_sha256 from trimmed_recordings
    union select sha256 from original_recordings
    union select old_sha256 from audio_moved where moved_at > now() - make_interval(days => ${days})`
  return new Set(rows.map(({ sha256 }) => sha256))
}

/** The hashes of recordings that were replaced more than `days` ago, and the number of all that were replaced. */
export async function movedLonger(sql: Database, days: number): Promise<{ due: Set<string>; total: number }> {
  const rows = await sql<{ sha256: string; isDue: boolean }[]>`
    select old_sha256 as sha256, moved_at <= now() - make_interval(days => ${days}) as is_due from audio_moved`
  return { due: new Set(rows.filter(({ isDue }) => isDue).map(({ sha256 }) => sha256)), total: rows.length }
}

/** Deletes the redirects of these recordings if they are still that old. */
export async function forgetMoved(sql: Database, hashes: ReadonlySet<string>, days: number): Promise<void> {
  await sql`delete from audio_moved
    where old_sha256 = any(${[...hashes]}) and moved_at <= now() - make_interval(days => ${days})`
}
