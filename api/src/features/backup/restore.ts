import { gigabytes } from '@fellowship/schema/counted'
import { maxUploadBytes } from '@fellowship/schema/uploads/uploads.limits'
import { recordingKey } from '../audio/audio.ts'
import { renewEpoch, skipNumbers } from '../sync/sync.ts'
import type { Context } from '../../context.ts'
import { inTransaction } from '../../db/connection.ts'
import { writeAudit } from '../../db/audit-log.ts'
import { PassphraseNeeded } from '../../machine/age-stream.ts'
import { parsedJson } from '../../machine/json.ts'
import { stageSecretFile, type StagedText } from '../../machine/secrets.ts'
import { storedSha256, type StoredKind } from '../../machine/storage/blob-store.ts'
import { EntryTooLarge, openArchive, type Archive } from '../../machine/zip/unzip.ts'
import { backedUpTables, newestMigration } from './backup.sql.ts'
import { validateRows } from './validate-rows.ts'
import {
  databaseDump,
  manifest,
  type DatabaseDump,
  type Manifest,
  type ManifestFile,
  RestoreRefusal,
} from './manifest.ts'
import { planSecrets, type SecretsReport } from './backup-secrets.ts'
import { replaceRows, presentRows } from './restore.sql.ts'

export { RestoreRefusal } from './manifest.ts'

/** The restored rows and files; in a dry run, those that would be restored. */
export interface RestoreReport extends SecretsReport {
  createdAt: string
  /** `database`: rows only; recordings and photos stay unchanged. */
  scope: Manifest['scope']
  version: string
  /** Rows by table, counted in the database or, in a dry run, in the backup. */
  rows: Record<string, number>
  recordings: number
  photos: number
  bytes: number
  /** Recordings and photos that were missing when the backup was made. */
  missing: readonly string[]
  /** Files that are damaged in the backup and were skipped. */
  damaged: readonly string[]
  written: boolean
}

type Target = Pick<Context, 'sql' | 'storage' | 'clock' | 'config' | 'locks'>

/**
 * Verifies the whole backup, then replaces the present state: first the files, as no row refers to them yet, then all rows
 * in one transaction, then the secrets, which were staged beside their final paths.
 *
 * @param replace allows replacing teachings, elders and accounts
 * @param withoutDamaged skips recordings and pictures that are damaged in the backup
 * @param withoutSecrets leaves the secrets of the backup out
 * @throws RestoreRefusal
 */
export async function restore(
  context: Target,
  file: string,
  { dryRun = false, replace = false, withoutSecrets = false, withoutDamaged = false } = {},
): Promise<RestoreReport> {
  const archive = await openArchive(file, context.config.backupPassphrase).catch((error: Error) => {
    if (error instanceof PassphraseNeeded) throw sealedRefusal(error.message)
    throw new RestoreRefusal(notOpened(file, error))
  })
  try {
    const whole = await readManifest(archive)
    await assertRoom(context, whole)
    const damaged = await verify(archive, whole, withoutDamaged)
    const about = { ...whole, files: whole.files.filter(({ name }) => !damaged.includes(name)) }
    const dump = await readDump(archive)
    await assertFits(context, about, dump)
    validateRows(dump)
    if (!replace) await assertEmpty(context)
    const secrets = await planSecrets(context.config, archive, about, dump, withoutSecrets)
    const report = { ...reportOf(about, dump), damaged, ...secrets.report }
    if (dryRun) return report
    const staged: StagedText[] = []
    try {
      for (const { file: target, text } of secrets.files) staged.push(await stageSecretFile(target, text))
      for (const stored of about.files) await restoreFile(context, archive, stored)
      const rows = await restoreRows(context, dump, about)
      for (const text of staged) await text.take()
      await restoreSweptFiles(context, archive, about)
      return { ...report, rows, written: true }
    } finally {
      for (const text of staged) await text.discard()
    }
  } finally {
    archive.close()
  }
}

/** Why the file cannot be opened: its path, the rights to it, or its content. */
function notOpened(file: string, { code = '', message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT' || code === 'ENOTDIR') return `There is no file ${file}. Give the path of a backup.`
  if (code === 'EISDIR') return `${file} is a folder. Give the path of a backup in it.`
  if (code === 'EACCES' || code === 'EPERM')
    return `${file} cannot be read by the user who runs this (${code}). Make it readable for that user, or give it to them with chown.`
  return `${file} is no whole ZIP archive (${message}). Download the backup again.`
}

const sealedRefusal = (why: string) =>
  new RestoreRefusal(
    why === 'none'
      ? 'This backup is encrypted. Set BACKUP_PASSPHRASE to the passphrase it was made with.'
      : 'BACKUP_PASSPHRASE is not the passphrase that this backup was encrypted with, or its beginning is damaged. Set it to that one.',
  )

async function readManifest(archive: Archive): Promise<Manifest> {
  const text = await archive.read('manifest.json', mostBytes.manifest).catch((error: Error) => {
    if (error instanceof EntryTooLarge) throw tooLarge(error)
    throw new RestoreRefusal('There is no manifest.json in this archive: it is no backup of this product.')
  })
  const read = manifest.safeParse(parsedJson(text))
  if (!read.success) throw new RestoreRefusal('manifest.json cannot be read by this version of the product.')
  return read.data
}

/**
 * The limit of a part that is read into memory as a whole: far more than 100,000 teachings need, and less than a small
 * machine has.
 */
const mostBytes = { manifest: 128 * 1024 * 1024, database: 384 * 1024 * 1024 }

const tooLarge = (error: EntryTooLarge) =>
  new RestoreRefusal(`${error.message} No backup of this product is like that: take another one.`)

/** Checked before the first byte is unpacked: a small archive may declare more content than a disk holds. */
async function assertRoom({ storage }: Target, { files }: Manifest): Promise<void> {
  const large = files.find(({ kind, bytes }) => kind === 'audio' && bytes > maxUploadBytes)
  if (large) throw new RestoreRefusal(`${large.name} is larger than a recording may be. Take another backup.`)
  const sizes = files.flatMap(({ kind, bytes }) => (isStored(kind) ? [bytes] : []))
  // If recordings go to a bucket, they only pass through this disk, one after the other.
  const needed = storage.isLocal
    ? sizes.reduce((sum, bytes) => sum + bytes, 0)
    : sizes.reduce((most, bytes) => Math.max(most, bytes), 0)
  const free = await storage.freeBytes()
  if (needed <= free) return
  throw new RestoreRefusal(
    `The files of this backup need ${gigabytes(needed)}, and the disk has ${gigabytes(free)} left. Free space first.`,
  )
}

/**
 * Checks presence, length and hash of every file, and returns the damaged ones if they may be skipped. If a file decays on
 * disk, every later backup contains it, and must stay usable.
 */
async function verify(archive: Archive, about: Manifest, withoutDamaged: boolean): Promise<string[]> {
  const damaged: string[] = []
  for (const { name, bytes, sha256, kind, storedAs } of about.files) {
    const found = archive.entries.get(name)
    if (found !== bytes)
      throw new RestoreRefusal(`${name} is ${found === undefined ? 'missing' : 'cut short'}.`)
    if (isStored(kind) && !storedAs)
      throw new RestoreRefusal(`manifest.json does not say where ${name} belongs.`)
    if ((await archive.sha256(name).catch(() => undefined)) === sha256) continue
    if (isStored(kind) && withoutDamaged) damaged.push(name)
    else {
      const orWithout = isStored(kind) ? ' Or say --without-damaged: then all but such files comes back.' : ''
      throw new RestoreRefusal(
        `${name} is damaged. Download the backup again, or take an older one.${orWithout}`,
      )
    }
  }
  return damaged
}

async function readDump(archive: Archive): Promise<DatabaseDump> {
  const text = await archive.read('database.json', mostBytes.database).catch((error: Error) => {
    throw error instanceof EntryTooLarge ? tooLarge(error) : error
  })
  const read = databaseDump.safeParse(parsedJson(text))
  if (!read.success) throw new RestoreRefusal('database.json cannot be read by this version of the product.')
  return read.data
}

async function assertFits({ sql }: Target, about: Manifest, dump: DatabaseDump): Promise<void> {
  const known = await backedUpTables(sql, { copies: true })
  const strange = Object.keys(dump.tables).filter((table) => !known.includes(table))
  if (about.migration > (await newestMigration(sql)) || strange.length > 0) {
    throw new RestoreRefusal(
      `This backup was made by a newer version of the product (${about.version}). Update the product first.`,
    )
  }
}

async function assertEmpty({ sql }: Target): Promise<void> {
  const { teachings, elders, users } = await presentRows(sql)
  if (teachings === 0 && elders === 0 && users <= 1) return
  throw new RestoreRefusal(
    `There are ${teachings} teachings, ${elders} elders and ${users} accounts here, which the restore would replace. ` +
      'If that is what you want, say so with --replace; make a backup of them first.',
  )
}

const isStored = (kind: ManifestFile['kind']): kind is StoredKind => kind === 'audio' || kind === 'images'

/** Holds the lock of the recording: a failing upload of the same one may still remove the file that it stored. */
async function restoreFile(context: Target, archive: Archive, file: ManifestFile): Promise<void> {
  if (!isStored(file.kind) || file.original) return
  const place = () => placeFile(context, archive, file)
  if (file.kind === 'audio') await context.locks.run(recordingKey(file.sha256), place)
  else await place()
}

async function placeFile(
  { storage }: Target,
  archive: Archive,
  { name, kind, storedAs, sha256 }: ManifestFile,
): Promise<void> {
  if (!isStored(kind)) return
  const present = await storedSha256(storage, kind, storedAs!)
  if (present === sha256) return
  const staged = await storage.stage()
  try {
    for await (const chunk of await archive.open(name)) await staged.write([chunk as Buffer])
    await staged.finish()
    const settled = await storage.settle(staged, kind, storedAs!)
    await settled.keep()
  } finally {
    await staged.discard()
  }
}

/** Stores the files again that a running server swept before the rows referred to them. */
async function restoreSweptFiles(context: Target, archive: Archive, { files }: Manifest): Promise<void> {
  for (const file of files) {
    if (!isStored(file.kind) || file.original || (await context.storage.stat(file.kind, file.storedAs!)))
      continue
    await restoreFile(context, archive, file)
  }
}

/** Returns the number of rows by table. */
async function restoreRows(
  { sql, clock }: Target,
  dump: DatabaseDump,
  about: Manifest,
): Promise<Record<string, number>> {
  return await inTransaction(sql, async (tx) => {
    // The restore of a large library exceeds the statement timeout of requests.
    await tx`set local statement_timeout = 0`
    await renewEpoch(tx, newestRevision(dump))
    const counts = await replaceRows(tx, await backedUpTables(tx, hasCopies(dump)), dump.tables)
    await skipNumbers(tx)
    const details = { takenAt: about.createdAt, version: about.version }
    await writeAudit(
      tx,
      { actor: null, action: 'backup.restored', subject: about.createdAt, details },
      clock.now(),
    )
    return counts
  })
}

/** If the backup has no rows of copies, those of this server stay for recordings that both have. */
const hasCopies = ({ tables }: DatabaseDump) => ({ copies: 'recording_copies' in tables })

function newestRevision({ tables }: DatabaseDump): number {
  let newest = 0
  for (const rows of Object.values(tables)) {
    for (const { rev } of rows) if (typeof rev === 'number') newest = Math.max(newest, rev)
  }
  return newest
}

function reportOf(about: Manifest, dump: DatabaseDump): Omit<RestoreReport, 'damaged' | keyof SecretsReport> {
  const { createdAt, scope, version, files, missing } = about
  const count = (kind: ManifestFile['kind']) =>
    files.filter((file) => file.kind === kind && !file.small).length
  return {
    createdAt,
    scope,
    version,
    rows: Object.fromEntries(Object.entries(dump.tables).map(([table, rows]) => [table, rows.length])),
    recordings: count('audio'),
    photos: count('images'),
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    missing,
    written: false,
  }
}
