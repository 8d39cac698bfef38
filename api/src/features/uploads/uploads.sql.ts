import type { Transaction, Sql } from '../../db/connection.ts'

/** Whether a recording belongs to a teaching, also in the bin, to the redirect of a replaced one, or is kept beside one. */
export async function isRecordingReferenced(sql: Sql, sha256: string): Promise<boolean> {
  const [row] = await sql<{ referenced: boolean }[]>`
    select exists (select 1 from teachings where audio_sha256 = ${sha256})
        or exists (select 1 from recording_copies where copy_sha256 = ${sha256})
        or exists (select 1 from trimmed_recordings where audio_sha256 = ${sha256})
        or exists (select 1 from audio_moved where old_sha256 = ${sha256} or new_sha256 = ${sha256}) as referenced`
  return row!.referenced
}

/** The title of the teaching with this recording, the library's before the bin's. */
export async function teachingWithRecording(sql: Sql, sha256: string): Promise<string | undefined> {
  const [row] = await sql<{ title: string }[]>`
    select title from teachings where audio_sha256 = ${sha256} order by deleted_at desc nulls first limit 1`
  return row?.title
}

/** Waits for writing transactions to end: then it can be seen whether one whose connection was lost was committed. */
export async function waitForWriters(tx: Transaction): Promise<void> {
  await tx`select 1 from sync_clock for update`
}
