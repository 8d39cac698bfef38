import { readdir, utimes } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import sharp from 'sharp'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { photoHash } from '@fellowship/schema/elders/elder-photo'
import { elders } from '@fellowship/schema/elders/elders.contract'
import { newElder } from '@fellowship/schema/elders/elders.schema'
import { elderPhoto } from '@fellowship/schema/elders/elders.limits'
import { call } from '@fellowship/sync/call/call'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { formBody, sendForm } from '../../testing/multipart.ts'
import { plainPng } from '../../testing/sample-pictures.ts'
import { refusal } from '../../testing/test-client.ts'
import { testApp } from '../../testing/test-app.ts'
import type * as pictures from '../pictures/pictures.ts'
import { sweepPictures, withPicture } from '../pictures/pictures.ts'
import { changeElder, createElder } from './elders.ts'

const app = await testApp()
const { sql, storage } = app.context
const admin = await app.signedIn('admin')
const { csrfToken } = await call(auth.csrfToken, {}, admin)

const bios = { role: 'Elder', shortBio: 'Short.', extendedBio: 'Longer.' }
const add = (name: string) => call(elders.create, { body: { ...bios, name } }, admin)
const upload = async (id: number, bytes: Buffer, name = 'me.jpg') =>
  (
    await call(
      elders.photo,
      { params: { id }, files: { photo: new File([new Uint8Array(bytes)], name) } },
      admin,
    )
  ).elder
const stored = async () => (await readdir(path.join(app.dataDir, 'images'))).sort()
const staging = () => readdir(path.join(app.dataDir, 'staging'))
const picture = (background: string) =>
  sharp({ create: { width: 1000, height: 1200, channels: 3, background } })
    .jpeg()
    .toBuffer()

const [green, brown] = await Promise.all(['#205040', '#805020'].map(picture))
let id: number
beforeEach(async () => {
  await sql`delete from elders`
  for await (const { name } of storage.list('images')) await storage.remove('images', name)
  id = (await add('Anna')).id
})

describe('refuses, and leaves no file', () => {
  test.each<[string, Buffer, number, string]>([
    [
      'a drawing',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      415,
      'Please select a JPEG, PNG, or WebP image.',
    ],
    ['nothing', Buffer.alloc(0), 415, 'Please select a JPEG, PNG, or WebP image.'],
    ['half a picture', green!.subarray(0, 200), 400, 'This image cannot be read.'],
    ['a bomb', plainPng(9_000, 9_000), 400, 'This image has too many pixels.'],
    [
      '5MB',
      Buffer.concat([green!, Buffer.alloc(elderPhoto.maxBytes - green!.length)]),
      413,
      'Please select an image smaller than 5MB.',
    ],
  ])('refuses %s, and leaves no file', async (_, bytes, status, sentence) => {
    const error = await refusal(upload(id, bytes, 'face.jpg'))
    expect([error.status, error.sentence]).toEqual([status, expect.stringContaining(sentence)])
    expect([await stored(), await staging()]).toEqual([[], []])
    expect((await call(elders.list, {}, admin))[0]?.imageUrl).toBeNull()
  })

  test('stops reading an upload without Content-Length after 5MB', async () => {
    let sent = 0
    function* endless() {
      yield green!
      for (; sent < 400; sent += 1) yield Buffer.alloc(256 * 1024)
    }
    const parts = [
      { name: '_csrf', value: csrfToken },
      { name: 'photo', filename: 'a.jpg', body: endless() },
    ]
    const answer = await sendForm(admin, `/api/elders/${id}/photo`, formBody(parts))
    expect(answer).toMatchObject({ status: 413, body: { error: 'Please select an image smaller than 5MB.' } })
    expect([await stored(), await staging()]).toEqual([[], []])
  })

  test('refuses a form without a file field named photo', async () => {
    const token = { name: '_csrf', value: csrfToken }
    const other = { name: 'image', filename: 'a.jpg', body: [green!] }
    for (const parts of [[token], [token, other]]) {
      expect(await sendForm(admin, `/api/elders/${id}/photo`, formBody(parts))).toMatchObject({ status: 400 })
    }
    expect([await stored(), await staging()]).toEqual([[], []])
  })

  test('refuses a photo for an unknown elder', async () => {
    expect(await refusal(upload(999_999, green!))).toMatchObject({ status: 404 })
    expect([await stored(), await staging()]).toEqual([[], []])
  })
})

test('serves a photo in three sizes, cacheable forever', async () => {
  const { imageUrl } = await upload(id, green!)
  const hash = photoHash(imageUrl!)!
  expect(await stored()).toEqual([320, 640, 960].map((width) => `${hash}-${width}.webp`).sort())
  expect(await staging()).toEqual([])
  for (const width of elderPhoto.widths) {
    const answer = await fetch(`${app.url}/images/${hash}-${width}.webp`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/webp'])
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    const bytes = Buffer.from(await answer.arrayBuffer())
    expect(Number(answer.headers.get('content-length'))).toBe(bytes.length)
    expect(bytes.subarray(8, 12).toString()).toBe('WEBP')
    const again = await fetch(answer.url, { headers: { 'if-none-match': answer.headers.get('etag')! } })
    expect(again.status).toBe(304)
    const head = await fetch(answer.url, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)])
  }
})

test.each(['/images/', '/images/../secret', '/images/x.webp', `/images/${'ab'.repeat(32)}-640.webp`])(
  'there is no picture at %s',
  async (address) => {
    expect((await fetch(app.url + address)).status).toBe(404)
  },
)

test('refuses PUT at the address of a picture', async () => {
  expect((await fetch(`${app.url}/images/x.webp`, { method: 'PUT' })).status).toBe(405)
})

test('accepts the CSRF token in a field after the file', async () => {
  const parts = [
    { name: 'photo', filename: 'a.jpg', body: [green!] },
    { name: '_csrf', value: csrfToken },
  ]
  const answer = await sendForm(admin, `/api/elders/${id}/photo`, formBody(parts))
  expect(answer).toMatchObject({ status: 200, body: { elder: { name: 'Anna' } } })
})

describe('removes an old photo', () => {
  test('a new photo removes the old one', async () => {
    const first = await upload(id, green!)
    const second = await upload(id, brown!)
    expect(second.imageUrl).not.toBe(first.imageUrl)
    expect((await stored()).every((name) => name.startsWith(photoHash(second.imageUrl!)!))).toBe(true)
    expect(await stored()).toHaveLength(3)
  })

  test('clearing a photo or deleting its elder removes it', async () => {
    await upload(id, green!)
    await call(elders.update, { params: { id }, body: { imageUrl: null } }, admin)
    expect(await stored()).toEqual([])
    await upload(id, green!)
    await call(elders.remove, { params: { id } }, admin)
    expect(await stored()).toEqual([])
  })

  test('keeps a photo that another elder uses', async () => {
    const other = await add('Ben')
    await Promise.all([upload(id, green!), upload(other.id, green!)])
    await call(elders.remove, { params: { id } }, admin)
    expect(await stored()).toHaveLength(3)
    await upload(other.id, green!)
    expect(await stored()).toHaveLength(3)
  })
})

test('the sweep removes only files left by a crash', async () => {
  const { imageUrl } = await upload(id, green!)
  const hour = 60 * 60_000
  const leave = async (name: string, ageMs: number) => {
    const staged = await storage.stage()
    await (await storage.settle(staged, 'images', name)).keep()
    const at = new Date(app.clock.now().getTime() - ageMs)
    await utimes(path.join(app.dataDir, 'images', name), at, at)
  }
  await leave(`${'ab'.repeat(32)}-320.webp`, 2 * hour)
  await leave(`${'cd'.repeat(32)}-320.webp`, hour / 2)
  app.clock.advance(hour / 4)
  expect(await sweepPictures(app.context)).toBe(1)
  expect(await stored()).toHaveLength(4)
  app.clock.advance(2 * hour)
  expect(await sweepPictures(app.context)).toBe(1)
  expect((await stored()).every((name) => name.startsWith(photoHash(imageUrl!)!))).toBe(true)
})

test('the sweep keeps a photo uploaded again meanwhile', async () => {
  const { imageUrl } = await upload(id, green!)
  // As after a crash: the files exist, and no elder has them.
  await sql`update elders set image_url = null`
  app.clock.advance(2 * 60 * 60_000)
  let looked = false
  const whileLooking = new Proxy(sql, {
    apply(target, self, args: unknown[]) {
      const result = Reflect.apply(target as (...all: unknown[]) => unknown, self, args)
      if (looked) return result
      looked = true
      return Promise.resolve(result).then(async (rows) => {
        await upload(id, green!)
        return rows
      })
    },
  })
  await sweepPictures({ ...app.context, sql: whileLooking })
  expect((await call(elders.list, {}, admin))[0]?.imageUrl).toBe(imageUrl)
  expect(await stored()).toHaveLength(3)
})

test.each(['changed', 'added'])('an elder being %s never gets a photo being removed', async (how) => {
  const { imageUrl } = await upload(id, green!)
  const other = await add('Ben')
  const actor = (await sql<{ id: number; name: string }[]>`select id, name from users limit 1`)[0]!
  let removed: Promise<unknown> | undefined
  const context = {
    ...app.context,
    storage: {
      ...storage,
      async stat(...args: Parameters<typeof storage.stat>) {
        const found = await storage.stat(...args)
        removed = call(elders.remove, { params: { id } }, admin)
        await Promise.race([removed, new Promise((resolve) => setTimeout(resolve, 300))])
        return found
      },
    },
  }
  await (
    how === 'changed'
      ? changeElder(context, other.id, { imageUrl }, actor)
      : createElder(context, newElder.parse({ ...bios, name: 'Cora', displayOrder: 3, imageUrl }), actor)
  ).catch(() => undefined)
  await removed
  for (const elder of await call(elders.list, {}, admin)) {
    if (elder.imageUrl) expect((await fetch(app.url + elder.imageUrl)).status).toBe(200)
  }
})

test('another process keeps a photo being assigned', async () => {
  const { imageUrl } = await upload(id, green!)
  const files = await stored()
  await sql`update elders set image_url = null`
  // A module imported under another URL has its own state, as another process does.
  const beside = '../pictures/pictures.ts?another-process'
  const other = (await import(beside)) as typeof pictures
  let removing: Promise<void> | undefined
  await withPicture(app.context, imageUrl, async () => {
    removing = other.removeUnusedPicture(app.context, imageUrl)
    await delay(300)
    await sql`update elders set image_url = ${imageUrl}`
  })
  await removing
  expect(await stored()).toEqual(files)
})

test('reports success if only the clean-up after storing fails', async () => {
  const { storage } = app.context
  const settle = storage.settle.bind(storage)
  const left: (() => Promise<void>)[] = []
  vi.spyOn(storage, 'settle').mockImplementationOnce(async (...args) => {
    const settlement = await settle(...args)
    left.push(() => settlement.keep())
    return { ...settlement, keep: () => Promise.reject(new Error('EIO: i/o error, unlink')) }
  })
  const { imageUrl } = await upload(id, green!)
  expect(await sql`select image_url from elders where id = ${id}`).toEqual([{ imageUrl }])
  for (const keep of left) await keep()
})
