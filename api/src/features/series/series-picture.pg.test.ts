import { randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import sharp from 'sharp'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { coverAddress, photoHash } from '@fellowship/schema/elders/elder-photo'
import { elders } from '@fellowship/schema/elders/elders.contract'
import { elderPhoto } from '@fellowship/schema/elders/elders.limits'
import { series } from '@fellowship/schema/series/series.contract'
import { sync } from '@fellowship/schema/sync/sync.contract'
import { call } from '@fellowship/sync/call/call'
import { letDaysPass } from '../../testing/test-db.ts'
import { refusal } from '../../testing/test-client.ts'
import { plainPng } from '../../testing/sample-pictures.ts'
import { testApp, type TestClient } from '../../testing/test-app.ts'
import { sweepPictures } from '../pictures/pictures.ts'
import { purgeSeriesBin } from './series.ts'

const app = await testApp()
const { sql, storage } = app.context
const admin = await app.signedIn('admin')
const member = await app.signedIn()
const visitor = app.client()

const picture = (background: string, width = 1600, height = 900) =>
  sharp({ create: { width, height, channels: 3, background } })
    .jpeg()
    .toBuffer()
const [green, brown] = await Promise.all(['#205040', '#805020'].map((colour) => picture(colour)))

let uid: string
beforeEach(async () => {
  await sql`delete from series`
  await sql`delete from elders`
  await sql`delete from audit_log`
  for await (const { name } of storage.list('images')) await storage.remove('images', name)
  uid = (await call(series.create, { body: { title: 'Hope' } as never }, member)).uid
})

const upload = (bytes: Buffer, client: TestClient = member, to = uid) =>
  call(
    series.picture,
    { params: { uid: to }, files: { picture: new File([new Uint8Array(bytes)], 'a.jpg') } },
    client,
  )
const clear = (client: TestClient = member) => call(series.removePicture, { params: { uid } }, client)
const stored = async () => (await readdir(path.join(app.dataDir, 'images'))).sort()
const staging = () => readdir(path.join(app.dataDir, 'staging'))
const listed = async () => (await call(series.list, {}, visitor))[0]!
const audit = async () =>
  (
    await sql<{ action: string }[]>`select action from audit_log where action like 'series.p%' order by id`
  ).map(({ action }) => action)

describe('refuses, and leaves no file', () => {
  test('refuses a visitor’s picture with 401', async () => {
    expect(await refusal(upload(green!, visitor))).toMatchObject({ status: 401 })
    expect(await refusal(clear(visitor))).toMatchObject({ status: 401 })
  })

  test.each<[string, Buffer, number, string]>([
    ['a drawing', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 415, 'JPEG, PNG, or WebP'],
    ['half a picture', green!.subarray(0, 200), 400, 'This image cannot be read.'],
    ['a bomb', plainPng(9_000, 9_000), 400, 'This image has too many pixels.'],
    [
      '5MB',
      Buffer.concat([green!, Buffer.alloc(elderPhoto.maxBytes - green!.length)]),
      413,
      'Please select an image smaller than 5MB.',
    ],
  ])('refuses %s, and leaves no file', async (_, bytes, status, sentence) => {
    const error = await refusal(upload(bytes))
    expect([error.status, error.sentence]).toEqual([status, expect.stringContaining(sentence)])
  })

  test('a picture for an unknown or deleted series returns 404', async () => {
    for (const other of [randomUUID(), '2147483647', "'; drop table series; --"])
      expect(await refusal(upload(green!, member, other))).toMatchObject({ status: 404 })
    await call(series.remove, { params: { uid }, query: {} }, member)
    expect(await refusal(upload(green!))).toMatchObject({ status: 404, sentence: 'This series was deleted.' })
    expect(await refusal(clear())).toMatchObject({ status: 404 })
  })

  afterEach(async () => {
    expect([await stored(), await staging(), await audit()]).toEqual([[], [], []])
  })
})

test('serves three sizes and a square JPEG for directories', async () => {
  const { imageUrl, rev } = await upload(green!)
  const hash = photoHash(imageUrl!)!
  expect(await stored()).toEqual(
    [`${hash}-cover.jpg`, ...elderPhoto.widths.map((width) => `${hash}-${width}.webp`)].sort(),
  )
  const cover = await fetch(app.url + coverAddress(imageUrl!)!)
  expect([cover.status, cover.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
  expect(cover.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  const { format, width, height } = await sharp(Buffer.from(await cover.arrayBuffer())).metadata()
  expect([format, width, height]).toEqual(['jpeg', 1400, 1400])
  expect((await fetch(app.url + imageUrl!)).headers.get('content-type')).toBe('image/webp')
  expect(await listed()).toMatchObject({ imageUrl, rev })
  const page = await call(sync.pull, { query: { schema: 1 } } as never, visitor)
  expect(JSON.stringify(page)).toContain(imageUrl)
  expect(await audit()).toEqual(['series.picture_changed'])
})

test('an equal picture changes nothing; another replaces its files', async () => {
  const first = await upload(green!)
  expect((await upload(green!)).rev).toBe(first.rev)
  const second = await upload(brown!)
  expect(second.rev).toBeGreaterThan(first.rev)
  expect(await stored()).toHaveLength(4)
  expect((await stored()).every((name) => name.startsWith(photoHash(second.imageUrl!)!))).toBe(true)
  const third = await clear()
  expect([third.imageUrl, await stored()]).toEqual([null, []])
  expect((await clear()).rev).toBe(third.rev)
  expect(await audit()).toEqual([
    'series.picture_changed',
    'series.picture_changed',
    'series.picture_removed',
  ])
})

test('edits keep the picture; earlier edits conflict', async () => {
  const before = await listed()
  const { imageUrl } = await upload(green!)
  const edit = (body: object) => call(series.update, { params: { uid }, body }, member)
  const conflict = await refusal(edit({ title: 'Joy', baseRev: before.rev }))
  expect(conflict).toMatchObject({ status: 409 })
  expect(await edit({ title: 'Joy' })).toMatchObject({ title: 'Joy', imageUrl })
})

test('a picture lasts until its series is purged', async () => {
  const { imageUrl } = await upload(green!)
  await call(series.remove, { params: { uid }, query: {} }, member)
  app.clock.advance(2 * 60 * 60_000)
  expect(await sweepPictures(app.context)).toBe(0)
  expect(await call(series.restore, { params: { uid } }, admin)).toMatchObject({ imageUrl })
  await call(series.remove, { params: { uid }, query: {} }, member)
  await letDaysPass(sql, 31)
  await purgeSeriesBin(app.context)
  expect(await sweepPictures(app.context)).toBe(4)
  expect(await stored()).toEqual([])
})

test('keeps a picture that an elder or series still uses', async () => {
  const bios = { role: 'Elder', shortBio: 'Short.', extendedBio: 'Longer.' }
  const { id } = await call(elders.create, { body: { ...bios, name: 'Anna' } as never }, admin)
  const photo = new File([new Uint8Array(green!)], 'a.jpg')
  const { elder } = await call(elders.photo, { params: { id }, files: { photo } }, admin)
  const { imageUrl } = await upload(green!)
  expect(imageUrl).toBe(elder.imageUrl)
  await clear()
  expect((await fetch(app.url + elder.imageUrl!)).status).toBe(200)
  await upload(green!)
  await call(elders.remove, { params: { id } }, admin)
  expect(await stored()).toHaveLength(4)
  expect((await fetch(app.url + coverAddress(imageUrl!)!)).status).toBe(200)
})

test('enlarges a small picture for directories only', async () => {
  const { imageUrl } = await upload(await picture('#205040', 300, 500))
  const sizeAt = async (address: string) => {
    const answer = await fetch(app.url + address)
    const { width, height } = await sharp(Buffer.from(await answer.arrayBuffer())).metadata()
    return [width, height]
  }
  expect(await sizeAt(imageUrl!)).toEqual([300, 500])
  expect(await sizeAt(coverAddress(imageUrl!)!)).toEqual([1400, 1400])
})
