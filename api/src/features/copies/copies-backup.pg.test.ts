import { createWriteStream } from 'node:fs'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { finished } from 'node:stream/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { copies } from '@fellowship/schema/copies/copies.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { copyProcess } from '../../machine/audio/copy/copy-process.ts'
import { openArchive } from '../../machine/zip/unzip.ts'
import { canMakeSpeech, recordSpeech } from '../../testing/recordings.ts'
import { refusal } from '../../testing/test-client.ts'
import { testApp } from '../../testing/test-app.ts'
import { recordComplete } from '../backup/backup-history.ts'
import { planBackup, writeBackup } from '../backup/backup-plan.ts'
import { restore } from '../backup/restore.ts'
import { copyWorker } from './copy-worker.ts'
import { checkCopies } from './copies.ts'

const app = await testApp()
const { context } = app
const admin = await app.signedIn('admin')
const person = await app.signedIn()
const copying = copyProcess({ niceness: 0 })
afterAll(() => copying.close())

async function backedUp(name: string, given: Parameters<typeof planBackup>[1] = {}) {
  const file = path.join(app.dataDir, name)
  const target = createWriteStream(file)
  const plan = await planBackup(context, given)
  await writeBackup(plan, target)
  target.end()
  await finished(target)
  const archive = await openArchive(file)
  const names = [...archive.entries.keys()].filter((entry) => entry.startsWith('audio/'))
  archive.close()
  return { file, plan, names: names.toSorted() }
}

test('only administrators include copies in backups', async () => {
  const change = { body: { inBackups: true } }
  expect((await refusal(call(copies.change, change, person))).status).toBe(403)
  expect((await call(copies.status, {}, admin)).inBackups).toBe(false)
})

describe.skipIf(!canMakeSpeech)('with a small copy', () => {
  let hope: Teaching
  const listed = async (client: typeof person) => (await call(teachings.list, {}, client))[0]!

  beforeAll(async () => {
    const file = path.join(app.dataDir, 'hope.mp3')
    await recordSpeech(file, { seconds: 6, output: ['-b:a', '128k'] })
    const audioFile = new File([new Uint8Array(await readFile(file))], 'hope.mp3')
    const body = { title: 'Hope', speaker: 'Ann Lee', date: '2026-11-22', scriptureReference: '' }
    await call(uploads.smartUpload, { body, files: { audioFile } }, person)
    await copyWorker(context, { copying }).runAll()
    hope = await listed(person)
    expect(hope.copyUrl).not.toBeNull()
  }, 60_000)

  test('a restore without the copy makes it again', async () => {
    const { file, names } = await backedUp('without.zip')
    expect(names).toEqual(['audio/2026/Hope_Ann_Lee_20261122.mp3'])
    const elsewhere = await testApp()
    await restore(elsewhere.context, file)
    const there = await elsewhere.signedIn()
    expect((await listed(there)).copyUrl).toBeNull()
    expect(await copyWorker(elsewhere.context, { copying }).runAll()).toBe(1)
    expect((await listed(there)).copyUrl).toBe(hope.copyUrl)
  })

  test('a backup restores the copy with loudness and waveform', async () => {
    expect((await call(copies.change, { body: { inBackups: true } }, admin)).inBackups).toBe(true)
    const { file, names } = await backedUp('with.zip')
    expect(names).toEqual(['audio/2026/Hope_Ann_Lee_20261122.mp3', 'audio/small/Hope_Ann_Lee_20261122.mp3'])
    const elsewhere = await testApp()
    const report = await restore(elsewhere.context, file)
    expect([report.recordings, report.rows['recording_copies']]).toEqual([1, 1])
    const there = await elsewhere.signedIn()
    const { copyUrl, copyBytes, copyMime, loudness } = await listed(there)
    expect({ copyUrl, copyBytes, copyMime, loudness }).toEqual({
      copyUrl: hope.copyUrl,
      copyBytes: hope.copyBytes,
      copyMime: hope.copyMime,
      loudness: hope.loudness,
    })
    expect((await stat(path.join(elsewhere.dataDir, copyUrl!))).size).toBe(copyBytes)
    await checkCopies(elsewhere.context)
    expect(await copyWorker(elsewhere.context, { copying }).runAll()).toBe(0)
  })

  test('reports a damaged copy and makes it again', async () => {
    const file = path.join(app.dataDir, hope.copyUrl!)
    const whole = await readFile(file)
    const rotten = Buffer.from(whole)
    rotten[1_000]! ^= 1
    await writeFile(file, rotten)
    const { plan } = await backedUp('rotten.zip')
    expect(await recordComplete(context, plan)).toBe(
      '1 file in this backup is damaged, as on the disk: audio/small/Hope_Ann_Lee_20261122.mp3. An older backup may hold it whole.',
    )
    expect((await listed(person)).copyUrl).toBeNull()
    expect(await copyWorker(context, { copying }).runAll()).toBe(1)
    expect((await listed(person)).copyUrl).toBe(hope.copyUrl)
    expect((await readFile(file)).equals(whole)).toBe(true)
  })

  test('a lost copy does not make a backup incomplete', async () => {
    expect((await backedUp('rows.zip', { scope: 'database' })).names).toEqual([])
    await rm(path.join(app.dataDir, hope.copyUrl!))
    const plan = await planBackup(context)
    expect(plan.missing).toEqual([])
    expect((await backedUp('lost.zip')).names).toEqual(['audio/2026/Hope_Ann_Lee_20261122.mp3'])
  })
})
