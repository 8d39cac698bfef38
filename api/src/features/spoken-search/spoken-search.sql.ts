import type { SpokenWords } from '@fellowship/schema/spoken-search/spoken-words'
import type { Sentence } from '@fellowship/schema/transcripts/transcripts.schema'
import type { Sql, Transaction } from '../../db/connection.ts'

/** The indexed words of an approved text. */
export interface StoredWords extends SpokenWords {
  teaching: string
  rev: number
}

/** A piece of the dictionary; its id covers the pieces before it. */
export interface StoredPiece {
  id: string
  words: string
}

/** The pieces of the dictionary in their order. */
export const readDictionary = (sql: Sql): Promise<StoredPiece[]> =>
  sql<StoredPiece[]>`select id, words from spoken_dictionary order by piece`

/** Every condition for a text to be found: its teaching is in the library, and its approved revision is the indexed one. */
const live = (sql: Sql) => sql`
  spoken_texts join teachings on uid = spoken_texts.teaching
    and transcript_rev = spoken_texts.rev and teachings.deleted_at is null`

/** The indexed texts with the years of their teachings, the newest teaching first. */
export const indexedTexts = (sql: Sql): Promise<{ teaching: string; rev: number; year: number }[]> =>
  sql`select spoken_texts.teaching, spoken_texts.rev, year from ${live(sql)} order by date desc, id desc`

/** As `indexedTexts`, with their words. */
export const indexedWords = (sql: Sql): Promise<(StoredWords & { year: number })[]> =>
  sql`select spoken_texts.*, year from ${live(sql)} order by date desc, id desc`

/** Approved texts whose words are not indexed yet, except those of some teachings. */
export const textsToIndex = (
  sql: Sql,
  most: number,
  except: readonly string[],
): Promise<{ teaching: string; rev: number; sentences: Sentence[] }[]> =>
  sql`select teachings.uid as teaching, transcripts.rev, sentences
    from teachings join transcripts on transcripts.teaching = teachings.uid
      and state = 'approved' and transcripts.deleted_at is null and transcripts.rev = transcript_rev
    left join spoken_texts on spoken_texts.teaching = teachings.uid
    where teachings.deleted_at is null and spoken_texts.rev is distinct from transcript_rev
      and teachings.uid <> all(${[...except]}::uuid[])
    order by date desc, teachings.id desc limit ${most}`

/** The sentences of approved texts by teaching. */
export async function sentencesOf(sql: Sql, uids: readonly string[]): Promise<Map<string, Sentence[]>> {
  const rows = await sql<{ teaching: string; sentences: Sentence[] }[]>`
    select transcripts.teaching, sentences from transcripts
      join teachings on uid = transcripts.teaching and transcript_rev = transcripts.rev
    where teaching = any(${[...uids]}::uuid[]) and state = 'approved'
      and transcripts.deleted_at is null and teachings.deleted_at is null`
  return new Map(rows.map(({ teaching, sentences }) => [teaching, sentences]))
}

/** All indexed words, also of texts that are not live any more. */
export const allIndexedWords = (sql: Sql): Promise<StoredWords[]> =>
  sql<StoredWords[]>`select * from spoken_texts`

export async function addPiece(tx: Transaction, piece: number, { id, words }: StoredPiece): Promise<void> {
  await tx`insert into spoken_dictionary (piece, id, words) values (${piece}, ${id}, ${words})`
}

export async function putWords(tx: Transaction, texts: readonly StoredWords[]): Promise<void> {
  // Few enough values for one statement.
  for (let from = 0; from < texts.length; from += 500) {
    await tx`insert into spoken_texts ${tx(texts.slice(from, from + 500), 'teaching', 'rev', 'numbers', 'own')}
      on conflict (teaching) do update
        set rev = excluded.rev, numbers = excluded.numbers, own = excluded.own`
  }
}

/** Removes the words of texts that are not live any more; without a text the dictionary goes too. */
export async function removeStale(sql: Sql): Promise<void> {
  await sql`delete from spoken_texts where not exists (
    select from teachings where uid = spoken_texts.teaching
      and transcript_rev = spoken_texts.rev and deleted_at is null)`
  await sql`delete from spoken_dictionary where not exists (select from spoken_texts)`
}

/** Whether a text has to be indexed, or removed from the index. */
export async function isBehind(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ behind: boolean }[]>`
    select exists (
      select from (select uid, transcript_rev from teachings
        where transcript_rev is not null and deleted_at is null) wanted
      full join spoken_texts on uid = teaching
      where transcript_rev is distinct from rev) as behind`
  return row!.behind
}
