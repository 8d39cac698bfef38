import type { AddedWord, StoredWords } from '@fellowship/schema/teachings/teaching-words'
import { teachingColumns, type Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { Sql, Transaction } from '../../db/connection.ts'

/** What is stored of a recording with its teaching. */
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

/** The columns of a teaching's words, with what follows from them. A word that came later may be left as it is. */
export interface TeachingColumns extends Omit<StoredWords, AddedWord>, Partial<Pick<StoredWords, AddedWord>> {
  year: number
  scriptureStart: number | null
  scriptureEnd: number | null
}

/** Live teachings, newest first: all, or those of the uids. This is the shape that leaves the server. */
export function liveTeachings(sql: Sql, uids: readonly string[] | null = null): Promise<Teaching[]> {
  return sql<Teaching[]>`
    select ${columns(sql)} from teachings
    where deleted_at is null and ${uids ? sql`uid = any(${[...uids]}::uuid[])` : sql`true`}
    order by date desc, id desc`
}

/** The newest so many. */
export const newestTeachings = (sql: Sql, count: number): Promise<Teaching[]> => sql<Teaching[]>`
  select ${columns(sql)} from teachings where deleted_at is null order by date desc, id desc limit ${count}`

export async function findTeaching(sql: Sql, id: number): Promise<Teaching | undefined> {
  const [row] = await sql<
    Teaching[]
  >`select ${columns(sql)} from teachings where id = ${id} and deleted_at is null`
  return row
}

export async function findTeachingByUid(sql: Sql, uid: string): Promise<Teaching | undefined> {
  const [row] = await sql<
    Teaching[]
  >`select ${columns(sql)} from teachings where uid = ${uid} and deleted_at is null`
  return row
}

/** Live teachings of one day: the few a newcomer may be the same as. */
export function teachingsOfDay(sql: Sql, date: string): Promise<Teaching[]> {
  return sql<Teaching[]>`select ${columns(sql)} from teachings where date = ${date} and deleted_at is null`
}

/** The live teaching that has this very recording. */
export async function teachingWithAudio(sql: Sql, sha256: string): Promise<Teaching | undefined> {
  const [row] = await sql<Teaching[]>`
    select ${columns(sql)} from teachings where audio_sha256 = ${sha256} and deleted_at is null`
  return row
}

/**
 * Takes this transaction's revision and with it the lock that all writers of synced rows queue for. To be called
 * before rows are read that decide what is written.
 */
export async function lockForWriting(tx: Transaction): Promise<void> {
  await tx`select sync_alloc()`
}

export async function insertTeaching(
  tx: Transaction,
  row: TeachingColumns & Partial<TeachingAudio> & { uid?: string },
): Promise<Teaching> {
  const [inserted] = await tx<Teaching[]>`insert into teachings ${tx(row)} returning ${columns(tx)}`
  return inserted!
}

/** Undefined where there is no such live teaching. A change that changes nothing returns the row as it was. */
export async function updateTeaching(
  tx: Transaction,
  id: number,
  changes: TeachingColumns & Partial<TeachingAudio>,
): Promise<Teaching | undefined> {
  await tx`update teachings set ${tx(changes)} where id = ${id} and deleted_at is null`
  return findTeaching(tx, id)
}

/** Into the bin, as a revision of its own, which is returned. */
export async function binTeaching(tx: Transaction, id: number, now: Date): Promise<number> {
  const [row] = await tx<{ rev: number }[]>`
    update teachings set deleted_at = ${now} where id = ${id} and deleted_at is null returning rev`
  return row!.rev
}

export async function noteMovedAudio(tx: Transaction, from: string, to: string, now: Date): Promise<void> {
  await tx`insert into audio_moved (old_sha256, new_sha256, moved_at) values (${from}, ${to}, ${now})
    on conflict (old_sha256) do update set new_sha256 = excluded.new_sha256, moved_at = excluded.moved_at`
  // Back to an earlier recording: its address must not lead away from it.
  await tx`delete from audio_moved where old_sha256 = ${to}`
}

const columns = (sql: Sql) => sql(teachingColumns)
