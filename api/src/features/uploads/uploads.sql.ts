import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { ProblemBody } from '@fellowship/schema/problem'
import type { Database, Transaction, Sql } from '../../db/connection.ts'

/** An upload that arrives over several requests. */
export interface UploadRow {
  id: string
  userId: number
  /**
   * open: arriving, or whole but not finalized · finalized: a teaching exists · refused: it cannot become a teaching ·
   * cancelled: by its client
   */
  state: 'open' | 'finalized' | 'refused' | 'cancelled'
  filename: string
  declaredBytes: number
  declaredSha256: string | null
  /** Upload-Metadata as the client sent it. */
  metadata: Record<string, string | null>
  /** The teaching, or the problem if it was refused. */
  answer: Teaching | ProblemBody | null
  /** Days since its last request. */
  idleDays: number
  /** The data folder that has its bytes; null if nothing arrived, or arrived before there were several. */
  nodeId: string | null
  /** Received bytes after its last request. */
  receivedBytes: number
}

export async function findUpload(sql: Sql, id: string): Promise<UploadRow | undefined> {
  const [row] = await sql<UploadRow[]>`select ${columns(sql)} from uploads where id = ${id}`
  return row
}

/** As `findUpload`, locked for update until the transaction ends. */
export async function lockUpload(tx: Transaction, id: string): Promise<UploadRow | undefined> {
  const [row] = await tx<UploadRow[]>`select ${columns(tx)} from uploads where id = ${id} for update`
  return row
}

/** The open uploads of a user. Serializes new uploads of that user, so that their number is not exceeded. */
export async function lockUploadsOf(tx: Transaction, userId: number): Promise<Arriving[]> {
  await tx`select 1 from users where id = ${userId} for no key update`
  return tx<Arriving[]>`
    select id, declared_bytes, received_bytes, workshop as node_id from uploads where user_id = ${userId} and state = 'open'`
}

/** An open upload with its progress and its data folder. */
export type Arriving = Pick<UploadRow, 'id' | 'declaredBytes' | 'receivedBytes' | 'nodeId'>

export type NewUploadRow = Pick<
  UploadRow,
  'id' | 'userId' | 'filename' | 'declaredBytes' | 'declaredSha256' | 'metadata'
>

export async function upsertUpload(tx: Transaction, row: NewUploadRow): Promise<void> {
  const values = { ...row, metadata: tx.json(row.metadata), state: 'open', answer: null }
  await tx`insert into uploads ${tx(values)}
    on conflict (id) do update set filename = excluded.filename, declared_bytes = excluded.declared_bytes,
      declared_sha256 = excluded.declared_sha256, metadata = excluded.metadata, touched_at = now(),
      state = 'open', answer = null, workshop = null, received_bytes = 0, wanted_at = null`
}

/** Whether a teaching has this uid already, in the library or in the bin. */
export async function isUidTaken(sql: Sql, uid: string): Promise<boolean> {
  const [row] = await sql<{ taken: boolean }[]>`
    select exists (select 1 from teachings where uid = ${uid}) as taken`
  return row!.taken
}

/** The user of an upload, for the audit log. */
export async function uploaderOf(sql: Sql, userId: number): Promise<{ id: number; name: string }> {
  const [row] = await sql<{ id: number; name: string }[]>`select id, name from users where id = ${userId}`
  return row!
}

/** @param bytes received so far in this data folder */
export async function touchUpload(
  sql: Sql,
  id: string,
  { nodeId, bytes }: { nodeId: string; bytes: number },
): Promise<void> {
  await sql`update uploads set touched_at = now(), received_bytes = ${bytes}, wanted_at = null
    where id = ${id} and coalesce(workshop, ${nodeId}) = ${nodeId}`
}

/** Ends an upload if it is open. */
export async function endUpload(
  sql: Sql,
  id: string,
  end:
    | { state: 'finalized'; answer: Teaching }
    | { state: 'refused'; answer: ProblemBody }
    | { state: 'cancelled' },
): Promise<void> {
  const answer = 'answer' in end ? sql.json(end.answer as unknown as Parameters<Sql['json']>[0]) : null
  const teachingId = end.state === 'finalized' ? end.answer.id : null
  await sql`update uploads set state = ${end.state}, answer = ${answer},
      metadata = case when ${end.state === 'cancelled'} then '{}' else metadata end, teaching_id = ${teachingId}, touched_at = now()
    where id = ${id} and state = 'open'`
}

/** Deletes the row, so that the client can use the id again. */
export async function deleteUpload(sql: Sql, id: string): Promise<void> {
  await sql`delete from uploads where id = ${id}`
}

export function openUploads(sql: Sql): Promise<UploadRow[]> {
  return sql<UploadRow[]>`select ${columns(sql)} from uploads where state = 'open' order by touched_at`
}

/** Deletes refused and cancelled uploads. Finalized ones stay, so that a repeated finalize gets its answer. */
export async function deleteEndedUploads(sql: Database, days: number): Promise<void> {
  await sql`delete from uploads where state in ('refused', 'cancelled') and 
    touched_at < now() - make_interval(days => ${days})`
}

const columns = (sql: Sql) => sql`
  id, user_id, state, filename, declared_bytes, declared_sha256, metadata, answer, workshop as node_id, received_bytes,
  extract(epoch from now() - touched_at)::float8 / 86400 as idle_days`

/**
 * Whether a recording belongs to a teaching (also in the bin), to a redirect, to a small copy or to a trimmed recording.
 */
export async function isRecordingReferenced(sql: Sql, sha256: string): Promise<boolean> {
  const [row] = await sql<{ referenced: boolean }[]>`
    select exists (select 1 from teachings where audio_sha256 = ${sha256})
        or exists (select 1 from recording_copies where copy_sha256 = ${sha256})
        or exists (select 1 from trimmed_recordings where audio_sha256 = ${sha256})
        or exists (select 1 from original_recordings where sha256 = ${sha256})
        or exists (select 1 from audio_moved where old_sha256 = ${sha256} or new_sha256 = ${sha256}) as referenced`
  return row!.referenced
}

/** The title of the teaching with this recording; one in the library wins over one in the bin. */
export async function teachingWithRecording(sql: Sql, sha256: string): Promise<string | undefined> {
  const [row] = await sql<{ title: string }[]>`
    select title from teachings where audio_sha256 = ${sha256} order by deleted_at desc nulls first limit 1`
  return row?.title
}

/** Waits for writing transactions to end. After that, a commit whose connection was lost is visible. */
export async function waitForWriters(tx: Transaction): Promise<void> {
  await tx`select 1 from sync_clock for update`
}
