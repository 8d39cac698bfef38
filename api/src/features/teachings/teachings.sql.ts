import type { AddedWord, StoredWords } from '@fellowship/schema/teachings/teaching-words'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { Database, Sql, Transaction } from '../../db/connection.ts'
import { rowColumns } from '../../db/synced-rows.ts'

/** The columns of a teaching's recording. */
export interface TeachingAudio {
  audioUrl: string
  audioSha256: string
  audioBytes: number
  audioMime: string
  /** CRC-32, unsigned. */
  audioCrc32: number
  /** m:ss or h:mm:ss */
  duration: string | null
}

/** The columns of a teaching's words, with those derived from them. A word that came later may be absent. */
export interface TeachingColumns extends Omit<StoredWords, AddedWord>, Partial<Pick<StoredWords, AddedWord>> {
  year: number
  scriptureStart: number | null
  scriptureEnd: number | null
}

/** Live teachings in the shape of the API, newest first: all, or those with the given uids. */
export function liveTeachings(sql: Sql, uids: readonly string[] | null = null): Promise<Teaching[]> {
  return sql<Teaching[]>`
    select ${columns(sql)} from teachings
    where deleted_at is null and ${uids ? sql`uid = any(${[...uids]}::uuid[])` : sql`true`}
    order by date desc, id desc`
}

/** The newest `count` live teachings. */
export const newestTeachings = (sql: Sql, count: number): Promise<Teaching[]> => sql<Teaching[]>`
  select ${columns(sql)} from teachings where deleted_at is null order by date desc, id desc limit ${count}`

/** Every year that has a live teaching, newest first. */
export async function teachingYears(sql: Sql): Promise<number[]> {
  const rows = await sql<{ year: number }[]>`
    select distinct year from teachings where deleted_at is null order by year desc`
  return rows.map(({ year }) => year)
}

export async function findTeaching(sql: Sql, id: number): Promise<Teaching | undefined> {
  const [row] = await sql<
    Teaching[]
  >`select ${columns(sql)} from teachings where id = ${id} and deleted_at is null`
  return row
}

/**
 * The live teaching of a change: by its uid if the client sent one. After a restore a recording that was uploaded
 * again has its uid, but another number, and its old number may be another teaching's.
 *
 * @returns it, and the first revision with the same words and recording
 */
export async function findTarget(
  sql: Sql,
  id: number,
  { uid }: { uid?: string | undefined },
): Promise<{ current: Teaching; sameSince: number } | undefined> {
  const [row] = await sql<(Teaching & { sameSince: number })[]>`
    select ${columns(sql)},
      greatest(coalesce(changed_rev, rev), (select epoch_rev + 1 from sync_clock)) as same_since
    from teachings
    where ${uid === undefined ? sql`id = ${id}` : sql`uid = ${uid}`} and deleted_at is null`
  if (!row) return undefined
  const { sameSince, ...current } = row
  return { current, sameSince }
}

export async function findTeachingByUid(sql: Sql, uid: string): Promise<Teaching | undefined> {
  const [row] = await sql<
    Teaching[]
  >`select ${columns(sql)} from teachings where uid = ${uid} and deleted_at is null`
  return row
}

/** Live teachings of one day, the candidates for duplicates. */
export function teachingsOfDay(sql: Sql, date: string): Promise<Teaching[]> {
  return sql<Teaching[]>`select ${columns(sql)} from teachings where date = ${date} and deleted_at is null`
}

/** The live teaching with this recording. */
export async function teachingWithAudio(sql: Sql, sha256: string): Promise<Teaching | undefined> {
  const [row] = await sql<Teaching[]>`
    select ${columns(sql)} from teachings where deleted_at is null and (audio_sha256 = ${sha256}
      or audio_sha256 in (select sha256 from trimmed_recordings where audio_sha256 = ${sha256})) limit 1`
  return row
}

export async function insertTeaching(
  tx: Transaction,
  row: TeachingColumns & Partial<TeachingAudio> & { uid?: string },
): Promise<Teaching> {
  const [inserted] = await tx<Teaching[]>`insert into teachings ${tx(row)} returning ${columns(tx)}`
  return inserted!
}

/** Undefined if there is no such live teaching. If nothing changes, no revision is allocated. */
export async function updateTeaching(
  tx: Transaction,
  id: number,
  changes: TeachingColumns & Partial<TeachingAudio>,
): Promise<Teaching | undefined> {
  await tx`update teachings set ${tx(changes)} where id = ${id} and deleted_at is null`
  return findTeaching(tx, id)
}

/** Moves a teaching to the bin and returns the revision of the deletion. */
export async function binTeaching(tx: Transaction, id: number): Promise<number> {
  const [row] = await tx<{ rev: number }[]>`
    update teachings set deleted_at = now() where id = ${id} and deleted_at is null returning rev`
  return row!.rev
}

/** Records that a recording was replaced, so that its old address redirects to the new one. */
export async function noteMovedAudio(tx: Transaction, from: string, to: string): Promise<void> {
  await tx`insert into audio_moved (old_sha256, new_sha256, moved_at) values (${from}, ${to}, now())
    on conflict (old_sha256) do update set new_sha256 = excluded.new_sha256, moved_at = excluded.moved_at`
  // An earlier recording that is used again must not redirect away from itself.
  await tx`delete from audio_moved where old_sha256 = ${to}`
}

const columns = (sql: Sql) => rowColumns(sql, 'teaching')

interface StoredMutation<Answer> {
  requestHash: string
  userId: number
  answer: Answer
}

export async function findMutation<Answer>(
  tx: Transaction,
  id: string,
): Promise<StoredMutation<Answer> | undefined> {
  const [row] = await tx<StoredMutation<Answer>[]>`
    select request_hash, user_id, answer from sync_mutation where mutation_id = ${id}`
  return row
}

export async function storeMutation(
  tx: Transaction,
  { id, userId, requestHash }: { id: string; userId: number; requestHash: string },
  answer: object,
): Promise<void> {
  await tx`insert into sync_mutation (mutation_id, user_id, request_hash, status, answer)
    values (${id}, ${userId}, ${requestHash}, 200, ${tx.json(answer as Parameters<Transaction['json']>[0])})`
}

/** Deletes old stored answers. They last as long as tombstones: if a device is away for longer, it takes a snapshot. */
export async function purgeMutations(sql: Database, days: number): Promise<number> {
  const { count } = await sql`delete from sync_mutation 
    where created_at < now() - make_interval(days => ${days})`
  return count
}

export type BinRow = Teaching & { deletedAt: Date }

/** Teachings in the bin, the last deleted first. */
export function binnedTeachings(sql: Database): Promise<BinRow[]> {
  return sql<BinRow[]>`select ${binColumns(sql)} from teachings
    where deleted_at is not null order by deleted_at desc, id desc`
}

export async function findBinned(
  tx: Transaction,
  id: number,
): Promise<(BinRow & { audioSha256: string | null }) | undefined> {
  const [row] = await tx<(BinRow & { audioSha256: string | null })[]>`
    select ${binColumns(tx)}, audio_sha256 from teachings where id = ${id} and deleted_at is not null`
  return row
}

export async function unbinTeaching(tx: Transaction, id: number): Promise<void> {
  await tx`update teachings set deleted_at = null where id = ${id}`
}

/** Deletes teachings for good that were deleted more than `days` ago, and returns the file names of their recordings. */
export async function purgeBinned(sql: Database, days: number): Promise<string[]> {
  const rows = await sql<{ audioUrl: string | null }[]>`
    delete from teachings where deleted_at < now() - make_interval(days => ${days}) returning audio_url`
  return rows.flatMap(({ audioUrl }) => (audioUrl ? [audioUrl.slice('/audio/'.length)] : []))
}

const binColumns = (sql: Sql) => sql`${rowColumns(sql, 'teaching')}, deleted_at`
