import type { Transaction, Sql } from '../../db/connection.ts'

/** Whether anything knows a recording: a teaching, also one in the bin, or the trail of a replaced one. */
export async function isRecordingReferenced(sql: Sql, sha256: string): Promise<boolean> {
  const [row] = await sql<{ referenced: boolean }[]>`
    select exists (select 1 from teachings where audio_sha256 = ${sha256})
        or exists (select 1 from audio_moved where old_sha256 = ${sha256} or new_sha256 = ${sha256}) as referenced`
  return row!.referenced
}

/**
 * Waits until no transaction writes synced rows. Whether one whose connection was lost had still been committed can be
 * seen afterwards.
 */
export async function waitForWriters(tx: Transaction): Promise<void> {
  await tx`select 1 from sync_clock for update`
}
