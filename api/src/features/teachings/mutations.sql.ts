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

export async function noteMutation(
  tx: Transaction,
  { id, userId, requestHash }: { id: string; userId: number; requestHash: string },
  answer: object,
): Promise<void> {
  await tx`insert into sync_mutation (mutation_id, user_id, request_hash, status, answer)
    values (${id}, ${userId}, ${requestHash}, 200, ${tx.json(answer as Parameters<Transaction['json']>[0])})`
}

/** Answers are kept as long as deletions are: a device that was away for longer gets a snapshot anyway. */
export async function forgetMutations(sql: Database, before: Date): Promise<number> {
  const { count } = await sql`delete from sync_mutation where created_at < ${before}`
  return count
}
