import path from 'node:path'
import { createHash, randomUUID } from 'node:crypto'
import type { Writable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { backupLimits } from '@fellowship/schema/backup/backup.limits'
import { church } from '@fellowship/schema/church'
import { downloadName } from '@fellowship/schema/teachings/download-name'
import { Problem } from '@fellowship/schema/problem'
import type { AudioExtension } from '@fellowship/schema/uploads/uploads.limits'
import { originalName, originalRecordings, type OriginalRecording } from '../audio/audio.ts'
import { pictureFiles, type UsedPicture, usedPictures } from '../pictures/pictures.ts'
import type { Context } from '../../context.ts'
import { inTransaction } from '../../db/connection.ts'
import { writeAge } from '../../machine/age-stream.ts'
import { ageFileBytes, newAgeFile, type AgeFile } from '../../machine/age.ts'
import { manyStats, readPart, storedCrc32, type StoredFile } from '../../machine/storage/blob-store.ts'
import type { Storage } from '../../machine/storage/storage.ts'
import { crcWatch, zipLayout, type CrcWatch, type ZipEntry, type ZipLayout } from '../../machine/zip/zip.ts'
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
  /** Recordings and pictures in it. */
  readonly files: number
  /** Recordings and photos that the database refers to and the disk does not have. */
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

interface Planned extends ZipEntry {
  readonly about: ManifestFile
}

/**
 * Plans a backup of the present state: rows from one transaction, files by their immutable names.
 *
 * @param scope `database`: rows only, without recordings and photos
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
  // Sealed once: sealed again, the bytes differ, and the parts of a resumed download would not match.
  const secrets = await sealedSecrets(config)
  const secretEntries = secrets ? [contentEntry('secrets.sealed', secrets, at, 'secrets')] : []
  const entries = [databaseEntry(database, at), ...secretEntries, ...audio, ...photos]
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
    files: audio.length + photos.length,
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
    const { pictures, ...read } = await inTransaction(
      context.sql,
      async (tx) => {
        // Those of requests are shorter than the reading of a large library.
        await tx`set local statement_timeout = '10min'`
        const withCopies = scope !== 'database' && (await copiesWanted(tx))
        const read = {
          migration: await newestMigration(tx),
          rows: await recordings(tx),
          copies: withCopies ? await smallCopies(tx) : [],
          originals: scope === 'database' ? [] : await originalRecordings(tx),
          pictures: scope === 'database' ? [] : await usedPictures(tx),
        }
        return {
          ...read,
          database: await dumpDatabase(tx, context.config.dataDir, {
            copies: withCopies,
            most: databaseBytes,
          }),
        }
      },
      'isolation level repeatable read read only',
    )
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

async function audioEntries(
  { storage }: Context,
  rows: readonly RecordingRow[],
  { names, missing }: { names: Set<string>; missing: string[] },
): Promise<Planned[]> {
  const entries: Planned[] = []
  const statOf = await manyStats(storage, 'audio')
  for (const row of rows) {
    const storedAs = row.audioUrl.slice('/audio/'.length)
    const name = readableName(folderOf(row), row, { extension: extensionOf(storedAs), taken: names })
    const stored = await statOf(storedAs)
    if (!stored || stored.bytes !== row.audioBytes) {
      missing.push(name)
      continue
    }
    const entry = await storedEntry(storage, stored, { name, sha256: row.audioSha256, crc: row.audioCrc32 })
    entries.push(entry)
  }
  return entries
}

/** Copies whose files exist; missing ones are made again after a restore. */
async function copyEntries(
  { storage }: Context,
  rows: readonly CopyRow[],
  names: Set<string>,
): Promise<Planned[]> {
  const entries: Planned[] = []
  const statOf = await manyStats(storage, 'audio')
  for (const row of rows) {
    const { copySha256, copyBytes, copyCrc32 } = row
    const storedAs = `${copySha256}.mp3`
    const stored = await statOf(storedAs)
    if (stored?.bytes !== copyBytes) continue
    const name = readableName('audio/small', row, { extension: 'mp3', taken: names })
    const { about, ...entry } = await storedEntry(storage, stored, {
      name,
      sha256: copySha256,
      crc: copyCrc32,
    })
    entries.push({ ...entry, about: { ...about, small: true } })
  }
  return entries
}

/** What arrived of recordings that were written anew, under names that sort beside those. */
async function originalEntries(
  { storage }: Context,
  rows: readonly OriginalRecording[],
  names: Set<string>,
): Promise<Planned[]> {
  const entries: Planned[] = []
  const statOf = await manyStats(storage, 'audio')
  for (const row of rows) {
    const stored = await statOf(originalName(row.sha256))
    if (stored?.bytes !== row.bytes) continue
    const name = readableName('audio/originals', row, { extension: 'original', taken: names })
    const { sha256, crc32: crc } = row
    const { about, ...entry } = await storedEntry(storage, stored, { name, sha256, crc })
    entries.push({ ...entry, about: { ...about, original: true } })
  }
  return entries
}

/** @param crc null if it was stored without its checksum, which is then computed */
async function storedEntry(
  storage: Storage,
  { name: storedAs, bytes, modifiedAt: modified }: StoredFile,
  { name, sha256, crc }: { name: string; sha256: string; crc: number | null },
): Promise<Planned> {
  return {
    name,
    bytes,
    crc32: crc ?? (await storedCrc32(storage, 'audio', storedAs)),
    modified,
    source: { open: () => storage.open('audio', storedAs) },
    about: { name, bytes, sha256, kind: 'audio', storedAs },
  }
}

/** 'audio/2026'; other folders for trimmed recordings and for teachings in the bin. */
function folderOf({ untouched, deletedAt, date }: RecordingRow): string {
  if (untouched) return 'audio/untouched'
  return deletedAt ? 'audio/deleted' : `audio/${date.slice(0, 4)}`
}

const extensionOf = (storedAs: string) => path.extname(storedAs).slice(1) as AudioExtension

/** 'audio/2026/Hope_John_Smith_20261122.mp3' */
function readableName(
  folder: string,
  row: Pick<RecordingRow, 'title' | 'speaker' | 'date' | 'scriptureReference'>,
  { extension, taken }: { extension: string; taken: Set<string> },
): string {
  const whole = downloadName(row, 'mp3').slice(0, -'.mp3'.length)
  let stem = whole
  // File systems allow 255 bytes, and a character may take four.
  while (Buffer.byteLength(stem) > 200) stem = Array.from(stem).slice(0, -1).join('')
  for (let count = 1; ; count += 1) {
    const name = `${folder}/${stem}${count === 1 ? '' : ` (${count})`}.${extension}`
    // Windows and macOS ignore case.
    const seen = name.normalize('NFC').toLowerCase()
    if (taken.has(seen)) continue
    taken.add(seen)
    return name
  }
}

async function photoEntries(
  { storage }: Context,
  pictures: readonly UsedPicture[],
  missing: string[],
): Promise<Planned[]> {
  const names = pictures.flatMap(pictureFiles)
  const entries: Planned[] = []
  for (const storedAs of names) {
    const name = `photos/${storedAs}`
    const stored = await contentOf(storage, storedAs)
    if (!stored) {
      missing.push(name)
      continue
    }
    const { content, modifiedAt: modified } = stored
    const bytes = content.length
    entries.push({
      name,
      bytes,
      crc32: crc32(content),
      modified,
      // The content, not the path: if the photo is replaced before the download, its file is deleted.
      source: { content },
      about: { name, bytes, sha256: sha256(content), kind: 'images', storedAs },
    })
  }
  return entries
}

/** Undefined if the photo has no file. */
async function contentOf(storage: Storage, name: string) {
  await using file = await storage.open('images', name)
  return file && { content: await readPart(file, 0, file.bytes), modifiedAt: file.modifiedAt }
}

function databaseEntry({ sha256, bytes, crc32: sum, source }: DatabaseDump, modified: Date): Planned {
  const name = 'database.json'
  return { name, bytes, crc32: sum, modified, source, about: { name, bytes, sha256, kind: 'database' } }
}

function contentEntry(name: string, content: Buffer, modified: Date, kind: 'database' | 'secrets'): Planned {
  return {
    name,
    bytes: content.length,
    crc32: crc32(content),
    modified,
    source: { content },
    about: { name, bytes: content.length, sha256: sha256(content), kind },
  }
}

const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex')
