import { backupLimits } from '@fellowship/schema/backup/backup.limits'
import { gigabytes } from '@fellowship/schema/counted'
import { recordingKey } from '../audio/audio.ts'
import { countBytes, healRevisions } from '../listening/listening.ts'
import { ensureFixedPages } from '../written-pages/written-pages.ts'
import { farthestNumber, farthestRevision, renewEpoch, skipNumbers } from '../sync/sync.ts'
import type { Context } from '../../context.ts'
import { inTransaction } from '../../db/connection.ts'
import { writeAudit } from '../../db/audit-log.ts'
import { PassphraseNeeded } from '../../machine/age-stream.ts'
import { parsedJson } from '../../machine/json.ts'
import { stageSecretFile, type StagedText } from '../../machine/secrets.ts'
import { storedSha256 } from '../../machine/storage/blob-store.ts'
import { EntryTooLarge, openArchive, type Archive } from '../../machine/zip/unzip.ts'
import { backedUpTables, newestMigration } from './backup.sql.ts'
import { givenRows } from './column-rules.ts'
import { dumpedRows, type DumpedRows } from './dumped-rows.ts'
import { healedRows } from './healed-rows.ts'
import { isStored, judgeFiles } from './judge-files.ts'
import { judgeRows, type JudgedRows } from './judge-rows.ts'
import { manifest, restorableFault, type Manifest, type ManifestFile, RestoreRefusal } from './manifest.ts'
import { planSecrets, type SecretsReport } from './backup-secrets.ts'
import { planAccounts, type ChangedAccount } from './restored-accounts.ts'
import {
  columnsOf,
  insertRestored,
  presentRows,
  removeRows,
  renumberFarRows,
  settleRows,
  type Column,
} from './restore.sql.ts'

export { RestoreRefusal } from './manifest.ts'

/** The restored rows and files; in a dry run, those that would be restored. */
export interface RestoreReport extends SecretsReport {
  createdAt: string
  /** `database`: rows only; recordings, photos and handouts stay unchanged. */
  scope: Manifest['scope']
  version: string
  /** Rows by table, counted in the database or, in a dry run, in the backup. */
  rows: Record<string, number>
  recordings: number
  photos: number
  handouts: number
  bytes: number
  /** Recordings, photos and handouts that were missing when the backup was made. */
  missing: readonly string[]
  /** Files that are damaged in the backup and were skipped. */
  damaged: readonly string[]
  /** Accounts of the backup that differ from those of today. */
  accounts: readonly ChangedAccount[]
  written: boolean
}

type Target = Pick<Context, 'sql' | 'storage' | 'clock' | 'config' | 'locks'>

/**
 * Verifies the whole backup, then replaces the present state: first the files, as no row refers to them yet, then all rows
 * in one transaction, then the secrets, which were staged beside their final paths.
 *
 * @param replace allows replacing teachings, elders and accounts
 * @param withoutDamaged skips recordings, pictures and handouts that are damaged in the backup
 * @param withoutSecrets leaves the secrets of the backup out
 * @param withAccounts brings accounts that differ from today's back as they were, instead of inactive
 * @throws RestoreRefusal
 */
export async function restore(
  context: Target,
  file: string,
  {
    dryRun = false,
    replace = false,
    withoutSecrets = false,
    withoutDamaged = false,
    withAccounts = false,
  } = {},
): Promise<RestoreReport> {
  const archive = await openArchive(file, context.config.backupPassphrase).catch((error: Error) => {
    if (error instanceof PassphraseNeeded) throw sealedRefusal(error.message)
    throw new RestoreRefusal(notOpened(file, error))
  })
  try {
    const whole = await readManifest(archive)
    await assertRoom(context, whole)
    const damaged = await judgeFiles(archive, whole, withoutDamaged)
    const about = { ...whole, files: whole.files.filter(({ name }) => !damaged.includes(name)) }
    const columns = await columnsOf(context.sql, await backedUpTables(context.sql, { copies: true }))
    await assertFits(context, about)
    const rowsIn = () => healedRows(columns, about, rawRows(archive))
    const judged = await judgeRows(context.sql, columns, about, rowsIn)
    const isEmpty = await hasNothing(context, replace)
    const accounts = await planAccounts(context.sql, judged.accounts, { isEmpty, withAccounts })
    const { sealedPassword } = judged
    const secrets = await planSecrets(context.config, archive, about, { sealedPassword, withoutSecrets })
    const report = { ...reportOf(about, judged), damaged, accounts: accounts.changed, ...secrets.report }
    if (dryRun) return report
    const staged: StagedText[] = []
    try {
      for (const { file: target, text } of secrets.files) staged.push(await stageSecretFile(target, text))
      for (const stored of about.files) await restoreFile(context, archive, stored)
      const rows = await restoreRows(context, rowsIn, {
        about,
        judged,
        columns,
        inactive: accounts.inactive,
      })
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

async function* rawRows(archive: Archive) {
  yield* dumpedRows(await archive.open('database.json'))
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
  const text = await archive.read('manifest.json', backupLimits.manifestBytes).catch((error: Error) => {
    if (error instanceof EntryTooLarge) throw tooLarge(error)
    throw new RestoreRefusal('There is no manifest.json in this archive: it is no backup of this product.')
  })
  const read = manifest.safeParse(parsedJson(text))
  if (!read.success) throw new RestoreRefusal('manifest.json cannot be read by this version of the product.')
  const fault = restorableFault(read.data, text.length)
  if (fault !== undefined) throw new RestoreRefusal(`${fault} Take another backup.`)
  return read.data
}

const tooLarge = (error: EntryTooLarge) =>
  new RestoreRefusal(`${error.message} No backup of this product is like that: take another one.`)

/** Checked before the first byte is unpacked: a small archive may declare more content than a disk holds. */
async function assertRoom({ storage }: Target, { files }: Manifest): Promise<void> {
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

/** Releases are told apart by the newest migration they bring. */
async function assertFits({ sql }: Target, about: Manifest): Promise<void> {
  const here = await newestMigration(sql)
  if (about.migration <= here) return
  throw new RestoreRefusal(
    `This backup is of a newer release: its database has migration ${about.migration}, and this release has migrations up to ${here}. Update the product first.`,
  )
}

/**
 * Whether there is nothing yet but the account of the first start.
 *
 * @throws RestoreRefusal if there is more, and it may not be replaced
 */
async function hasNothing(context: Target, replace: boolean): Promise<boolean> {
  const { teachings, elders, users } = await presentRows(context.sql)
  if (teachings === 0 && elders === 0 && users <= 1) return true
  if (replace) return false
  throw new RestoreRefusal(
    `There are ${teachings} teachings, ${elders} elders and ${users} accounts here, which the restore would replace. ` +
      'If that is what you want, say so with --replace; make a backup of them first.',
  )
}

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
  rowsIn: () => AsyncIterable<DumpedRows>,
  {
    about,
    judged,
    columns,
    inactive,
  }: { about: Manifest; judged: JudgedRows; columns: readonly Column[]; inactive: readonly number[] },
): Promise<Record<string, number>> {
  return await inTransaction(sql, async (tx) => {
    // The restore of a large library exceeds the statement timeout of requests.
    await tx`set local statement_timeout = 0`
    await renewEpoch(tx, judged.newestRevision)
    // Without rows of copies in the backup, those of this server stay for recordings that both have.
    const tables = await backedUpTables(tx, { copies: judged.rows.has('recording_copies') })
    await removeRows(tx, tables)
    for await (const batch of rowsIn()) await insertRestored(tx, givenRows(columns, batch))
    await ensureFixedPages(tx)
    await countBytes(tx)
    await healRevisions(tx, farthestRevision)
    const counts = await settleRows(tx, tables, inactive)
    await skipNumbers(tx)
    await renumberFarRows(tx, farthestNumber)
    const details = { takenAt: about.createdAt, version: about.version, inactiveAccounts: inactive.length }
    await writeAudit(
      tx,
      { actor: null, action: 'backup.restored', subject: about.createdAt, details },
      clock.now(),
    )
    return counts
  })
}

function reportOf(
  about: Manifest,
  judged: JudgedRows,
): Omit<RestoreReport, 'damaged' | 'accounts' | keyof SecretsReport> {
  const { createdAt, scope, version, files, missing } = about
  const count = (kind: ManifestFile['kind']) =>
    files.filter((file) => file.kind === kind && !file.small).length
  return {
    createdAt,
    scope,
    version,
    rows: Object.fromEntries(judged.rows),
    recordings: count('audio'),
    photos: count('images'),
    handouts: count('handouts'),
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    missing,
    written: false,
  }
}
