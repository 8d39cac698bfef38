import type { SoundFault } from '@fellowship/schema/copies/copies.contract'
import type { Database, Sql, Transaction } from '../../db/connection.ts'
import type { NamedTeaching } from './copies.sql.ts'

/** The untouched recording that a trimmed one was cut from. */
export interface UntouchedRecording {
  audioUrl: string
  audioSha256: string
  audioBytes: number
  audioMime: string
  audioCrc32: number | null
  duration: string | null
}

/** The recording of a live teaching, with what was measured. */
export interface MeasuredTeaching {
  audioUrl: string | null
  audioSha256: string | null
  audioBytes: number | null
  audioMime: string | null
  audioCrc32: number | null
  duration: string | null
  /** JSON; null until it was measured. */
  sound: string | null
}

export async function measuredTeaching(sql: Sql, id: number): Promise<MeasuredTeaching | undefined> {
  const [row] = await sql<MeasuredTeaching[]>`
    select audio_url, audio_sha256, audio_bytes, audio_mime, audio_crc32, duration, sound
    from teachings left join recording_copies on sha256 = audio_sha256
    where id = ${id} and deleted_at is null`
  return row
}

export async function untouchedOf(sql: Sql, sha256: string): Promise<UntouchedRecording | undefined> {
  const [row] = await sql<UntouchedRecording[]>`
    select audio_url, audio_sha256, audio_bytes, audio_mime, audio_crc32, duration
    from trimmed_recordings where sha256 = ${sha256}`
  return row
}

/** Notes what a trimmed recording was cut from; the newest, where two that differ in their tags were trimmed alike. */
export async function noteTrimmed(
  tx: Transaction,
  sha256: string,
  untouched: UntouchedRecording,
): Promise<void> {
  const row = { sha256, ...untouched }
  await tx`insert into trimmed_recordings ${tx(row)} on conflict (sha256) do update set
    audio_url = excluded.audio_url, audio_sha256 = excluded.audio_sha256, audio_bytes = excluded.audio_bytes,
    audio_mime = excluded.audio_mime, audio_crc32 = excluded.audio_crc32, duration = excluded.duration`
}

/** A recording that sounds wrong, or was trimmed. */
export interface SoundNoteRow extends NamedTeaching {
  uid: string
  audioUrl: string
  faults: SoundFault[]
  sound: string | null
  untouchedBytes: number | null
  untouchedDuration: string | null
}

/** The newest uploads first, a hundred at most. */
export const soundNoteRows = (sql: Database) => sql<SoundNoteRow[]>`
  select id, uid, title, speaker, date, scripture_reference, teachings.audio_url, coalesce(faults, '{}') as faults, sound,
    trimmed.audio_bytes as untouched_bytes, trimmed.duration as untouched_duration
  from teachings
    left join recording_copies known on known.sha256 = teachings.audio_sha256 and state = 'done'
    left join trimmed_recordings trimmed on trimmed.sha256 = teachings.audio_sha256
  where deleted_at is null and (faults <> '{}' or trimmed.sha256 is not null)
  order by id desc limit 100`

/** Teachings whose recording is not measured, the newest uploads first, a hundred at most. */
export const unmeasuredTeachings = (sql: Database) => sql<{ uid: string; waits: boolean }[]>`
  select uid, state is null or state in ('working', 'retry') as waits
  from teachings left join recording_copies on sha256 = audio_sha256
  where deleted_at is null and audio_sha256 is not null and state is distinct from 'done'
  order by id desc limit 100`

/** Forgets trimmed recordings that are gone, and returns the addresses of what they were cut from. */
export async function forgetUnusedTrims(sql: Database): Promise<string[]> {
  const rows = await sql<{ audioUrl: string }[]>`
    delete from trimmed_recordings trimmed
    where not exists (select 1 from teachings where audio_sha256 = trimmed.sha256)
      and not exists (select 1 from audio_moved where old_sha256 = trimmed.sha256)
    returning audio_url`
  return rows.map(({ audioUrl }) => audioUrl)
}
