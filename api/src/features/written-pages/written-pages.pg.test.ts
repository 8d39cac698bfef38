import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { church } from '@fellowship/schema/church'
import { shareAddress } from '@fellowship/schema/elders/elder-photo'
import { sync } from '@fellowship/schema/sync/sync.contract'
import type { SyncPage } from '@fellowship/schema/sync/sync.schema'
import { pages } from '@fellowship/schema/written-pages/written-pages.contract'
import { pageLimits } from '@fellowship/schema/written-pages/written-pages.limits'
import type { NewPage } from '@fellowship/schema/written-pages/written-pages.schema'
import { pageTexts as texts } from '@fellowship/schema/written-pages/written-pages.texts'
import { call } from '@fellowship/sync/call/call'
import { plainPng } from '../../testing/sample-pictures.ts'
import { refusal } from '../../testing/test-client.ts'
import { testApp, type TestClient } from '../../testing/test-app.ts'
import { sweepPictures } from '../pictures/pictures.ts'
import { refreshSite } from '../site/site.ts'
import { defaultParts, ensureFixedPages, pageRows } from './written-pages.ts'

const app = await testApp()
const { sql } = app.context
const admin = await app.signedIn('admin')
const member = await app.signedIn()
const visitor = app.client()

beforeEach(async () => {
  await sql`delete from pages where slug not in ('home', 'about')`
  await sql`update pages set parts = null`
  await sql`delete from audit_log`
})

const children = {
  title: 'Children',
  slug: 'children',
  text: 'From 3 to 12.',
  inNavigation: true,
  draft: false,
}
const add = (body: object = {}, client: TestClient = admin) =>
  call(pages.create, { body: { ...children, ...body } as NewPage }, client)
const edit = (id: number, body: object, client: TestClient = admin) =>
  call(pages.update, { params: { id }, body }, client)
const remove = (id: number, client: TestClient = admin) =>
  call(pages.remove, { params: { id }, query: {} }, client)
const restore = (id: number, client: TestClient = admin) => call(pages.restore, { params: { id } }, client)
const slugs = async (client: TestClient) => (await call(pages.list, {}, client)).map(({ slug }) => slug)
const fixed = async (slug: string) =>
  (await call(pages.list, {}, visitor)).find((page) => page.slug === slug)!
const pull = (since?: string): Promise<SyncPage> =>
  call(sync.pull, { query: { ...(since && { since }), schema: 1 } }, visitor)
const sitemap = async () => (await fetch(`${app.url}/sitemap.xml`)).text()

describe('refused', () => {
  test.each([
    ['visitors', 401, visitor],
    ['members', 403, member],
  ])('refuses changes of %s with %i', async (_, status, client) => {
    const { id } = await add({ draft: true })
    const attempts = [
      add({ slug: 'b' }, client),
      edit(id, { draft: false }, client),
      remove(id, client),
      restore(id, client),
      call(pages.bin, {}, client),
    ]
    for (const error of await Promise.all(attempts.map(refusal))) expect(error.status).toBe(status)
    expect(await slugs(admin)).toEqual(['home', 'about', 'children'])
  })

  test.each(['home', 'about', 'events', 'teaching', 'admin', 'api', 'reset-password', 'books', 'assets'])(
    'refuses the address %s of the site itself',
    async (slug) => {
      const { id } = await add()
      for (const error of await Promise.all([add({ slug }), edit(id, { slug })].map(refusal)))
        expect(error).toMatchObject({ status: 400, body: { error: texts.reserved(slug) } })
    },
  )

  test.each(['', 'a/b', 'Children', '-a', 'a.html', '..', 'a b', 'x'.repeat(pageLimits.slug + 1)])(
    'refuses the address %j',
    async (slug) => {
      expect(await refusal(add({ slug }))).toMatchObject({ status: 400 })
    },
  )

  test('refuses an address twice, also out of the bin', async () => {
    const { id } = await add()
    expect(await refusal(add())).toMatchObject({ status: 400, body: { error: texts.taken('children') } })
    await remove(id)
    await add()
    expect(await refusal(restore(id))).toMatchObject({
      status: 400,
      body: { error: texts.taken('children') },
    })
  })

  test('refuses to delete or move Home and About, and parts of other pages', async () => {
    const { id } = await fixed('about')
    const other = await add()
    expect(await refusal(remove(id))).toMatchObject({ status: 400, body: { error: texts.fixed } })
    for (const body of [{ slug: 'us' }, { draft: true }, { text: 'A' }])
      expect(await refusal(edit(id, body))).toMatchObject({ status: 400, body: { error: texts.onlyParts } })
    expect(await refusal(edit(other.id, { parts: defaultParts().about }))).toMatchObject({
      status: 400,
      body: { error: texts.noParts },
    })
  })

  test('refuses parts that are not those of the page', async () => {
    const { id } = await fixed('about')
    const about = defaultParts().about
    for (const parts of [defaultParts().home, { ...about, beliefs: [{ topic: '' }] }, { ...about, title: 5 }])
      expect(await refusal(edit(id, { parts }))).toMatchObject({ status: 400 })
    expect((await fixed('about')).parts).toEqual(about)
  })

  test('refuses what was made for an earlier revision', async () => {
    const { id, rev } = await add()
    const current = await edit(id, { text: 'From 2 to 12.' })
    expect(await refusal(edit(id, { text: 'A', baseRev: rev }))).toMatchObject({
      status: 409,
      body: { current },
    })
  })
})

describe('pictures', () => {
  const send = (id: number, bytes: Buffer, client: TestClient = admin) =>
    call(
      pages.picture,
      { params: { id }, files: { picture: new File([new Uint8Array(bytes)], 'a.png') } },
      client,
    )
  const files = async () => (await readdir(path.join(app.dataDir, 'images'))).length

  test('refuses members, text, and pictures of Home or no page', async () => {
    const { id } = await add()
    const home = await fixed('home')
    const png = plainPng(9, 9)
    const attempts = [
      send(id, png, member),
      send(id, Buffer.from('no picture')),
      send(home.id, png),
      send(id + 1, png),
      call(pages.removePicture, { params: { id } }, visitor),
    ]
    const errors = await Promise.all(attempts.map(refusal))
    expect(errors.map(({ status }) => status)).toEqual([403, 415, 400, 404, 401])
    expect(await files()).toBe(0)
  })

  test('a picture is on the page, also out of the bin, until removed', async () => {
    const { id } = await add()
    const { imageUrl } = await send(id, plainPng(90, 45))
    const edited = await edit(id, { text: 'A' })
    expect(edited.imageUrl).toBe(imageUrl)
    await remove(id)
    app.clock.set(new Date(Date.now() + 2 * 60 * 60_000).toISOString())
    expect(await sweepPictures(app.context)).toBe(0)
    expect((await restore(id)).imageUrl).toBe(imageUrl)
    expect((await fetch(app.url + shareAddress(imageUrl!)!)).status).toBe(200)
    const plain = await call(pages.removePicture, { params: { id } }, admin)
    expect(plain.imageUrl).toBeNull()
    expect(await files()).toBe(0)
  })
})

test('only administrators see a draft, through every door', async () => {
  const before = await pull()
  const { id } = await add({ draft: true })
  const everywhere = async () => ({
    visitor: (await slugs(visitor)).includes('children'),
    member: (await slugs(member)).includes('children'),
    admin: (await slugs(admin)).includes('children'),
    devices: JSON.stringify([await pull(), await pull(before.next)]).includes('From 3 to 12.'),
    sitemap: (await sitemap()).includes('/children'),
    links: (await refreshSite(app.context)).links?.some(({ path }) => path === '/children'),
  })
  const nobody = { visitor: false, member: false, admin: true, devices: false, sitemap: false, links: false }
  const everyone = { visitor: true, member: true, admin: true, devices: true, sitemap: true, links: true }
  expect(await everywhere()).toEqual(nobody)
  // Not even that there is one.
  expect(await pull(before.next)).toMatchObject({ changes: [] })
  await edit(id, { draft: false })
  expect(await everywhere()).toEqual(everyone)
  await edit(id, { draft: true })
  expect(await everywhere()).toEqual(nobody)
  await edit(id, { draft: false })
  await remove(id)
  expect(await everywhere()).toEqual({ ...nobody, admin: false })
  expect(await call(pages.bin, {}, admin)).toMatchObject([{ id, title: 'Children' }])
  await restore(id)
  expect(await everywhere()).toEqual(everyone)
})

test('a change of the navigation reaches devices with the site', async () => {
  const before = await pull()
  await add()
  const page = await pull(before.next)
  expect(page.site?.['links']).toEqual([{ path: '/children', title: 'Children', hidden: false }])
  await refreshSite(app.context)
  expect(church().links).toHaveLength(1)
})

test('an edit of About replaces all of its default parts', async () => {
  const about = await fixed('about')
  expect(about.parts).toEqual(defaultParts().about)
  const belief = { topic: 'Prayer', description: 'We pray.', scripture: 'Luke 11:1-4' }
  const parts = { ...defaultParts().about, beliefs: [belief] }
  const changed = await edit(about.id, { parts })
  expect(changed).toEqual({ ...about, rev: changed.rev, parts })
  expect(await edit(about.id, { parts })).toEqual(changed)
  expect(await sql`select action, details from audit_log order by id`).toEqual([
    { action: 'page.updated', details: { id: about.id, fields: ['parts'] } },
  ])
})

test('Home and About return after a restore without pages', async () => {
  await sql`delete from pages`
  await sql.begin((tx) => ensureFixedPages(tx))
  await sql.begin((tx) => ensureFixedPages(tx))
  expect(await slugs(visitor)).toEqual(['home', 'about'])
  expect((await fixed('home')).parts).toEqual(defaultParts().home)
})

test('deletes pages for good after thirty days', async () => {
  const { id } = await add()
  await remove(id)
  await sql`update pages set deleted_at = now() - interval '29 days' where id = ${id}`
  expect(await pageRows.purge(sql)).toBe(0)
  await sql`update pages set deleted_at = now() - interval '31 days' where id = ${id}`
  expect(await pageRows.purge(sql)).toBe(1)
})
