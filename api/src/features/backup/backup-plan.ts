import { randomUUID } from 'node:crypto'
import type { Writable } from 'node:stream'
import { backupLimits } from '@fellowship/schema/backup/backup.limits'
import { church } from '@fellowship/schema/church'
import { Problem } from '@fellowship/schema/problem'
import { originalRecordings, type OriginalRecording } from '../audio/audio.ts'
import { usedHandouts, type UsedHandout } from '../handouts/handouts.ts'
import { usedPictures } from '../pictures/pictures.ts'
import type { Context } from '../../context.ts'
import { inSnapshot } from '../../db/connection.ts'
import { writeAge } from '../../machine/age-stream.ts'
import { ageFileBytes, newAgeFile, type AgeFile } from '../../machine/age.ts'
import { crcWatch, zipLayout, type CrcWatch, type ZipLayout } from '../../machine/zip/zip.ts'
import { writeZip } from '../../machine/zip/zip-write.ts'
import {
  copiesWanted,
  newestMigration,
  recordings,
  smallCopies,
  type CopyRow,
  type RecordingRow,
} from './backup.sql.ts'
import { backupFileName } from './backup-names.ts'
import { dumpDatabase, type DatabaseDump } from './database-dump.ts'
import { restorableFault, type Manifest, type ManifestFile } from './manifest.ts'
import {
  audioEntries,
  contentEntry,
  copyEntries,
  databaseEntry,
  handoutEntries,
  originalEntries,
  photoEntries,
  type Planned,
} from './planned-files.ts'
import { sealedSecrets } from './backup-secrets.ts'

/** The frozen contents of a backup, so that a resumed download gets the same bytes. */
export interface BackupPlan {
  readonly id: string
  readonly fileName: string
  /** The length of the file. */
  readonly bytes: number
  readonly layout: ZipLayout
  /** The encryption around it; undefined without BACKUP_PASSPHRASE. */
  readonly sealed: AgeFile | undefined
  /** Recordings, pictures and handouts in it. */
  readonly files: number
  /** Recordings, photos and handouts that the database refers to and the disk does not have. */
  readonly missing: readonly string[]
  /** A row that a restore would refuse: the backup then counts as failed. */
  readonly refused: string | undefined
  readonly watch: CrcWatch
  /** The damaged files among those that were written whole so far. */
  readonly damaged: () => readonly ManifestFile[]
  readonly at: Date
  /** Frees the file of its rows: call it when the backup is written, or will not be. */
  readonly release: () => Promise<void>
}

/**
 * Plans a backup of the present state: rows from one transaction, files by their immutable names.
 *
 * @param scope `database`: rows only, without recordings, photos and handouts
 * @param databaseBytes the size of the rows that a restore accepts
 * @throws Problem `backup_too_large` if a restore would refuse it
 */
export async function planBackup(
  context: Context,
  {
    scope = 'everything',
    databaseBytes = backupLimits.databaseBytes,
  }: { scope?: Manifest['scope']; databaseBytes?: number } = {},
): Promise<BackupPlan> {
  const { clock } = context
  const at = clock.now()
  const read = await snapshot(context, scope, databaseBytes)
  try {
    return await planned(context, { ...read, scope, at })
  } catch (error) {
    await read.database.release()
    throw error
  }
}

async function planned(
  context: Context,
  {
    database,
    migration,
    rows,
    copies,
    originals,
    handouts,
    photos,
    missing,
    scope,
    at,
  }: Snapshot & { scope: Manifest['scope']; at: Date },
): Promise<BackupPlan> {
  const { config } = context
  const names = new Set<string>()
  const recordingEntries = scope === 'database' ? [] : await audioEntries(context, rows, { names, missing })
  const audio = [
    ...recordingEntries,
    ...(copies.length === 0 ? [] : await copyEntries(context, copies, names)),
  ]
  audio.push(...(await originalEntries(context, originals, names)))
  const others = [...(await handoutEntries(context, handouts, { names, missing })), ...photos]
  // Sealed once: sealed again, the bytes differ, and the parts of a resumed download would not match.
  const secrets = await sealedSecrets(config)
  const secretEntries = secrets ? [contentEntry('secrets.sealed', secrets, at, 'secrets')] : []
  const entries = [databaseEntry(database, at), ...secretEntries, ...audio, ...others]
  const manifest: Manifest = {
    format: 1,
    scope,
    product: church().name,
    version: church().versionLabel,
    migration,
    createdAt: at.toISOString(),
    files: entries.map(({ about }) => about),
    secrets: secrets ? 'sealed' : 'left out',
    missing,
  }
  const content = Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`)
  const fault = restorableFault(manifest, content.length)
  if (fault !== undefined) throw new Problem('backup_too_large', fault)
  const layout = zipLayout([contentEntry('manifest.json', content, at, 'database'), ...entries])
  const sealed = config.backupPassphrase === undefined ? undefined : await newAgeFile(config.backupPassphrase)
  const watch = crcWatch()
  return {
    id: randomUUID(),
    fileName: backupFileName(config, scope, at),
    layout,
    sealed,
    bytes: sealed ? ageFileBytes(sealed, layout.size) : layout.size,
    files: audio.length + others.length,
    missing,
    refused: database.refused,
    watch,
    damaged: () => entries.filter((entry) => watch.damaged.has(entry)).map(({ about }) => about),
    at,
    release: () => database.release(),
  }
}

/** Writes a range of the backup, `end` included, in constant memory. Does not end the target. */
export const writeBackup = (
  { layout, sealed, watch }: BackupPlan,
  target: Writable,
  range: { start?: number; end?: number } = {},
): Promise<void> =>
  sealed
    ? writeAge(sealed, layout.size, (clear, part) => writeZip(layout, clear, part, watch), target, range)
    : writeZip(layout, target, range, watch)

interface Snapshot {
  database: DatabaseDump
  migration: number
  rows: RecordingRow[]
  copies: CopyRow[]
  originals: OriginalRecording[]
  handouts: UsedHandout[]
  photos: Planned[]
  missing: string[]
}

/**
 * Reads the rows, and right afterwards their photos: a photo is deleted as soon as it is replaced. If one was replaced in
 * between, the rows are read again; a photo missing after that is a gap.
 */
async function snapshot(
  context: Context,
  scope: Manifest['scope'],
  databaseBytes: number,
): Promise<Snapshot> {
  for (let tries = 1; ; tries += 1) {
    const { pictures, ...read } = await inSnapshot(context.sql, async (tx) => {
      // Those of requests are shorter than the reading of a large library.
      await tx`set local statement_timeout = '10min'`
      const withCopies = scope !== 'database' && (await copiesWanted(tx))
      const read = {
        migration: await newestMigration(tx),
        rows: await recordings(tx),
        copies: withCopies ? await smallCopies(tx) : [],
        originals: scope === 'database' ? [] : await originalRecordings(tx),
        handouts: scope === 'database' ? [] : await usedHandouts(tx),
        pictures: scope === 'database' ? [] : await usedPictures(tx),
      }
      return {
        ...read,
        database: await dumpDatabase(tx, context.config.dataDir, {
          copies: withCopies,
          most: databaseBytes,
        }),
      }
    })
    const missing: string[] = []
    const photos = await photoEntries(context, pictures, missing).catch(async (error: unknown) => {
      await read.database.release()
      throw error
    })
    if (missing.length === 0 || tries === snapshotTries) return { ...read, photos, missing }
    await read.database.release()
  }
}

const snapshotTries = 3
