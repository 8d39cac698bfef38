import type { Transaction } from '../../db/connection.ts'

/**
 * Begins a new sync epoch, so that devices take a snapshot. Never reuses a revision: a queued edit of a state that is gone
 * must not pass for an edit of the present one. The revisions go on from the time of day, in milliseconds: a copy that is
 * put back twice does not know how far it came after the first time.
 *
 * @param newest the highest revision that is known besides the clock's own
 */
export async function renewEpoch(tx: Transaction, newest = 0): Promise<void> {
  await tx`
    update sync_clock set epoch = gen_random_uuid(),
      rev = greatest(rev + ${revisionsAhead}, ${newest}::bigint + ${revisionsAhead},
        (extract(epoch from clock_timestamp()) * 1000)::bigint)`
  await tx`update sync_clock set floor = rev, epoch_rev = rev`
}

/**
 * Lets the numbers of all tables continue above those that may have been given out in a state that is gone: devices and
 * links may still hold one.
 */
export async function skipNumbers(tx: Transaction): Promise<void> {
  const tables = await tx<{ table: string; sequence: string }[]>`
    select table_name as table, pg_get_serial_sequence(quote_ident(table_name), 'id') as sequence
    from information_schema.columns
    where table_schema = current_schema() and column_name = 'id' and column_default like 'nextval(%'`
  for (const { table, sequence } of tables) {
    await tx`select setval(${sequence}::regclass, 
      greatest(pg_sequence_last_value(${sequence}::regclass), (select max(id) from ${tx(table)}), 0)
        + ${numbersAhead}::bigint + floor(random() * ${numbersApart})::bigint)`
  }
}

/** More than the changes, and the new rows, between a backup or a copy and its return. */
const revisionsAhead = 1_000_000
const numbersAhead = 10_000
/** At random, as a copy that is put back twice does not know which numbers it gave out after the first time. */
const numbersApart = 100_000
