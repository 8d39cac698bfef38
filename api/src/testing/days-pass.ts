import type { Database } from '../db/connection.ts'

/** Lets days pass for what the database dates: its clock cannot be set, so all dates are moved back. */
export async function letDaysPass(sql: Database, days: number): Promise<void> {
  for (const [table, column] of dated) {
    await sql`update ${sql(table)} set ${sql(column)} = ${sql(column)} - make_interval(secs => ${days * 86_400})
      where ${sql(column)} is not null`
  }
}

const dated = [
  ['audio_moved', 'moved_at'],
  ['chore_runs', 'ran_at'],
  ['held_sweeps', 'allowed_at'],
  ['inbox', 'arrived_at'],
  ['series', 'deleted_at'],
  ['sync_change', 'changed_at'],
  ['sync_mutation', 'created_at'],
  ['teachings', 'deleted_at'],
  ['uploads', 'touched_at'],
] as const
