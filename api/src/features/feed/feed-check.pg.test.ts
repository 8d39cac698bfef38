import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { feed } from '@fellowship/schema/feed/feed.contract'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { createApp } from '../../app.ts'
import { fixture } from '../../testing/multipart.ts'
import { testApp, type TestClient } from '../../testing/test-app.ts'

const app = await testApp()
const { sql, storage } = app.context
const admin = await app.signedIn('admin')
const webFolder = await mkdtemp(path.join(tmpdir(), 'feed-check-web-'))
afterAll(() => rm(webFolder, { recursive: true }))

/** The same site with a built web folder, by default and with an operator's configuration. */
async function siteWith(config: { publicUrl?: string; contactEmail?: string } = {}): Promise<TestClient> {
  const server = await createApp(
    { ...app.context, config: { ...app.context.config, ...config } },
    { webFolder },
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { ...admin, base: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** @param title if the name cannot hold it */
const add = async (name: string, file: string, title?: string) => {
  const files = { audioFile: new File([new Uint8Array(await fixture(file))], name) }
  return (await call(uploads.smartUpload, { body: title === undefined ? {} : { title }, files }, admin))
    .teaching
}
const objections = async (site: TestClient) =>
  (await call(feed.check, {}, site)).lines
    .filter(({ state }) => state !== 'good')
    .map(({ id, state }) => `${id}: ${state}`)
const lineOf = async (site: TestClient, id: string) =>
  (await call(feed.check, {}, site)).lines.find((line) => line.id === id)
/** Always reported without a public address and a contact. */
const always = ['address: bad', 'owner: bad', 'identity: attention']

beforeEach(async () => {
  await sql`delete from teachings`
  await sql`delete from podcast`
  app.context.changes.announce()
  await writeFile(path.join(webFolder, 'index.html'), '<!doctype html>')
})

test('refuses everyone but administrators', async () => {
  await expect(call(feed.check, {}, app.client())).rejects.toMatchObject({ status: 401 })
  await expect(call(feed.check, {}, await app.signedIn())).rejects.toMatchObject({ status: 403 })
})

test('reports a feed without episodes', async () => {
  expect(await objections(await siteWith())).toEqual([...always, 'episodes: bad'])
})

test('reports a missing recording and one with a wrong length', async () => {
  const site = await siteWith()
  const gone = await add('2026-11-22_John-Smith"Gone".mp3', 'cbr.mp3')
  const cut = await add('2026-11-15_John-Smith"Cut".m4a', 'faststart.m4a')
  await storage.remove('audio', path.basename(gone.audioUrl!))
  await sql`update teachings set audio_bytes = audio_bytes + 1 where id = ${cut.id}`
  expect(await objections(site)).toEqual([...always, 'files: bad'])
  const { sentence } = (await lineOf(site, 'files'))!
  expect(sentence).toContain('One episode whose recording answers with the status 404: “Gone”.')
  expect(sentence).toContain('One episode whose recording has another length than the feed says: “Cut”.')
})

test('reports a refused address and one without an answer', async () => {
  await add('2026-11-22_John-Smith"Hope".mp3', 'cbr.mp3')
  const contactEmail = 'elders@bulls.example'
  const open = await siteWith({ publicUrl: 'http://bulls.example', contactEmail })
  expect(await objections(open)).toEqual(['address: bad'])
  const silent = await siteWith({ publicUrl: 'https://127.0.0.1:1', contactEmail })
  expect(await objections(silent)).toEqual(['address: attention'])
})

test('passes a correct feed, requested locally', async () => {
  await add('2026-11-22_John-Smith"Hope".mp3', 'cbr.mp3', 'Hope & <Joy>')
  await add('2026-11-15_John-Smith"Quiet".m4a', 'faststart.m4a')
  await add('2026-11-08_John-Smith"Loud".wav', 'speech.wav')
  const site = await siteWith({ publicUrl: 'https://127.0.0.1:1', contactEmail: 'elders@bulls.example' })
  const { address, lines } = await call(feed.check, {}, site)
  expect(address).toBe('https://127.0.0.1:1/feed.xml')
  expect(lines.filter(({ state }) => state !== 'good').map(({ id }) => id)).toEqual(['address'])
  expect(lines.find(({ id }) => id === 'episodes')!.sentence).toMatch(
    /^2 episodes; the first is “Hope & <?Joy/,
  )
  expect(lines.map(({ id }) => id)).toContain('seeking')
})
