import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { backup } from '@fellowship/schema/backup/backup.contract'
import { system } from '@fellowship/schema/system/system.contract'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { s3Client } from '../../machine/storage/s3-client.ts'
import { faultProxy } from '../../testing/fault-proxy.ts'
import { longWav } from '../../testing/multipart.ts'
import { isSwiftMissing, startSwift } from '../../testing/swift.ts'
import { testApp } from '../../testing/test-app.ts'
import { dailyBackup, weeklyBackup } from './backup.ts'
import { fetchBackup } from './backup-places.ts'
import { restore } from './restore.ts'

describe.skipIf(isSwiftMissing())('regular backups in a bucket', async () => {
  if (isSwiftMissing()) return
  const swift = await startSwift()
  const toSwift = await faultProxy(() => swift.endpoint)
  const app = await testApp({
    BACKUP_S3_ENDPOINT: toSwift.url,
    BACKUP_S3_BUCKET: swift.bucket,
    BACKUP_S3_ACCESS_KEY_ID: swift.accessKeyId,
    BACKUP_S3_SECRET_ACCESS_KEY: swift.secretAccessKey,
    BACKUP_KEEP: '1',
    BACKUP_PASSPHRASE: 'four words nobody says together',
  })
  const admin = await app.signedIn('admin')
  const client = s3Client(swift)
  const names = async () => {
    const found: string[] = []
    for await (const { key } of client.list('backups/')) found.push(key)
    return found
  }
  const wav = Buffer.concat([...longWav(9_000_000, 9)])
  const files = { audioFile: new File([new Uint8Array(wav)], '2026-11-15_Mary-Smith"Long".wav') }
  const { teaching } = await call(uploads.smartUpload, { files }, admin)

  test('reports a refusing bucket, which keeps no half', async () => {
    toSwift.fault = ({ method, path: where }) =>
      method === 'PUT' && where.includes('partNumber=2') ? { kind: 'status', status: 403 } : { kind: 'none' }
    onTestFinished(() => void (toSwift.fault = () => ({ kind: 'none' })))
    expect(await weeklyBackup(app.context)).toBe(false)
    expect(await names()).toEqual([])
    const { backups } = await call(backup.history, {}, admin)
    expect(backups[0]).toMatchObject({ result: 'failed' })
    expect(backups[0]!.sentence).toMatch(/refused PUT backups\/fellowship-backup-.*: 403/)
    toSwift.fault = () => ({ kind: 'none' })
    expect(await client.abortUploads('backups/', new Date(Date.now() + 60_000))).toBe(0)
  })

  test('writes, restores and expires backups in a bucket', async () => {
    for (let week = 0; week < 2; week += 1) {
      app.clock.advance(8 * 24 * 60 * 60_000)
      expect(await weeklyBackup(app.context)).toBe(true)
    }
    expect(await dailyBackup(app.context)).toBe(true)
    const found = await names()
    expect(found.filter((key) => key.startsWith('backups/fellowship-backup-'))).toHaveLength(1)
    expect(found.filter((key) => key.startsWith('backups/fellowship-database-'))).toHaveLength(1)
    const key = found.find((one) => one.startsWith('backups/fellowship-backup-'))!
    const folder = await mkdtemp(path.join(tmpdir(), 'backup-bucket-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const file = path.join(folder, path.basename(key))
    await expect(fetchBackup(app.context.config, 'none.zip', file)).rejects.toThrow(
      /^There is no none\.zip in the bucket\. There are: fellowship-/,
    )
    await fetchBackup(app.context.config, path.basename(key), file)
    const other = await testApp({ BACKUP_PASSPHRASE: 'four words nobody says together' })
    await restore(other.context, file)
    const stored = await readFile(path.join(other.dataDir, teaching.audioUrl!.slice(1)))
    expect(createHash('sha256').update(stored).digest('hex')).toBe(
      createHash('sha256').update(wav).digest('hex'),
    )
  }, 60_000)

  test('waits longer for a slow bucket than a listener would', async () => {
    app.clock.advance(2 * 24 * 60 * 60_000)
    // Two requests of a listener are given up in the meantime, and the bucket is then left alone.
    const slowMs = 7_000
    let isSlow = false
    toSwift.fault = ({ method }) => {
      if (method === 'HEAD' && !isSlow) {
        isSlow = true
        swift.pause()
        setTimeout(() => swift.resume(), slowMs)
      }
      return { kind: 'none' }
    }
    onTestFinished(() => void (toSwift.fault = () => ({ kind: 'none' })))
    expect(await dailyBackup(app.context)).toBe(true)
    expect(isSlow).toBe(true)
  })

  test('the screens name the bucket', async () => {
    const { weekly, daily } = await call(backup.history, {}, admin)
    const place = `Bucket recordings at ${new URL(toSwift.url).host}`
    expect([weekly.folder, daily.folder]).toEqual([place, place])
    const { health } = await call(system.info, {}, admin)
    expect(JSON.stringify(health)).toContain('The weekly backup is set up.')
  })
})
