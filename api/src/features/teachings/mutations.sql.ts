import type { Database, Transaction } from '../../db/connection.ts'

export interface StoredMutation<Answer> {
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

/** Deletes stored answers; they last as long as tombstones, as a device that was away for longer takes a snapshot. */
export async function purgeMutations(sql: Database, days: number): Promise<number> {
  const { count } = await sql`delete from sync_mutation 
    where created_at < now() - make_interval(days => ${days})`
  return count
}
