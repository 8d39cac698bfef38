import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, statfs } from 'node:fs/promises'
import path from 'node:path'
import { finished } from 'node:stream/promises'
import { backupTexts } from '@fellowship/schema/backup/backup.texts'
import { syncPath } from '../../machine/storage/sync-path.ts'
import { writeBackup, type BackupPlan } from './backup-plan.ts'

/** A kind of backup files in a folder: `fellowship-<kind>-YYYY-MM-DD.zip`, with `.age` where it is encrypted. */
export type FileKind = 'backup' | 'database'

/**
 * Writes a planned backup into a folder: aside, then renamed, readable by its owner only.
 *
 * @throws Error with a sentence where there is no room, or the system's error
 */
export async function writeBackupFile(plan: BackupPlan, kind: FileKind, folder: string): Promise<void> {
  const part = path.join(folder, `.${plan.fileName}.part`)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await removeParts(folder, kind)
    await assertRoom(folder, plan.bytes)
    await writePart(plan, part)
    await rename(part, path.join(folder, plan.fileName))
    await syncPath(folder)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}

/**
 * Removes only files named like a backup of this kind, oldest first by the date in the name. A later date than the newest
 * comes from a clock that ran ahead, and must not push the newest out.
 */
export async function removeOldest(folder: string, kept: Kept): Promise<void> {
  for (const name of oldestOf(await readdir(folder), kept)) await rm(path.join(folder, name), { force: true })
}

/** What stays of a kind: the newest so many up to this one. */
export interface Kept {
  readonly kind: FileKind
  readonly keep: number
  readonly newest: string
  /** The newest file with nothing missing or damaged in it: it stays as well, as newer ones cannot bring that back. */
  readonly whole: string | undefined
}

/** The names that are too many. */
export function oldestOf(names: readonly string[], { kind, keep, newest, whole }: Kept): string[] {
  const pattern = new RegExp(`^fellowship-${kind}-(\\d{4}-\\d\\d-\\d\\d)\\.zip(?:\\.age)?$`)
  const dateOf = (name: string) => pattern.exec(name)?.[1]
  const known = names
    .filter((name) => (dateOf(name) ?? '~') <= dateOf(newest)!)
    .toSorted((a, b) => (dateOf(a)! < dateOf(b)! ? -1 : 1))
  return known.slice(0, -keep).filter((name) => name !== whole)
}

async function writePart(plan: BackupPlan, part: string): Promise<void> {
  // A backup holds password hashes.
  const target = createWriteStream(part, { mode: 0o600 })
  await writeBackup(plan, target)
  target.end()
  await finished(target)
  await syncPath(part)
}

async function assertRoom(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize < bytes * 1.05) {
    throw new Error(backupTexts.noRoom(inGigabytes(bytes), inGigabytes(bavail * bsize)))
  }
}

/** Removes what a process left that ended during a backup. */
async function removeParts(folder: string, kind: FileKind): Promise<void> {
  const pattern = new RegExp(`^\\.fellowship-${kind}-\\d{4}-\\d\\d-\\d\\d\\.zip(?:\\.age)?\\.part$`)
  const parts = (await readdir(folder)).filter((name) => pattern.test(name))
  for (const name of parts) await rm(path.join(folder, name), { force: true })
}

const inGigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`
