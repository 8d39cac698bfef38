import { createWriteStream } from 'node:fs'
import path from 'node:path'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Config } from '../../config/config.ts'
import { s3Client, type S3Place } from '../../machine/storage/s3-client.ts'
import { oldestOf, removeOldest, writeBackupFile, type FileKind, type Kept } from './backup-files.ts'
import { writeBackup, type BackupPlan } from './backup-plan.ts'

/** Where regular backups are kept. */
export interface BackupPlace {
  /** For people: a folder, or a bucket. */
  readonly name: string
  /** Writes a planned backup: it is there as a whole, or not at all. */
  write(plan: BackupPlan, kind: FileKind): Promise<void>
  removeOldest(kept: Kept): Promise<void>
}

type Places = Pick<Config, 'weeklyBackup' | 'backupS3' | 'dataDir'>

/** Undefined where none is set: then there is no weekly backup. */
export function weeklyPlace({ weeklyBackup, backupS3 }: Places): BackupPlace | undefined {
  if (backupS3) return bucketPlace(backupS3)
  return weeklyBackup.folder === undefined ? undefined : folderPlace(weeklyBackup.folder)
}

/** Where the daily files of the database are. */
export const dailyPlace = (places: Places): BackupPlace =>
  weeklyPlace(places) ?? folderPlace(path.join(places.dataDir, 'backups'))

/**
 * Downloads a backup from the bucket of the settings.
 *
 * @throws Error with a sentence where there is none of that name
 */
export async function fetchBackup({ backupS3 }: Places, name: string, target: string): Promise<void> {
  if (!backupS3) throw new Error('There is no bucket for backups in the settings. Set BACKUP_S3_BUCKET.')
  const client = s3Client(backupS3)
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
  write: (plan, kind) => writeBackupFile(plan, kind, folder),
  removeOldest: (kept) => removeOldest(folder, kept),
})

/** Objects `backups/…`. Made part by part from the plan, without a file of the whole on this machine. */
function bucketPlace(place: S3Place): BackupPlace {
  const client = s3Client(place)
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
      const stored = await client.stat(key)
      if (stored?.bytes !== plan.bytes)
        throw new Error(`The backup did not arrive whole in the bucket ${place.bucket}.`)
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
