import type { SoundFault } from '@fellowship/schema/copies/copies.contract'
import { copyTries } from '@fellowship/schema/copies/copies.limits'
import type { Database, Sql, Transaction } from '../../db/connection.ts'

/** The recording of a live teaching that waits to be measured and copied. */
export interface RecordingToCopy {
  sha256: string
  audioUrl: string
  audioBytes: number
}

/**
 * The next recording: untried ones before retries, the newest upload first because its uploader waits.
 *
 * @param except hashes of recordings to pass over
 */
export async function nextRecording(
  sql: Database,
  { now, ffmpeg, except }: { now: Date; ffmpeg: boolean; except: readonly string[] },
): Promise<RecordingToCopy | undefined> {
  const before = new Date(now.getTime() - copyTries.minutesBetween * 60_000)
  const [row] = await sql<RecordingToCopy[]>`
    select audio_sha256 as sha256, audio_url, audio_bytes
    from teachings left join recording_copies on sha256 = audio_sha256
    where deleted_at is null and audio_sha256 is not null and audio_sha256 <> all(${[...except]}::varchar[]) and (
      sha256 is null or state = 'working' or (state = 'retry' and tried_at < ${before})
      or (state = 'needs_ffmpeg' and ${ffmpeg}))
    order by sha256 is not null, id desc limit 1`
  return row
}

/** Whether a live teaching has this recording, and the work is not paused. */
export async function isCopyWanted(sql: Database, sha256: string): Promise<boolean> {
  const [row] = await sql`
    select 1 from teachings where audio_sha256 = ${sha256} and deleted_at is null
      and not exists (select 1 from copy_settings where paused) limit 1`
  return row !== undefined
}

/** Records the start of work on a recording. Returns the number of tries. */
export async function beginCopy(sql: Database, sha256: string, now: Date): Promise<number> {
  const [row] = await sql<{ tries: number }[]>`
    insert into recording_copies as known (sha256, state, tries, tried_at)
    values (${sha256}, 'working', 1, ${now})
    on conflict (sha256) do update set state = 'working', tries = known.tries + 1, tried_at = excluded.tried_at
    returning tries`
  return row!.tries
}

/** The work was broken off for a reason outside the recording: this try does not count. */
export async function releaseCopy(sql: Database, sha256: string): Promise<void> {
  await sql`update recording_copies set tries = greatest(0, tries - 1)
    where sha256 = ${sha256} and state = 'working'`
}

export async function failCopy(
  sql: Database,
  sha256: string,
  { state, why }: { state: 'retry' | 'failed' | 'needs_ffmpeg'; why: string },
): Promise<void> {
  await sql`update recording_copies set state = ${state}, why = ${why.slice(0, 500)} where sha256 = ${sha256}`
}

/** Measurements of a recording, with its copy. */
interface FinishedCopy {
  sha256: string
  loudness: number | null
  truePeak: number | null
  faults: readonly SoundFault[]
  /** JSON. */
  sound: string
  copy: { sha256: string; bytes: number; crc32: number } | null
}

/** Stores the result and updates the teachings of the recording, so that devices receive it. */
export async function finishCopy(tx: Transaction, found: FinishedCopy): Promise<void> {
  const { sha256, loudness, truePeak, faults, sound, copy } = found
  await tx`update recording_copies set state = 'done', why = null, loudness = ${loudness}, true_peak = ${truePeak},
      faults = ${[...faults]}::varchar[], sound = ${sound}, copy_sha256 = ${copy?.sha256 ?? null},
      copy_bytes = ${copy?.bytes ?? null}, copy_crc32 = ${copy?.crc32 ?? null}
    where sha256 = ${sha256}`
  await renewTeachings(tx, sha256)
}

/** Forgets a copy if its file is missing or damaged, so that another one is made. */
export async function forgetCopy(tx: Transaction, sha256: string): Promise<void> {
  await tx`delete from recording_copies where sha256 = ${sha256}`
  await renewTeachings(tx, sha256)
}

/** The trigger on this column copies the measurements of the recording. */
const renewTeachings = (tx: Transaction, sha256: string) =>
  tx`update teachings set audio_sha256 = audio_sha256 where audio_sha256 = ${sha256}`

interface MadeCopy {
  sha256: string
  copySha256: string
  copyBytes: number
}

export const madeCopies = (sql: Database): Promise<MadeCopy[]> => sql<MadeCopy[]>`
  select sha256, copy_sha256, copy_bytes from recording_copies where copy_sha256 is not null`

/** The copies to check this week: each has a turn every `weeks` weeks, by its hash. */
export const copiesToHash = (
  sql: Database,
  { weeks, week }: { weeks: number; week: number },
): Promise<MadeCopy[]> => sql<MadeCopy[]>`
  select sha256, copy_sha256, copy_bytes from recording_copies where copy_sha256 is not null
    and ('x' || left(copy_sha256, 4))::bit(16)::int % ${weeks}::int = ${week}::int % ${weeks}::int`

/** The number of this week, by the database's clock. */
export async function weekNow(sql: Database): Promise<number> {
  const [row] = await sql<{ week: number }[]>`select floor(extract(epoch from now()) / 604800)::int as week`
  return row!.week
}

/** Forgets recordings that no longer exist, and returns the hashes of their copies. */
export async function forgetUnused(sql: Database): Promise<string[]> {
  const rows = await sql<{ copySha256: string | null }[]>`
    delete from recording_copies known
    where not exists (select 1 from teachings where audio_sha256 = known.sha256)
      and not exists (select 1 from audio_moved where old_sha256 = known.sha256)
    returning copy_sha256`
  return rows.flatMap(({ copySha256 }) => copySha256 ?? [])
}

/** Settings of administrators for small copies. */
export interface CopySettings {
  paused: boolean
  inBackups: boolean
}

export async function copySettings(sql: Sql): Promise<CopySettings> {
  const [row] = await sql<CopySettings[]>`select paused, in_backups from copy_settings`
  return row ?? { paused: false, inBackups: false }
}

/** Changes the given settings, and returns the previous ones. */
export async function changeSettings(tx: Sql, changes: Partial<CopySettings>): Promise<CopySettings> {
  const [before] = await tx<CopySettings[]>`select paused, in_backups from copy_settings for update`
  const after = { ...before!, ...changes }
  await tx`update copy_settings set paused = ${after.paused}, in_backups = ${after.inBackups}`
  return before!
}

export async function retryFailed(sql: Sql): Promise<void> {
  await sql`delete from recording_copies where state in ('failed', 'retry')`
}

interface CopyCounts {
  total: number
  done: number
  copies: number
  copyBytes: number
  originalBytes: number
  waitingForFfmpeg: number
}

/** Counts of live recordings. Bytes are those of copies, and of the recordings that have a copy. */
export async function copyCounts(sql: Database): Promise<CopyCounts> {
  const [row] = await sql<CopyCounts[]>`
    select count(*)::int as total,
      (count(*) filter (where state in ('done', 'failed', 'needs_ffmpeg')))::int as done,
      count(copy_sha256)::int as copies,
      coalesce(sum(recording_copies.copy_bytes), 0)::bigint as copy_bytes,
      coalesce(sum(audio_bytes) filter (where copy_sha256 is not null), 0)::bigint as original_bytes,
      (count(*) filter (where state = 'needs_ffmpeg'))::int as waiting_for_ffmpeg
    from teachings left join recording_copies on sha256 = audio_sha256
    where deleted_at is null and audio_sha256 is not null`
  return row!
}

interface NamedTeaching {
  id: number
  title: string
  speaker: string
  date: string
  scriptureReference: string | null
}

export const failedCopies = (sql: Database) => sql<(NamedTeaching & { why: string })[]>`
  select id, title, speaker, date, scripture_reference, coalesce(why, '') as why
  from teachings join recording_copies on sha256 = audio_sha256
  where deleted_at is null and state in ('failed', 'retry') order by date desc, id desc limit 100`

export const faultySounds = (sql: Database) => sql<(NamedTeaching & { faults: SoundFault[] })[]>`
  select id, title, speaker, date, scripture_reference, faults
  from teachings join recording_copies on sha256 = audio_sha256
  where deleted_at is null and faults <> '{}' order by date desc, id desc limit 100`

/** The untouched original of a trimmed recording. */
export interface UntouchedRecording {
  audioUrl: string
  audioSha256: string
  audioBytes: number
  audioMime: string
  audioCrc32: number | null
  duration: string | null
}

/** The same, of which seconds at the start were cut off. */
export interface CutRecording extends UntouchedRecording {
  startSeconds: number
}

/** The recording of a live teaching, with its measurements. */
export type MeasuredTeaching = { [Column in keyof UntouchedRecording]: UntouchedRecording[Column] | null } & {
  /** JSON; null if it was not measured yet. */
  sound: string | null
}

export async function measuredTeaching(sql: Sql, id: number): Promise<MeasuredTeaching | undefined> {
  const [row] = await sql<MeasuredTeaching[]>`
    select audio_url, audio_sha256, audio_bytes, audio_mime, audio_crc32, duration, sound
    from teachings left join recording_copies on sha256 = audio_sha256
    where id = ${id} and deleted_at is null`
  return row
}

export async function untouchedOf(sql: Sql, sha256: string): Promise<CutRecording | undefined> {
  const [row] = await sql<CutRecording[]>`
    select audio_url, audio_sha256, audio_bytes, audio_mime, audio_crc32, duration, start_seconds
    from trimmed_recordings where sha256 = ${sha256}`
  return row
}

/** Records the original of a trimmed recording; the newest, if two with different tags were trimmed to the same bytes. */
export async function noteTrimmed(tx: Transaction, sha256: string, untouched: CutRecording): Promise<void> {
  const row = { sha256, ...untouched }
  await tx`insert into trimmed_recordings ${tx(row)} on conflict (sha256) do update set
    audio_url = excluded.audio_url, audio_sha256 = excluded.audio_sha256, audio_bytes = excluded.audio_bytes,
    audio_mime = excluded.audio_mime, audio_crc32 = excluded.audio_crc32, duration = excluded.duration,
    start_seconds = excluded.start_seconds`
}

/** A recording that has a fault or was trimmed. */
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

/** Teachings if their recording is not measured, the newest uploads first, a hundred at most. */
export const unmeasuredTeachings = (sql: Database) => sql<{ uid: string; waits: boolean }[]>`
  select uid, state is null or state in ('working', 'retry') as waits
  from teachings left join recording_copies on sha256 = audio_sha256
  where deleted_at is null and audio_sha256 is not null and state is distinct from 'done'
  order by id desc limit 100`

/** Forgets trimmed recordings that no longer exist, and returns the addresses of their originals. */
export async function forgetUnusedTrims(sql: Database): Promise<string[]> {
  const rows = await sql<{ audioUrl: string }[]>`
    delete from trimmed_recordings trimmed
    where not exists (select 1 from teachings where audio_sha256 = trimmed.sha256)
      and not exists (select 1 from audio_moved where old_sha256 = trimmed.sha256)
    returning audio_url`
  return rows.map(({ audioUrl }) => audioUrl)
}

/** Whether a teaching, a redirect, a small copy or a trimmed recording uses the file of this hash. */
export async function isFileUsed(sql: Database, sha256: string): Promise<boolean> {
  const used = await sql`
    select 1 from teachings where audio_sha256 = ${sha256}
    union select 1 from audio_moved where old_sha256 = ${sha256}
    union select 1 from recording_copies where copy_sha256 = ${sha256}
    union select 1 from trimmed_recordings where audio_sha256 = ${sha256}
    union select 1 from original_recordings where sha256 = ${sha256}`
  return used.length > 0
}
