import type { Sql } from './connection.ts'

/** Attempts of one key by one rule, within a sliding window. */
interface Counted {
  rule: string
  /** A keyed hash, so that the key cannot be read from the table. */
  keyMark: string
  attempts: number
  perMinutes: number
}

/**
 * Counts an attempt for all processes of the database; one beyond the limit is not counted.
 *
 * @returns undefined if it is within the limit, else the oldest one that still counts
 */
export async function countShared(
  sql: Sql,
  { rule, keyMark, attempts, perMinutes }: Counted,
  now: Date,
): Promise<Date | undefined> {
  const [row] = await sql<{ taken: boolean; oldest: Date }[]>`
    insert into counted_attempts as kept (rule, key_mark, attempts, taken)
    values (${rule}, ${keyMark}, array[${now}::timestamptz], true)
    on conflict (rule, key_mark) do update set (attempts, taken) = (
      select case when cardinality(recent) < ${attempts}::int then recent || ${now}::timestamptz else recent end,
        cardinality(recent) < ${attempts}::int
      from (
        select coalesce(array_agg(at order by at), '{}') as recent from unnest(kept.attempts) as at
        where at > ${now}::timestamptz - make_interval(mins => ${perMinutes}::int)) as counted)
    returning taken, attempts[1] as oldest`
  return row!.taken ? undefined : row!.oldest
}

/** Undoes the last attempt. */
export async function uncountShared(sql: Sql, { rule, keyMark }: Counted): Promise<void> {
  await sql`update counted_attempts set attempts = attempts[1:cardinality(attempts) - 1]
    where rule = ${rule} and key_mark = ${keyMark}`
}

/** Deletes keys without an attempt for a day, which is longer than any window. */
export async function forgetCounted(sql: Sql, now: Date): Promise<void> {
  await sql`delete from counted_attempts
    where coalesce(attempts[cardinality(attempts)] < ${now}::timestamptz - interval '1 day', true)`
}
