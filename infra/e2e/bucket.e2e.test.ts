import { execFile } from 'node:child_process'
import { readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { s3Client } from '@fellowship/api/machine/storage/s3-client'
import { isSwiftMissing, startSwift } from '@fellowship/api/testing/swift'
import { journey } from './support/journey.ts'
import { fetchNothingAhead, save, seekTo, serverDown, sound, synced } from './support/offline-steps.ts'
import { administrator } from './support/people.ts'
import { mp3 } from './support/recordings.ts'
import { comesTo, play, row, sounds } from './support/screens.ts'
import { temporaryFolder } from './support/temporary-folder.ts'
import { hasBytes, uploadRecording } from './support/upload-steps.ts'

const root = path.resolve(import.meta.dirname, '../..')

describe.skipIf(isSwiftMissing())('recordings in a bucket, from a public address,', async () => {
  if (isSwiftMissing()) return
  const swift = await startSwift()
  const settings = { ...swift.forRecordings, S3_PUBLIC_URL: swift.publicUrl }
  const site = journey(settings)
  const folder = temporaryFolder()
  const bucket = s3Client(swift)
  const stored = async () => {
    const keys: string[] = []
    for await (const { key } of bucket.list('audio/')) keys.push(key)
    return keys
  }

  test('recordings in a bucket upload, play and restore', async () => {
    const sent = mp3('2026-11-22_Mary-Smith"The narrow gate"_Matthew_7_13.mp3', { bytes: 3_000_000 })
    const title = 'The narrow gate'
    const writer = await site.visit('/teaching', { as: administrator, allow: serverDown })
    await uploadRecording(writer, sent)
    await row(writer, title).waitFor()
    const page = await site.visit('/teaching', { firstVisit: true, allow: serverDown })
    await synced(page)
    await fetchNothingAhead(page)
    await playAndSeek(page, title)
    await save(page, title)
    const keys = await stored()

    await writer.goto(`${site.url}/admin?tab=backup`)
    const downloading = writer.waitForEvent('download')
    await writer.getByRole('button', { name: 'Create Manual Backup' }).click()
    const file = path.join(folder, 'backup.zip')
    await (await downloading).saveAs(file)
    const manual = writer.getByRole('listitem').filter({ hasNotText: 'every day' })
    await writer.getByRole('button', { name: 'View Backup History' }).click()
    await manual.getByText('Complete', { exact: true }).waitFor()
    await writer.close()

    await site.product.kill()
    const cold = await site.visitBeside(page, '/teaching', serverDown)
    await play(cold, title)
    await cold.getByText('Playing from this device').waitFor()
    await sounds(cold)
    await cold.close()

    // Disk and bucket.
    for (const key of keys) await bucket.remove(key)
    const { dataDir } = site.product
    for (const name of await readdir(dataDir))
      await rm(path.join(dataDir, name), { recursive: true, maxRetries: 5 })
    const env = { ...process.env, ...settings, DATA_DIR: dataDir }
    const command = path.join(root, 'api/dist/backup-restore.mjs')
    const { stdout } = await promisify(execFile)(process.execPath, [command, file], { cwd: root, env })
    expect(stdout).toMatch(/is whole\.\n\d+ recordings, \d+ photo files and \d+ handouts/)
    expect(await stored()).toEqual(keys)
    expect(await readdir(path.join(dataDir, 'audio')).catch(() => [])).toEqual([])
    await site.startAgain()

    const teaching = (await site.list()).find((each) => each.title === title)!
    await hasBytes(site.url, teaching, sent)
    const again = await site.visit('/teaching', { firstVisit: true })
    await synced(again)
    await fetchNothingAhead(again)
    await playAndSeek(again, title)
    // A device that had it before uses its saved recordings and a fresh copy of the library.
    await page.reload()
    await synced(page)
    await play(page, title)
    await page.getByText('Playing from this device').waitFor()
    await sounds(page)
  })

  /** Plays, seeks near the end, and expects that both came from the bucket's own address. */
  async function playAndSeek(page: Page, title: string): Promise<void> {
    const asked = new Set<string>()
    page.on('response', (response) => {
      const { origin, pathname } = new URL(response.url())
      if (pathname.endsWith('.mp3')) asked.add(`${response.status()} ${origin}`)
    })
    await play(page, title)
    await sounds(page)
    await seekTo(page, 0.9)
    await comesTo(async () => {
      const { at, of } = await sound(page)
      return at / of > 0.85
    }, true)
    await sounds(page)
    expect([...asked].toSorted()).toEqual([`206 ${swift.endpoint}`, `302 ${site.url}`].toSorted())
  }
})
