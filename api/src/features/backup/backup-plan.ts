import { createHash, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { crc32 } from 'node:zlib'
import { church } from '@fellowship/schema/church'
import { plainDateAt } from '@fellowship/schema/dates'
import { downloadName } from '@fellowship/schema/teachings/download-name'
import type { AudioExtension } from '@fellowship/schema/uploads/uploads.limits'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../db/connection.ts'
import { zipLayout, type ZipEntry, type ZipLayout } from '../../machine/zip/zip.ts'
import { backedUpTables, newestMigration, recordings, rowsOf, type RecordingRow } from './backup.sql.ts'
import type { Manifest, ManifestFile } from './manifest.ts'
import { fileCrc32 } from './file-crc32.ts'
import { sealedSecrets } from './sealed-secrets.ts'

/** The frozen contents of a backup, so that a resumed download gets the same bytes. */
export interface BackupPlan {
  readonly id: string
  readonly fileName: string
  readonly layout: ZipLayout
  /** Recordings and pictures in it. */
  readonly files: number
  /** Recordings of the library whose file is missing on disk. */
  readonly missing: readonly string[]
  readonly at: Date
}

interface Planned extends ZipEntry {
  readonly about: ManifestFile
}

/** Plans a backup of the present state: rows from one transaction, files by their immutable names. */
export async function planBackup(context: Context): Promise<BackupPlan> {
  const { sql, clock, config } = context
  const at = clock.now()
  const snapshot = (await sql.begin('isolation level repeatable read read only', async (tx) => ({
    database: await databaseJson(tx),
    migration: await newestMigration(tx),
    rows: await recordings(tx),
  }))) as { database: Buffer; migration: number; rows: RecordingRow[] }
  const missing: string[] = []
  const audio = await audioEntries(context, snapshot.rows, missing)
  const images = await imageEntries(context)
  const database = contentEntry('database.json', snapshot.database, at, 'database')
  // Sealed once: sealing again gives other bytes, and a resumed download would not fit together.
  const secrets = await sealedSecrets(config)
  const sealed = secrets ? [contentEntry('secrets.sealed', secrets, at, 'secrets')] : []
  const entries = [database, ...sealed, ...audio, ...images]
  const manifest: Manifest = {
    format: 1,
    product: church.name,
    version: church.versionLabel,
    migration: snapshot.migration,
    createdAt: at.toISOString(),
    files: entries.map(({ about }) => about),
    secrets: secrets ? 'sealed' : 'left out',
    missing,
  }
  const content = Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`)
  const first = contentEntry('manifest.json', content, at, 'database')
  return {
    id: randomUUID(),
    fileName: `fellowship-backup-${plainDateAt(at, church.timeZone)}.zip`,
    layout: zipLayout([first, ...entries]),
    files: audio.length + images.length,
    missing,
    at,
  }
}

/** {"format":1,"tables":{"users":[…],…}}, each row in PostgreSQL's own JSON. */
async function databaseJson(tx: Transaction): Promise<Buffer> {
  const pieces: Buffer[] = [Buffer.from('{"format":1,"tables":{')]
  for (const [at, table] of (await backedUpTables(tx)).entries()) {
    pieces.push(Buffer.from(`${at === 0 ? '' : ','}\n${JSON.stringify(table)}:[`))
    let separator = '\n'
    for await (const rows of rowsOf(tx, table)) {
      pieces.push(Buffer.from(separator + rows.join(',\n')))
      separator = ',\n'
    }
    pieces.push(Buffer.from(']'))
  }
  pieces.push(Buffer.from('}}\n'))
  return Buffer.concat(pieces)
}

async function audioEntries(
  { config, storage }: Context,
  rows: readonly RecordingRow[],
  missing: string[],
): Promise<Planned[]> {
  const names = new Set<string>()
  const entries: Planned[] = []
  for (const row of rows) {
    const storedAs = row.audioUrl.slice('/audio/'.length)
    const name = readableName(row, path.extname(storedAs).slice(1) as AudioExtension, names)
    const stored = await storage.stat('audio', storedAs)
    if (!stored || stored.bytes !== row.audioBytes) {
      missing.push(name)
      continue
    }
    const file = path.join(config.dataDir, 'audio', storedAs)
    entries.push({
      name,
      bytes: stored.bytes,
      crc32: row.audioCrc32 ?? (await fileCrc32(file)),
      modified: stored.modifiedAt,
      source: { file },
      about: { name, bytes: stored.bytes, sha256: row.audioSha256, kind: 'audio', storedAs },
    })
  }
  return entries
}

/** 'audio/2026/Hope_John_Smith_20261122.mp3', or 'audio/deleted/…' for a teaching in the bin. */
function readableName(row: RecordingRow, extension: AudioExtension, taken: Set<string>): string {
  const folder = row.deletedAt ? 'audio/deleted' : `audio/${row.date.slice(0, 4)}`
  const whole = downloadName(row, extension).slice(0, -(extension.length + 1))
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

async function imageEntries({ config, storage }: Context): Promise<Planned[]> {
  const entries: Planned[] = []
  for await (const { name: storedAs, modifiedAt } of storage.list('images')) {
    const name = `photos/${storedAs}`
    const content = await contentOf(path.join(config.dataDir, 'images', storedAs))
    if (!content) continue
    const bytes = content.length
    entries.push({
      name,
      bytes,
      crc32: crc32(content),
      modified: modifiedAt,
      // The content, not the path: a photo that is replaced is deleted at once, perhaps before it is downloaded.
      source: { content },
      about: { name, bytes, sha256: sha256(content), kind: 'images', storedAs },
    })
  }
  return entries
}

/** Undefined for a file that was removed since it was listed. */
function contentOf(file: string): Promise<Buffer | undefined> {
  return readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
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
