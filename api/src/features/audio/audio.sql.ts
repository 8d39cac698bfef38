import type { Database } from '../../db/connection.ts'

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
}

/** Small copies come first: one that was uploaded as a recording of its own counts as that. */
export function liveRecordings(sql: Database): Promise<LiveRecording[]> {
  return sql<LiveRecording[]>`
    select copy_sha256 as sha256, copy_mime as mime, recording_copies.copy_bytes as bytes, title, speaker, date,
      scripture_reference
    from teachings join recording_copies on sha256 = audio_sha256
    where deleted_at is null and copy_sha256 is not null
    union all
    select audio_sha256, audio_mime, audio_bytes, title, speaker, date, scripture_reference
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
