import path from 'node:path'
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { handoutFile } from '@fellowship/schema/handouts/handout-file'
import { downloadName } from '@fellowship/schema/teachings/download-name'
import type { AudioExtension } from '@fellowship/schema/uploads/uploads.limits'
import type { Context } from '../../context.ts'
import { manyStats, readPart, storedCrc32, type StoredFile } from '../../machine/storage/blob-store.ts'
import type { Storage } from '../../machine/storage/storage.ts'
import type { ZipEntry } from '../../machine/zip/zip.ts'
import { originalName, type OriginalRecording } from '../audio/audio.ts'
import type { UsedHandout } from '../handouts/handouts.ts'
import { pictureFiles, type UsedPicture } from '../pictures/pictures.ts'
import type { CopyRow, RecordingRow } from './backup.sql.ts'
import type { DatabaseDump } from './database-dump.ts'
import type { ManifestFile } from './manifest.ts'

/** A file of a backup, with its line in the manifest. */
export interface Planned extends ZipEntry {
  readonly about: ManifestFile
}

/** Recordings of the library, of the bin and from before trimming. */
export async function audioEntries(
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
export async function copyEntries(
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
export async function originalEntries(
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

/** Handouts under names like those of their recordings. */
export async function handoutEntries(
  { storage }: Context,
  rows: readonly UsedHandout[],
  { names, missing }: { names: Set<string>; missing: string[] },
): Promise<Planned[]> {
  const entries: Planned[] = []
  const statOf = await manyStats(storage, 'handouts')
  for (const row of rows) {
    const name = readableName('handouts', row, { extension: row.type, taken: names })
    const stored = await statOf(handoutFile(row))
    if (stored?.bytes !== row.bytes) missing.push(name)
    else
      entries.push(
        await storedEntry(storage, stored, { name, sha256: row.hash, crc: null, kind: 'handouts' }),
      )
  }
  return entries
}

/** @param crc null if it was stored without its checksum, which is then computed */
async function storedEntry(
  storage: Storage,
  { name: storedAs, bytes, modifiedAt: modified }: StoredFile,
  {
    name,
    sha256,
    crc,
    kind = 'audio',
  }: { name: string; sha256: string; crc: number | null; kind?: 'audio' | 'handouts' },
): Promise<Planned> {
  return {
    name,
    bytes,
    crc32: crc ?? (await storedCrc32(storage, kind, storedAs)),
    modified,
    source: { open: () => storage.open(kind, storedAs) },
    about: { name, bytes, sha256, kind, storedAs },
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

export async function photoEntries(
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

export function databaseEntry({ sha256, bytes, crc32: sum, source }: DatabaseDump, modified: Date): Planned {
  const name = 'database.json'
  return { name, bytes, crc32: sum, modified, source, about: { name, bytes, sha256, kind: 'database' } }
}

export function contentEntry(
  name: string,
  content: Buffer,
  modified: Date,
  kind: 'database' | 'secrets',
): Planned {
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
