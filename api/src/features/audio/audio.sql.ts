import type { Database } from '../../db/connection.ts'

/** The recording of a live teaching. */
export interface LiveRecording {
  sha256: string
  mime: string
  title: string
  speaker: string
  date: string
  scriptureReference: string | null
}

export function liveRecordings(sql: Database): Promise<LiveRecording[]> {
  return sql<LiveRecording[]>`
    select audio_sha256 as sha256, audio_mime as mime, title, speaker, date, scripture_reference
    from teachings where deleted_at is null and audio_sha256 is not null`
}

/** The address of the recording that replaced this one, if that was within `days`. */
export async function movedTo(sql: Database, sha256: string, days: number): Promise<string | undefined> {
  const [row] = await sql<{ audioUrl: string | null }[]>`
    with recursive trail as (
      select new_sha256, 1 as hops from audio_moved where old_sha256 = ${sha256} and moved_at > now() - make_interval(days => ${days})
      union all
      select next.new_sha256, trail.hops + 1 from audio_moved next
      join trail on next.old_sha256 = trail.new_sha256 where trail.hops < 20)
    select teachings.audio_url from trail
    join teachings on teachings.audio_sha256 = trail.new_sha256 and teachings.deleted_at is null
    order by trail.hops desc limit 1`
  return row?.audioUrl ?? undefined
}
