import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { audio } from '@fellowship/schema/audio/audio.contract'
import { bin, teachings } from '@fellowship/schema/teachings/teachings.contract'
import { system } from '@fellowship/schema/system/system.contract'
import { call } from '@fellowship/sync/call/call'
import { hostKeyFile } from '../../machine/ssh/ssh-keys.ts'
import { letDaysPass } from '../../testing/test-db.ts'
import { testApp } from '../../testing/test-app.ts'
import { columnsOf, insertTeaching, noteMovedAudio } from '../teachings/teachings.ts'
import { purgeOldRecordings } from './audio.ts'

const app = await testApp()
const { context, clock } = app
const admin = await app.signedIn('admin')
const user = await app.signedIn('user')
const hours = (count: number) => clock.advance(count * 60 * 60_000)

/** Stores a recording without references; returns its hash. */
async function putFile(bytes = 1_000): Promise<string> {
  const content = randomBytes(bytes)
  const sha256 = createHash('sha256').update(content).digest('hex')
  await writeFile(path.join(app.dataDir, 'audio', `${sha256}.mp3`), content)
  return sha256
}

async function putTeaching(title: string) {
  const audioSha256 = await putFile()
  return context.sql.begin((tx) =>
    insertTeaching(tx, {
      ...columnsOf({ title, speaker: 'John Smith', date: '2026-11-22', scriptureReference: '' }),
      audioUrl: `/audio/${audioSha256}.mp3`,
      audioSha256,
      audioBytes: 1_000,
      audioMime: 'audio/mpeg',
      audioCrc32: 0,
      duration: null,
    }),
  )
}

const onDisk = async () => (await readdir(path.join(app.dataDir, 'audio'))).toSorted()
const named = (...hashes: string[]) => hashes.map((hash) => `${hash}.mp3`).toSorted()
const hashIn = (address: string | null) => address!.slice('/audio/'.length, -'.mp3'.length)

test('a cleanup deletes only unreferenced recordings older than a day', async () => {
  const live = hashIn((await putTeaching('Live')).audioUrl)
  const binned = await putTeaching('Binned')
  await call(teachings.remove, { params: { id: binned.id }, query: {} }, user)
  const replaced = await putFile()
  await context.sql.begin((tx) => noteMovedAudio(tx, replaced, live))
  const orphan = await putFile(5_000)
  expect(await call(audio.stats, {}, admin)).toMatchObject({
    users: 2,
    teachings: 1,
    totalFiles: 4,
    referencedFiles: 1,
    orphanedFiles: 0,
  })
  expect(await call(audio.cleanup, {}, admin)).toEqual({ deleted: [], errors: [], kept: 1 })

  hours(25)
  const young = await putFile()
  const soon = new Date(clock.now())
  expect(soon.getTime()).toBeGreaterThan(Date.now())
  const { orphanedFiles, orphanedSize, orphans } = await call(audio.stats, {}, admin)
  expect([orphanedFiles, orphanedSize]).toEqual([2, 6_000])
  expect(orphans.map(({ name }) => name).toSorted()).toEqual(named(orphan, young))
  const { deleted, errors } = await call(audio.cleanup, {}, admin)
  expect([deleted.toSorted(), errors]).toEqual([named(orphan, young), []])
  expect(await onDisk()).toEqual(named(live, hashIn(binned.audioUrl), replaced))
})

test('two concurrent cleanups delete each orphan once and report no failure', async () => {
  const orphans = await Promise.all(Array.from({ length: 8 }, () => putFile()))
  hours(25)
  const both = await Promise.all([call(audio.cleanup, {}, admin), call(audio.cleanup, {}, admin)])
  expect(both.flatMap(({ errors }) => errors)).toEqual([])
  expect(both.flatMap(({ deleted }) => deleted).toSorted()).toEqual(named(...orphans))
})

test('restores a deleted teaching with its recording, but not twice', async () => {
  const hope = await putTeaching('Hope')
  await call(teachings.remove, { params: { id: hope.id }, query: {} }, user)
  expect((await fetch(app.url + hope.audioUrl!)).status).toBe(404)
  const listed = await call(bin.list, {}, admin)
  expect(listed[0]).toMatchObject({ id: hope.id, title: 'Hope' })
  const [now] = await context.sql<{ now: Date }[]>`select now() as now`
  expect(now!.now.getTime() - Date.parse(listed[0]!.deletedAt)).toBeLessThan(60_000)
  const restored = await call(bin.restore, { params: { id: hope.id } }, admin)
  expect(restored.rev).toBeGreaterThan(hope.rev)
  expect((await fetch(app.url + hope.audioUrl!)).status).toBe(200)
  await expect(call(bin.restore, { params: { id: hope.id } }, admin)).rejects.toMatchObject({ status: 404 })

  await call(teachings.remove, { params: { id: hope.id }, query: {} }, user)
  const again = await putTeaching('Hope')
  await expect(call(bin.restore, { params: { id: hope.id } }, admin)).rejects.toMatchObject({
    status: 409,
    code: 'duplicate',
  })
  await call(teachings.remove, { params: { id: again.id }, query: {} }, user)
})

test('removes only deleted and replaced recordings after 30 days', async () => {
  const live = await putTeaching('Stays')
  const replaced = await putFile()
  await context.sql.begin((tx) => noteMovedAudio(tx, replaced, hashIn(live.audioUrl)))
  const before = await onDisk()
  await letDaysPass(context.sql, 29)
  await purgeOldRecordings(context)
  expect(await onDisk()).toContain(`${replaced}.mp3`)
  await letDaysPass(context.sql, 2)
  await purgeOldRecordings(context)
  expect(await call(bin.list, {}, admin)).toEqual([])
  const kept = await call(audio.stats, {}, admin)
  expect(kept).toMatchObject({ totalFiles: 2, referencedFiles: 2, orphanedFiles: 0 })
  expect(await onDisk()).not.toEqual(before)
  expect((await fetch(app.url + live.audioUrl!)).status).toBe(200)
})

test('the health list makes no file, so that a full disk has one', async () => {
  await rm(hostKeyFile(app.dataDir), { force: true })
  await call(system.info, {}, admin)
  expect(existsSync(hostKeyFile(app.dataDir))).toBe(false)
})

test('the health list reports each state with advice', async () => {
  const { health, nodeVersion, uptime, memoryUsage } = await call(system.info, {}, admin)
  expect([nodeVersion, uptime > 0, memoryUsage.rss > 0]).toEqual([process.version, true, true])
  expect(health.map(({ id }) => id)).toEqual([
    'teaching',
    'recordings',
    'copies',
    'backup',
    'disk',
    'database',
    'mail',
    'schedules',
    'sftp',
  ])
  expect(health.find(({ id }) => id === 'backup')).toEqual({
    id: 'backup',
    label: 'Backup',
    state: 'bad',
    sentence: 'There is no complete backup yet.',
    advice: 'Make one in the Backup tab, and keep it somewhere else than the server.',
  })
  for (const { state, advice } of health) expect(advice === '').toBe(state === 'good')
})
