import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { church } from '@fellowship/schema/church'
import { photoHash, shareAddress } from '@fellowship/schema/elders/elder-photo'
import { site } from '@fellowship/schema/site/site.contract'
import { siteTexts as texts } from '@fellowship/schema/site/site.texts'
import { call } from '@fellowship/sync/call/call'
import sharp from 'sharp'
import { beforeEach, describe, expect, test } from 'vitest'
import { plainPng } from '../../testing/sample-pictures.ts'
import { refusal } from '../../testing/test-client.ts'
import { testApp, type TestClient } from '../../testing/test-app.ts'
import { sweepPictures } from '../pictures/pictures.ts'
import { siteImages } from './site-drawings.ts'
import { refreshSite } from './site.ts'

const app = await testApp()
const { sql } = app.context
const admin = await app.signedIn('admin')
const member = await app.signedIn()

beforeEach(async () => {
  await sql`delete from visit_details`
  await refreshSite(app.context)
})

const drawing = (content = '', head = '') =>
  Buffer.from(
    `${head}<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 100"><circle cx="50" cy="50" r="40" fill="#c8102e"/>${content}</svg>`,
  )
const jpeg = await sharp(plainPng(9, 9)).jpeg().toBuffer()
const sendLogo = (bytes: Buffer, client: TestClient = admin) =>
  call(site.logo, { files: { logo: new File([new Uint8Array(bytes)], 'logo.png') } }, client)
const sendPicture = (which: 'building' | 'hero' | 'share', bytes: Buffer) =>
  call(site.picture, { params: { which }, files: { picture: new File([new Uint8Array(bytes)], 'a') } }, admin)
const stored = async () => (await readdir(path.join(app.dataDir, 'images'))).sort()
const pictureAt = async (address: string) => {
  const response = await fetch(app.url + address)
  expect(response.status, address).toBe(200)
  const bytes = Buffer.from(await response.arrayBuffer())
  return { response, bytes, facts: await sharp(bytes).metadata() }
}

describe('refused logos', () => {
  test.each<[string, Buffer, number, string]>([
    ['a page', Buffer.from('<!doctype html><svg xmlns="x"/>'), 415, texts.logoType],
    ['a JPEG', jpeg, 415, texts.logoType],
    ['a script', drawing('<script>alert(1)</script>'), 400, texts.logoForeign],
    ['a handler', drawing('<rect onclick="alert(1)"/>'), 400, texts.logoForeign],
    ['an address', drawing('<image href="https://evil.example/a.png"/>'), 400, texts.logoForeign],
    ['a file', drawing('<image xlink:href="file:///etc/passwd"/>'), 400, texts.logoForeign],
    ['a style of elsewhere', drawing('<style>@import "a.css";</style>'), 400, texts.logoForeign],
    ['an entity', drawing('&a;', '<?xml version="1.0"?>'), 400, 'This image cannot be read.'],
    ['half a drawing', drawing().subarray(0, 90), 400, 'This image cannot be read.'],
    ['a bomb', plainPng(9_000, 9_000), 400, 'This image has too many pixels.'],
    ['a megabyte', drawing(`<!--${'x'.repeat(1_000_000)}-->`), 413, texts.logoTooLong],
  ])('refuses %s, and leaves no file', async (_, bytes, status, sentence) => {
    const error = await refusal(sendLogo(bytes))
    expect([error.status, error.sentence]).toEqual([status, expect.stringContaining(sentence)])
    expect(await stored()).toEqual([])
  })

  test('refuses a member, and addresses of other pictures', async () => {
    expect(await refusal(sendLogo(drawing(), member))).toMatchObject({ status: 403 })
    const body = { logo: `/images/${'a'.repeat(64)}-logo.png` } as never
    expect(await refusal(call(site.update, { body }, admin))).toMatchObject({
      status: 400,
      sentence: expect.stringContaining(texts.pictureOwnCall) as string,
    })
  })
})

test('a drawing becomes the logo, and every icon', async () => {
  const before = await pictureAt('/icons/icon-192.png')
  const { logo } = await sendLogo(drawing('', '\uFEFF<?xml version="1.0"?>\n<!-- made by hand -->\n'))
  const { facts, response } = await pictureAt(logo!)
  expect([facts.width, facts.height, facts.hasAlpha]).toEqual([1024, 512, true])
  expect(response.headers.get('content-type')).toBe('image/png')
  const after = await pictureAt('/icons/icon-192.png')
  expect(after.response.headers.get('etag')).not.toBe(before.response.headers.get('etag'))
  // The disc of the drawing, left of the middle.
  const { data } = await sharp(after.bytes)
    .removeAlpha()
    .extract({ left: 57, top: 96, width: 1, height: 1 })
    .raw()
    .toBuffer({ resolveWithObject: true })
  expect([...data]).toEqual([200, 16, 46])
  expect(await sweepPictures(app.context)).toBe(0)
  await call(site.update, { body: { logo: null } }, admin)
  expect([church().logo, await stored()]).toEqual([null, []])
})

test('pictures of the site have the size of their address', async () => {
  for (const [address, { width, height }] of Object.entries(siteImages)) {
    const { facts } = await pictureAt(address)
    expect([address, facts.width, facts.height]).toEqual([address, width, height])
  }
})

test('an own picture of shared links is cut to their size', async () => {
  const { share } = await sendPicture('share', plainPng(1_600, 1_600))
  const { facts } = await pictureAt(shareAddress(share!)!)
  expect([facts.format, facts.width, facts.height]).toEqual(['jpeg', 1200, 630])
  const { hero } = await sendPicture('hero', plainPng(2_400, 900))
  expect(await stored()).toContain(`${photoHash(hero!)!}-1920.webp`)
  await call(site.update, { body: { share: null, hero: null } }, admin)
  expect(await stored()).toEqual([])
})
