import type { WaitingDraft } from '@fellowship/schema/transcripts/transcripts.contract'
import type { Sentence, TranscriptSource } from '@fellowship/schema/transcripts/transcripts.schema'
import type { Database, Sql, Transaction } from '../../db/connection.ts'

/** The approved text of a live teaching. */
export interface ApprovedText {
  /** The uid of the teaching, and its date. */
  teaching: string
  date: string
  /** The revision at which it was approved: `transcriptRev` of the teaching. */
  rev: number
  language: string
  sentences: Sentence[]
}

/** The approved texts of live teachings by date, the oldest first: all, or those of the given teachings. */
export const approvedTexts = (sql: Sql, uids: readonly string[] | null = null): Promise<ApprovedText[]> =>
  sql<ApprovedText[]>`
    select teaching, date, approved.rev, language, sentences
    from transcripts approved join teachings on uid = teaching
    where state = 'approved' and approved.deleted_at is null and teachings.deleted_at is null
      and ${uids ? sql`teaching = any(${[...uids]}::uuid[])` : sql`true`}
    order by date, teaching`

/** A text of a teaching as it is stored. */
export interface StoredText {
  id: number
  teaching: string
  state: 'draft' | 'approved'
  source: TranscriptSource
  language: string
  sentences: Sentence[]
  byId: number | null
  byName: string
  savedAt: Date
}

/** Serializes the changes of one teaching's texts until the transaction ends. After `lockForWriting`, if both are needed. */
export async function lockTexts(tx: Transaction, teaching: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`transcript ${teaching}`}, 0))`
}

/** The draft and the approved text of a teaching. */
export async function currentTexts(
  sql: Sql,
  teaching: string,
): Promise<{ draft?: StoredText; approved?: StoredText }> {
  const rows = await sql<StoredText[]>`
    select ${columns(sql)} from transcripts where teaching = ${teaching} and deleted_at is null`
  return Object.fromEntries(rows.map((row) => [row.state, row]))
}

/** Drafts that one answer holds. */
const listedDrafts = 100

/** Drafts of teachings with a recording, the newest teachings first, each with the number of all. */
export const waitingDrafts = (sql: Sql): Promise<(WaitingDraft & { count: number })[]> => sql`
  select teachings.id, uid, title, speaker, date, scripture_reference, source, by_name as saved_by,
    (count(*) over ())::int as count
  from transcripts draft join teachings on uid = teaching
  where state = 'draft' and draft.deleted_at is null and teachings.deleted_at is null
    and audio_url is not null
  order by date desc, teachings.id desc limit ${listedDrafts}`

/** Characters of the first sentence that a list of texts shows. */
const firstWords = 120

/** A text in the bin, with the number of its sentences. */
interface EarlierText extends Omit<StoredText, 'sentences'> {
  sentences: number
  firstWords: string
  deletedAt: Date
}

/** Texts in the bin, the newest first. */
export const earlierTexts = (sql: Sql, teaching: string): Promise<EarlierText[]> => sql`
  select id, teaching, state, source, language, by_id, by_name, saved_at, deleted_at,
    jsonb_array_length(sentences) as sentences,
    case when length(sentences->0->>'text') <= ${firstWords} then sentences->0->>'text'
      else regexp_replace(left(sentences->0->>'text', ${firstWords}), '\\s+\\S*$', '') || '…' end as first_words
  from transcripts where teaching = ${teaching} and deleted_at is not null order by id desc`

export async function binnedText(
  tx: Transaction,
  teaching: string,
  id: number,
): Promise<StoredText | undefined> {
  const [row] = await tx<StoredText[]>`
    select ${columns(tx)} from transcripts
    where teaching = ${teaching} and id = ${id} and deleted_at is not null`
  return row
}

export async function insertDraft(
  tx: Transaction,
  { sentences, ...row }: Omit<StoredText, 'id' | 'state'>,
): Promise<StoredText> {
  const draft = { ...row, byName: row.byName.slice(0, 255), state: 'draft', sentences: tx.json(sentences) }
  const [inserted] = await tx<StoredText[]>`insert into transcripts ${tx(draft)} returning ${columns(tx)}`
  return inserted!
}

/** A new version of a text with other sentences; the previous one goes to the bin. */
export async function replaceSentences(
  tx: Transaction,
  { id }: StoredText,
  sentences: Sentence[],
): Promise<void> {
  await tx`update transcripts set deleted_at = now() where id = ${id}`
  await tx`
    insert into transcripts
      (teaching, state, source, language, sentences, by_id, by_name, saved_at, approved_by, approved_at)
    select teaching, state, source, language, ${tx.json(sentences)}, by_id, by_name, saved_at, approved_by, approved_at
    from transcripts where id = ${id}`
}

/** Makes a draft the approved text. */
export async function approveText(
  tx: Transaction,
  id: number,
  { by, at }: { by: string; at: Date },
): Promise<StoredText> {
  const [row] = await tx<StoredText[]>`
    update transcripts set state = 'approved', approved_by = ${by.slice(0, 255)}, approved_at = ${at}
    where id = ${id} returning ${columns(tx)}`
  return row!
}

/** Moves a text to the bin, in which a teaching has so many at most. */
export async function binText(tx: Transaction, { id, teaching }: StoredText, most: number): Promise<void> {
  await tx`update transcripts set deleted_at = now() where id = ${id}`
  await tx`delete from transcripts where id in (
    select id from transcripts where teaching = ${teaching} and deleted_at is not null
    order by deleted_at desc, id desc offset ${most})`
}

export async function deleteText(tx: Transaction, id: number): Promise<void> {
  await tx`delete from transcripts where id = ${id}`
}

/** Deletes texts that were in the bin for so many days, and those of teachings that are gone for good. */
export async function purgeTexts(sql: Database, days: number): Promise<number> {
  const { count } = await sql`delete from transcripts
    where deleted_at < now() - make_interval(days => ${days})
      or not exists (select 1 from teachings where uid = teaching)`
  return count
}

const columns = (sql: Sql) => sql`id, teaching, state, source, language, sentences, by_id, by_name, saved_at`

/** A name under which a recording, a text, or both arrived. */
interface DroppedName {
  name: string
  teaching: string | null
  language: string
  sentences: Sentence[] | null
}

export async function dropText(
  tx: Transaction,
  { name, language, sentences }: Omit<DroppedName, 'teaching'> & { sentences: Sentence[] },
  at: Date,
): Promise<void> {
  const text = { language, sentences: tx.json(sentences), arrivedAt: at }
  await tx`insert into dropped_files ${tx({ name, ...text })} on conflict (name) do update set ${tx(text)}`
}

export async function noteRecordingName(
  tx: Transaction,
  { name, teaching }: { name: string; teaching: string },
  at: Date,
): Promise<void> {
  await tx`insert into dropped_files (name, teaching, arrived_at) values (${name}, ${teaching}, ${at})
    on conflict (name) do update set teaching = excluded.teaching, arrived_at = excluded.arrived_at`
}

export async function droppedName(tx: Transaction, name: string): Promise<DroppedName | undefined> {
  const [row] = await tx<DroppedName[]>`
    select name, teaching, language, sentences from dropped_files where name = ${name}`
  return row
}

/** The text of a name became a draft. */
export async function forgetText(tx: Transaction, name: string): Promise<void> {
  await tx`update dropped_files set sentences = null where name = ${name}`
}

export async function purgeDropped(sql: Database, days: number): Promise<number> {
  const { count } = await sql`
    delete from dropped_files where arrived_at < now() - make_interval(days => ${days})`
  return count
}
