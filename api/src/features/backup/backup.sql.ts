import type { BackupLine } from '@fellowship/schema/backup/backup.contract'
import type { Database, Transaction, Sql } from '../../db/connection.ts'

/** Tables that a backup leaves out: sessions, locks, sync's bookkeeping, this server's history and checks, unpublished uploads. */
const excludedTables = [
  'address_bans',
  'backups',
  'chore_runs',
  'clock_watch',
  'copy_settings',
  'counted_attempts',
  'database_history',
  'dropped_files',
  'held_sweeps',
  'inbox',
  'known_devices',
  'leases',
  'original_recordings',
  'push_deliveries',
  'push_news',
  'recording_checks',
  'recording_copies',
  'schema_migrations',
  'server_processes',
  'sessions',
  'settlements',
  'speech_jobs',
  'spoken_dictionary',
  'spoken_texts',
  'sync_change',
  'sync_clock',
  'sync_mutation',
  'unknown_sign_ins',
  'uploads',
]

/** The rows about small copies. */
const copyTable = 'recording_copies'

/** Whether an administrator wants small copies in backups. */
export async function copiesWanted(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ inBackups: boolean }[]>`select in_backups from copy_settings`
  return row?.inBackups ?? false
}

/**
 * The tables of a backup. Referenced tables come first, and the rows about copies before the teachings whose triggers use
 * them.
 *
 * @param copies whether small copies are among them
 */
export async function backedUpTables(sql: Sql, { copies }: { copies: boolean }): Promise<string[]> {
  const excluded = copies ? excludedTables.filter((name) => name !== copyTable) : excludedTables
  const rows = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE' and table_name <> all(${excluded})
    order by array_position(array['users', 'recording_copies', 'teachings'], table_name::text) nulls last, table_name`
  return rows.map(({ name }) => name)
}

/** Rows that are fetched at a time. */
const batch = 200

/**
 * The rows of a table in PostgreSQL's own JSON, which is lossless, in batches by primary key. Each batch is a statement of its
 * own, so that the time of none grows with the table.
 */
export async function* rowsOf(tx: Transaction, table: string): AsyncGenerator<string[]> {
  const key = await primaryKey(tx, table)
  await tx`declare dumped no scroll cursor for
    select to_jsonb(t)::text as row from ${tx(table)} t order by ${tx.unsafe(key)}`
  for (;;) {
    const rows = await tx<{ row: string }[]>`fetch ${tx.unsafe(String(batch))} from dumped`
    if (rows.length === 0) break
    yield rows.map(({ row }) => row)
  }
  await tx`close dumped`
}

async function primaryKey(sql: Sql, table: string): Promise<string> {
  const [row] = await sql<{ columns: string | null }[]>`
    select string_agg(quote_ident(attname), ', ' order by array_position(indkey::int2[], attnum)) as columns
    from pg_index join pg_attribute on attrelid = indrelid and attnum = any(indkey)
    where indrelid = quote_ident(${table})::regclass and indisprimary`
  if (!row?.columns) throw new Error(`The table ${table} has no primary key.`)
  return row.columns
}

/** The number of the newest migration this database has. */
export async function newestMigration(sql: Sql): Promise<number> {
  const [row] = await sql<{ version: number | null }[]>`select max(version) as version from schema_migrations`
  return row?.version ?? 0
}

/** A recording with its facts for a backup. */
export interface RecordingRow {
  title: string
  speaker: string
  date: string
  scriptureReference: string | null
  audioUrl: string
  audioSha256: string
  audioBytes: number
  audioCrc32: number | null
  deletedAt: Date | null
  /** Whether a trimmed recording has replaced it. */
  untouched: boolean
}

/** Recordings of the library and of the bin, and the originals of trimmed ones, oldest first. */
export function recordings(tx: Transaction): Promise<RecordingRow[]> {
  return tx<RecordingRow[]>`
    select * from (
      select distinct on (audio_sha256) title, speaker, date, scripture_reference, audio_url, audio_sha256,
        audio_bytes, audio_crc32, deleted_at, untouched
      from (
        select title, speaker, date, scripture_reference, audio_url, audio_sha256, audio_bytes, audio_crc32, deleted_at,
          false as untouched
        from teachings where audio_sha256 is not null
        union all
        select title, speaker, date, scripture_reference, trimmed.audio_url, trimmed.audio_sha256, trimmed.audio_bytes,
          trimmed.audio_crc32, deleted_at, true
        from trimmed_recordings trimmed join teachings on teachings.audio_sha256 = trimmed.sha256) as kept
      -- One that is there twice counts as the library's.
      order by audio_sha256, untouched, deleted_at desc nulls first) as found
    order by date, title, audio_sha256`
}

/** The small copy of a recording of the library or the bin. */
export interface CopyRow extends Pick<RecordingRow, 'title' | 'speaker' | 'date' | 'scriptureReference'> {
  copySha256: string
  copyBytes: number
  copyCrc32: number | null
}

export function smallCopies(tx: Transaction): Promise<CopyRow[]> {
  return tx<CopyRow[]>`
    select * from (
      select distinct on (copy_sha256) title, speaker, date, scripture_reference, copy_sha256,
        recording_copies.copy_bytes, copy_crc32
      from recording_copies join teachings on audio_sha256 = sha256
      where copy_sha256 is not null and not exists (select 1 from teachings own where own.audio_sha256 = copy_sha256)
      order by copy_sha256, deleted_at desc nulls first) as found
    order by date, title, copy_sha256`
}

export async function insertBackup(
  sql: Database,
  row: Omit<BackupLine, 'startedAt' | 'finishedAt' | 'result' | 'sentence'> & {
    startedAt: Date
    userId: number | null
    /** The process that writes it. */
    process: string
  },
): Promise<void> {
  await sql`insert into backups ${sql(row)}`
}

/** The start of the newest failed backup of a kind. */
export async function lastFailure(sql: Database, kind: BackupLine['kind']): Promise<Date | undefined> {
  const [row] = await sql<{ startedAt: Date }[]>`
    select started_at from backups where kind = ${kind} and result = 'failed' order by started_at desc limit 1`
  return row?.startedAt
}

/** Records the result. A complete backup stays complete when a part of it is downloaded again. */
export async function endBackup(
  sql: Sql,
  id: string,
  { result, sentence = null, at }: { result: BackupLine['result']; sentence?: string | null; at: Date },
): Promise<void> {
  await sql`update backups set result = ${result}, sentence = ${sentence?.slice(0, 500) ?? null},
    finished_at = ${at} where id = ${id} and result <> 'complete'`
}

export async function backupLines(sql: Sql, limit: number): Promise<BackupLine[]> {
  const rows = await sql<(Omit<BackupLine, 'startedAt' | 'finishedAt'> & Times)[]>`
    select id, kind, started_at, finished_at, actor, file_name, bytes, files, result, sentence
    from backups order by started_at desc limit ${limit}`
  return rows.map((row) => ({
    ...row,
    startedAt: row.startedAt.toISOString(),
    finishedAt: row.finishedAt?.toISOString() ?? null,
  }))
}

/** The start of the newest complete backup up to now: of everything, or the daily one of the rows. */
export async function lastComplete(
  sql: Sql,
  now: Date,
  of: 'everything' | 'daily' = 'everything',
): Promise<Date | undefined> {
  const [row] = await sql<{ startedAt: Date }[]>`
    select started_at from backups where result = 'complete' and (kind = 'daily') = ${of === 'daily'} and started_at <= ${now}
    order by started_at desc limit 1`
  return row?.startedAt
}

/** The newest backup of a kind up to now; later ones come from a clock that ran ahead. */
export async function lastOfKind(
  sql: Database,
  kind: BackupLine['kind'],
  now: Date,
): Promise<{ startedAt: Date; result: BackupLine['result'] } | undefined> {
  const [row] = await sql<{ startedAt: Date; result: BackupLine['result'] }[]>`
    select started_at, result from backups where kind = ${kind} and started_at <= ${now}
    order by started_at desc limit 1`
  return row
}

/** The file of the newest weekly backup up to now that is complete, without missing or damaged parts. */
export async function newestWhole(sql: Database, now: Date): Promise<string | undefined> {
  const [row] = await sql<{ fileName: string }[]>`
    select file_name from backups where kind = 'weekly' and result = 'complete' and sentence is null
      and started_at <= ${now}
    order by started_at desc limit 1`
  return row?.fileName
}

/** A recorded file for each name that the church has had when a backup was made. */
export async function recordedNames(sql: Database): Promise<string[]> {
  const rows = await sql<{ fileName: string }[]>`
    select max(file_name) as file_name from backups group by regexp_replace(file_name, '-(backup|database)-.*', '')`
  return rows.map(({ fileName }) => fileName)
}

/** The recipients of mails about failed backups. */
export function activeAdministrators(sql: Database): Promise<{ name: string; email: string }[]> {
  return sql<{ name: string; email: string }[]>`
    select name, email from users where role = 'admin' and is_active order by id`
}

/** The processes with running backups; null for those of an earlier release. */
export async function backupProcesses(sql: Database): Promise<(string | null)[]> {
  const rows = await sql<{ process: string | null }[]>`
    select distinct process from backups where result = 'running'`
  return rows.map(({ process }) => process)
}

/** Marks a backup as interrupted if it has no result. */
export async function interruptBackup(sql: Database, id: string, at: Date): Promise<void> {
  await sql`update backups set result = 'interrupted', finished_at = ${at} where id = ${id} and result = 'running'`
}

/** Marks the unfinished backups of a process as interrupted. */
export async function interruptRunning(sql: Database, process: string | null, before: Date): Promise<void> {
  await sql`update backups set result = 'interrupted'
    where result = 'running' and process is not distinct from ${process} and started_at < ${before}`
}

interface Times {
  startedAt: Date
  finishedAt: Date | null
}
