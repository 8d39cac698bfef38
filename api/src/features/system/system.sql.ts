import type { Database } from '../../db/connection.ts'

interface HealthRow {
  /** Date of the newest teaching. */
  lastTeaching: string | null
  /** The times of the newest complete backups up to now, of everything and of the rows alone. */
  lastBackup: Date | null
  lastDaily: Date | null
  /** PostgreSQL's. */
  version: string
}

/** The newest teaching and backups, and PostgreSQL's version. */
export async function healthRow(sql: Database, now: Date): Promise<HealthRow> {
  const [row] = await sql<HealthRow[]>`
    select (select max(date) from teachings where deleted_at is null) as last_teaching,
      (select max(started_at) from backups where result = 'complete' and kind <> 'daily' and started_at <= ${now}) as last_backup,
      (select max(started_at) from backups where result = 'complete' and kind = 'daily' and started_at <= ${now}) as last_daily,
      current_setting('server_version') as version`
  return row!
}

/** When the first of the accounts was made; null while the library is empty. */
export async function libraryBegan(sql: Database): Promise<Date | null> {
  const [row] = await sql<{ began: Date | null }[]>`
    select min(created_at) at time zone 'utc' as began from users where exists (select 1 from teachings where deleted_at is null)`
  return row!.began
}

/** Connections of this product's processes, by state. */
export async function poolRow(sql: Database): Promise<{ active: number; idle: number }> {
  const [row] = await sql<{ active: number; idle: number }[]>`
    select count(*) filter (where state = 'active')::int as active,
      count(*) filter (where state <> 'active')::int as idle
    from pg_stat_activity where datname = current_database() and application_name like 'fellowship%'`
  return row!
}

/** Uploads that are arriving over several requests, and the bytes they will have. */
export async function openUploads(sql: Database): Promise<{ count: number; bytes: number }> {
  const [row] = await sql<{ count: number; bytes: number }[]>`
    select count(*)::int as count, coalesce(sum(declared_bytes), 0)::float8 as bytes
    from uploads where state = 'open'`
  return row!
}

/** Recordings whose files are damaged or missing, and those that wait for a small copy. */
export async function recordingRow(sql: Database): Promise<{ faulty: number; withoutCopy: number }> {
  const [row] = await sql<{ faulty: number; withoutCopy: number }[]>`
    select count(*) filter (where fault is not null)::int as faulty,
      count(*) filter (where state is null or state = 'retry')::int as without_copy
    from teachings
      left join recording_checks on recording_checks.sha256 = audio_sha256
      left join recording_copies on recording_copies.sha256 = audio_sha256
    where deleted_at is null and audio_sha256 is not null`
  return row!
}
