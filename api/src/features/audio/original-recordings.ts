import type { Context } from '../../context.ts'
import type { Sql } from '../../db/connection.ts'
import type { StagedFile } from '../../machine/storage/storage.ts'

/** The name of the stored bytes: their kind is unknown to browsers. */
export const originalName = (sha256: string): string => `${sha256}.original`

/** The bytes of a recording as they arrived, with their checksums. */
interface Arrived {
  readonly staged: StagedFile
  readonly sha256: string
  readonly crc32: number
}

/**
 * Stores the bytes of a recording that is written anew, before that one is published. Call it under the lock of the published
 * recording.
 */
export async function keepOriginal(
  { sql, clock, storage, config }: Context,
  { staged, sha256, crc32 }: Arrived,
  recordingSha256: string,
): Promise<void> {
  if (config.keepOriginals === 'never') return
  const settlement = await storage.settle(staged, 'audio', originalName(sha256))
  const row = { sha256, recordingSha256, bytes: staged.bytes, crc32, receivedAt: clock.now() }
  await sql`insert into original_recordings ${sql(row)} on conflict do nothing`
  await settlement.keep()
}

/** Removes an original if its recording was not published. Call it under the same lock. */
export async function removeUnpublishedOriginal(context: Context, sha256: string): Promise<void> {
  const { sql } = context
  const [unpublished] = await sql`
    select 1 from original_recordings where sha256 = ${sha256}
      and not exists (select 1 from teachings where audio_sha256 = recording_sha256)`
  if (unpublished) await removeOriginal(context, sha256)
}

/** Removes the originals that a complete backup of everything has, unless they are to be kept for good. */
export async function removeBackedUpOriginals(context: Context): Promise<void> {
  const { sql, config } = context
  if (config.keepOriginals === 'always') return
  const due = await sql<{ sha256: string }[]>`
    select sha256 from original_recordings where received_at < (
      select max(started_at) from backups where result = 'complete' and kind in ('weekly', 'manual'))`
  for (const { sha256 } of due) await removeOriginal(context, sha256)
}

/** An original, for a backup. */
export interface OriginalRecording {
  readonly sha256: string
  readonly bytes: number
  readonly crc32: number
  readonly title: string
  readonly speaker: string
  readonly date: string
  readonly scriptureReference: string | null
}

/** The originals of teachings in the library or the bin, oldest first. */
export const originalRecordings = (sql: Sql): Promise<OriginalRecording[]> =>
  sql<OriginalRecording[]>`
    select distinct on (date, sha256) sha256, bytes, crc32, title, speaker, date, scripture_reference
    from original_recordings join teachings on audio_sha256 = recording_sha256
    order by date, sha256, deleted_at desc nulls first`

async function removeOriginal(
  { sql, storage }: Pick<Context, 'sql' | 'storage'>,
  sha256: string,
): Promise<void> {
  await storage.remove('audio', originalName(sha256))
  await sql`delete from original_recordings where sha256 = ${sha256}`
}
