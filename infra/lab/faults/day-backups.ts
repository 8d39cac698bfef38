import { createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { expect } from 'vitest'
import { backup } from '@fellowship/schema/backup/backup.contract'
import { call } from '@fellowship/sync/call/call'
import { parseEnv } from '@fellowship/api/config/config'
import { fetchBackup } from '@fellowship/api/features/backup/backup-places'
import { restore } from '@fellowship/api/features/backup/restore'
import { s3Client } from '@fellowship/api/machine/storage/s3-client'
import { testApp } from '@fellowship/api/testing/test-app'
import type { TestClient } from '@fellowship/api/testing/test-client'

/** A downloaded backup. */
export interface TakenBackup {
  readonly file: string
  /** The titles of teachings that were acknowledged before it was planned, by uid. */
  readonly expected: ReadonlyMap<string, string>
}

/**
 * Prepares a backup and downloads it whole.
 *
 * @throws Error if it is refused or breaks off
 */
export async function takeBackup(
  admin: TestClient,
  folder: string,
  known: ReadonlyMap<string, { title: string }>,
): Promise<TakenBackup & { id: string }> {
  const expected = new Map([...known].map(([uid, { title }]) => [uid, title]))
  const { id, bytes } = await call(backup.prepare, {}, admin)
  const answer = await admin.fetch(`${admin.base}${backup.createManual.path}?id=${id}`)
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`)
  const file = path.join(folder, `${id}.zip`)
  await pipeline(Readable.fromWeb(answer.body as ReadableStream), createWriteStream(file))
  if ((await stat(file)).size !== bytes) throw new Error(`${file} has not ${bytes} bytes.`)
  return { id, file, expected }
}

/** Fetches the daily and weekly backups from their bucket. */
export async function regularBackups(settings: Record<string, string>, folder: string): Promise<string[]> {
  const config = parseEnv({ ...settings, DATA_DIR: folder })
  const files: string[] = []
  for await (const { key } of s3Client(config.backupS3!).list('backups/')) {
    const file = path.join(folder, path.basename(key))
    await fetchBackup(config, path.basename(key), file)
    files.push(file)
  }
  return files
}

/** Restores it into an empty server, and removes it. */
export async function expectRestored({ file, expected }: TakenBackup): Promise<void> {
  const other = await testApp()
  const report = await restore(other.context, file)
  expect(report).toMatchObject({ written: true, missing: [], damaged: [] })
  const rows = await other.context.sql<{ uid: string; title: string }[]>`select uid, title from teachings`
  const restored = new Map(rows.map(({ uid, title }) => [uid, title]))
  expect([...expected].filter(([uid, title]) => restored.get(uid) !== title)).toEqual([])
  await rm(path.join(other.dataDir, 'audio'), { recursive: true })
  await rm(file)
}
