import path from 'node:path'
import { createWriteStream } from 'node:fs'
import { Writable } from 'node:stream'
import { pipeline, finished } from 'node:stream/promises'
import { mkdir, readdir, rename, rm, statfs } from 'node:fs/promises'
import { backupTexts } from '@fellowship/schema/backup/backup.texts'
import { gigabytes } from '@fellowship/schema/counted'
import type { Config } from '../../config/config.ts'
import { s3Client, type S3Place } from '../../machine/storage/s3-client.ts'
import { syncPath } from '../../machine/storage/durable-files.ts'
import { isPartOf, type Kept, oldestOf, type OwnFiles } from './backup-names.ts'
import { writeBackup, type BackupPlan } from './backup-plan.ts'

/** A folder or a bucket of regular backups. */
export interface BackupPlace {
  /** For people: a folder, or a bucket. */
  readonly name: string
  /** Writes a planned backup. If that fails, no part of it is visible. */
  write(plan: BackupPlan, own: OwnFiles): Promise<void>
  removeOldest(kept: Kept): Promise<void>
}

type Places = Pick<Config, 'weeklyBackup' | 'backupS3' | 'dataDir'>

/** Undefined if neither is configured: then there is no weekly backup. */
export function weeklyPlace({ weeklyBackup, backupS3 }: Places): BackupPlace | undefined {
  if (backupS3) return bucketPlace(backupS3)
  return weeklyBackup.folder === undefined ? undefined : folderPlace(weeklyBackup.folder)
}

/** The place of the daily database files. */
export const dailyPlace = (places: Places): BackupPlace =>
  weeklyPlace(places) ?? folderPlace(path.join(places.dataDir, 'backups'))

/**
 * Downloads a backup from the configured bucket.
 *
 * @throws Error with a sentence if there is none of that name
 */
export async function fetchBackup({ backupS3 }: Places, name: string, target: string): Promise<void> {
  if (!backupS3) throw new Error('There is no bucket for backups in the settings. Set BACKUP_S3_BUCKET.')
  const client = s3Client(backupS3, patient)
  const key = `backups/${name}`
  const found = await client.stat(key)
  if (!found) {
    const names: string[] = []
    for await (const each of client.list('backups/')) names.push(each.key.slice('backups/'.length))
    throw new Error(`There is no ${name} in the bucket. There are: ${names.join(', ') || 'none'}.`)
  }
  const source = await client.read({ key, tag: found.tag, start: 0, end: found.bytes - 1 })
  await pipeline(source, createWriteStream(target, { mode: 0o600 }))
}

const folderPlace = (folder: string): BackupPlace => ({
  name: folder,
  write: (plan, own) => writeBackupFile(plan, own, folder),
  removeOldest: (kept) => removeOldest(folder, kept),
})

/** No user waits for a backup, and a failed one is retried only after a day. */
const patient = { firstByteMs: 20_000 }

/** Objects `backups/…`, uploaded in parts from the plan, without a whole file on this machine. */
function bucketPlace(place: S3Place): BackupPlace {
  const client = s3Client(place, patient)
  const keyOf = (name: string) => `backups/${name}`
  return {
    name: `Bucket ${place.bucket} at ${new URL(place.endpoint).host}`,
    async write(plan) {
      const key = keyOf(plan.fileName)
      await client.abortUploads('backups/', new Date(Date.now() - 24 * 60 * 60_000))
      await client.put(
        { key, headers: { 'content-type': plan.sealed ? 'application/octet-stream' : 'application/zip' } },
        { bytes: plan.bytes, read: (buffer, position) => readPlan(plan, buffer, position) },
      )
    },
    async removeOldest(kept) {
      const names: string[] = []
      for await (const { key } of client.list('backups/')) names.push(key.slice('backups/'.length))
      for (const name of oldestOf(names, kept)) await client.remove(keyOf(name))
    },
  }
}

async function readPlan(plan: BackupPlan, buffer: Uint8Array, position: number): Promise<void> {
  let at = 0
  const target = new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      buffer.set(chunk, at)
      at += chunk.length
      done()
    },
  })
  await writeBackup(plan, target, { start: position, end: position + buffer.length - 1 })
}

/**
 * Writes a planned backup into a folder: as a temporary file, then renamed, readable by its owner only.
 *
 * @throws Error with a sentence if there is no room, or the system's error
 */
async function writeBackupFile(plan: BackupPlan, own: OwnFiles, folder: string): Promise<void> {
  const part = path.join(folder, `.${plan.fileName}.part`)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await removeParts(folder, own)
    await assertRoom(folder, plan.bytes)
    await writePart(plan, part)
    await rename(part, path.join(folder, plan.fileName))
    await syncPath(folder)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}

/** Removes only files that are named like a backup of this church and kind. */
async function removeOldest(folder: string, kept: Kept): Promise<void> {
  for (const name of oldestOf(await readdir(folder), kept)) await rm(path.join(folder, name), { force: true })
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
    throw new Error(backupTexts.noRoom(gigabytes(bytes), gigabytes(bavail * bsize)))
  }
}

/** Removes the temporary file of a process that ended during a backup. */
async function removeParts(folder: string, own: OwnFiles): Promise<void> {
  const parts = (await readdir(folder)).filter((name) => isPartOf(name, own))
  for (const name of parts) await rm(path.join(folder, name), { force: true })
}
