import type { SpeechStatus } from '@fellowship/schema/speech/speech.contract'
import { speechLimits } from '@fellowship/schema/speech/speech.limits'
import type { Sentence, TranscriptSource } from '@fellowship/schema/transcripts/transcripts.schema'
import type { Database, Sql } from '../../db/connection.ts'

/** A teaching whose recording waits to be heard, or whose text waits for its times. */
export interface TeachingToHear {
  id: number
  uid: string
  sha256: string
  audioUrl: string
  audioBytes: number
  /** Waveform and silences as JSON, of the measured recording. */
  sound: string
  /** Its draft without times; null if it has no text at all. */
  draft: { version: number; sentences: Sentence[]; language: string; source: TranscriptSource } | null
  /** Whether no try with this recording succeeded in all tries. */
  hasFailed: boolean
}

const measured = (sql: Sql) => sql`
  from teachings
    join recording_copies measured on measured.sha256 = audio_sha256 and measured.state = 'done'
    left join speech_jobs job on job.teaching = uid and job.sha256 = audio_sha256`

const retryBefore = (now: Date) => new Date(now.getTime() - speechLimits.minutesBetween * 60_000)

/** Measured recordings of teachings without a transcript, not even a deleted one. */
const wanted = (sql: Sql, now: Date) => sql`
  ${measured(sql)}
  where deleted_at is null and measured.sound is not null
    and not exists (select 1 from transcripts where transcripts.teaching = uid)
    and (job.state is null or job.state = 'working'
      or (job.state = 'retry' and job.tried_at < ${retryBefore(now)}))`

/**
 * The next teaching whose draft has sentences without any times, the oldest draft first.
 *
 * @param isHeard whether a machine hears it: a failed try then waits for its next one
 */
export async function nextToTime(
  sql: Database,
  { now, isHeard }: { now: Date; isHeard: boolean },
): Promise<TeachingToHear | undefined> {
  const [row] = await sql<TeachingToHear[]>`
    select teachings.id, uid, audio_sha256 as sha256, audio_url, audio_bytes, measured.sound,
      json_build_object('version', draft.id, 'sentences', sentences, 'language', language, 'source', source) as draft,
      coalesce(job.state = 'failed', false) as has_failed
    ${measured(sql)}
    join transcripts draft on draft.teaching = uid and draft.state = 'draft' and draft.deleted_at is null
    where teachings.deleted_at is null and measured.sound is not null
      and not jsonb_path_exists(sentences, '$[*].start ? (@ != null)')
      and (not ${isHeard} or job.state is distinct from 'retry' or job.tried_at < ${retryBefore(now)})
      and not exists (select 1 from speech_settings where paused)
    order by draft.id limit 1`
  return row
}

/** The newest teaching that waits; undefined if there is none, or the drafts are paused. */
export async function nextToHear(sql: Database, now: Date): Promise<TeachingToHear | undefined> {
  const [row] = await sql<TeachingToHear[]>`
    select teachings.id, uid, audio_sha256 as sha256, audio_url, audio_bytes, measured.sound,
      null as draft, false as has_failed ${wanted(sql, now)}
      and not exists (select 1 from speech_settings where paused)
    order by date desc, teachings.id desc limit 1`
  return row
}

/** Whether the teaching still has this recording and the same draft or no text, and the drafts are not paused. */
export async function isStillWanted(sql: Database, { uid, sha256, draft }: TeachingToHear): Promise<boolean> {
  const [row] = await sql`
    select 1 from teachings where uid = ${uid} and audio_sha256 = ${sha256} and deleted_at is null
      and ${
        draft
          ? sql`exists (select 1 from transcripts where id = ${draft.version} and transcripts.deleted_at is null)`
          : sql`not exists (select 1 from transcripts where teaching = uid)`
      }
      and not exists (select 1 from speech_settings where paused)`
  return row !== undefined
}

/** Records the start of a try; returns the number of tries with this recording. */
export async function beginHearing(sql: Sql, { uid, sha256 }: TeachingToHear, now: Date): Promise<number> {
  const [row] = await sql<{ tries: number }[]>`
    insert into speech_jobs as known (teaching, sha256, state, tries, tried_at)
    values (${uid}, ${sha256}, 'working', 1, ${now})
    on conflict (teaching) do update set state = 'working', sha256 = excluded.sha256, tried_at = excluded.tried_at,
      tries = case when known.sha256 = excluded.sha256 then known.tries else 0 end + 1
    returning tries`
  return row!.tries
}

/** The try was broken off for a reason outside the recording, and does not count. */
export const releaseHearing = (sql: Sql, uid: string) =>
  sql`update speech_jobs set tries = greatest(0, tries - 1), state = 'retry', tried_at = 'epoch'
    where teaching = ${uid} and state = 'working'`

export const failHearing = (sql: Sql, uid: string, { isFinal, why }: { isFinal: boolean; why: string }) =>
  sql`update speech_jobs set state = ${isFinal ? 'failed' : 'retry'}, why = ${why.slice(0, 500)}
    where teaching = ${uid}`

export const finishHearing = (
  sql: Sql,
  uid: string,
  { soundSeconds, tookSeconds }: { soundSeconds: number; tookSeconds: number },
) => sql`update speech_jobs set state = 'done', why = null, sound_seconds = ${soundSeconds},
    took_seconds = ${tookSeconds} where teaching = ${uid}`

export interface SpeechChoices {
  paused: boolean
  words: string
}

export async function speechChoices(sql: Sql): Promise<SpeechChoices> {
  const [row] = await sql<SpeechChoices[]>`select paused, words from speech_settings`
  return row ?? { paused: false, words: '' }
}

/** Changes the given choices, and returns the previous ones. */
export async function changeChoices(tx: Sql, changes: Partial<SpeechChoices>): Promise<SpeechChoices> {
  const [before] = await tx<SpeechChoices[]>`select paused, words from speech_settings for update`
  const after = { ...before!, ...changes }
  await tx`update speech_settings set paused = ${after.paused}, words = ${after.words}`
  return before!
}

export const forgetFailures = (tx: Sql) => tx`delete from speech_jobs where state in ('failed', 'retry')`

/** Drafts of which the time is averaged. */
const latest = 20

export async function speechCounts(
  sql: Sql,
  now: Date,
): Promise<Pick<SpeechStatus, 'waiting' | 'done' | 'working' | 'minutesEach' | 'failed'>> {
  const [counts] = await sql<Pick<SpeechStatus, 'waiting' | 'done' | 'minutesEach'>[]>`
    with timed as (
      select took_seconds from speech_jobs where state = 'done' order by tried_at desc limit ${latest})
    select (select count(*)::int ${wanted(sql, now)}) as waiting,
      (select count(*)::int from speech_jobs where state = 'done') as done,
      (select avg(took_seconds) / 60 from timed)::float8 as minutes_each`
  const named = (state: 'working' | 'failed') => sql<SpeechStatus['failed']>`
    select teachings.id, title, speaker, date, scripture_reference, coalesce(why, '') as why
    from speech_jobs join teachings on teaching = uid and audio_sha256 = speech_jobs.sha256
    where state = ${state} and deleted_at is null order by date desc, teachings.id desc limit 50`
  const [working] = await named('working')
  const failed = await named('failed')
  const { why: _, ...shown } = working ?? { why: '' }
  return { ...counts!, working: working ? (shown as SpeechStatus['working']) : null, failed: [...failed] }
}
