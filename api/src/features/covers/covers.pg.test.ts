import { beforeEach, expect, test } from 'vitest'
import sharp from 'sharp'
import { type CoverKind, coverPath } from '@fellowship/schema/covers/cover-path'
import { coversDrawn } from '@fellowship/schema/covers/covers.limits'
import { series } from '@fellowship/schema/series/series.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { textOf } from '@fellowship/schema/teachings/teaching-words'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { call } from '@fellowship/sync/call/call'
import { columnsOf } from '../teachings/teachings.ts'
import { pngCovers } from './covers.ts'
import { testApp } from '../../testing/test-app.ts'

const app = await testApp()
const member = await app.signedIn()
const { sql } = app.context
const words = { title: 'The good shepherd', speaker: 'Anna Berg', scriptureReference: 'John 10:1-18' }

beforeEach(async () => {
  await sql`delete from series`
  await sql`delete from teachings`
  await sql`insert into teachings ${sql(columnsOf(textOf(aTeaching(words))))}`
  await call(series.create, { body: { title: 'Hope / 50%' } as never }, member)
})

const get = (path: string, init?: RequestInit) => fetch(app.url + path, init)
const all: [CoverKind, string][] = [
  ['series', 'Hope / 50%'],
  ['books', 'John'],
  ['speakers', 'Anna Berg'],
  ['teaching', 'The good shepherd'],
]

test.each([
  coverPath({ kind: 'series', title: 'Words of a stranger' }, 'svg'),
  coverPath({ kind: 'series', title: 'Words of a stranger' }, 'png'),
  coverPath({ kind: 'books', title: 'Anna Berg' }, 'svg'),
  coverPath({ kind: 'speakers', title: 'anna berg' }, 'svg'),
  coverPath({ kind: 'teaching', title: 'Hope / 50%' }, 'svg'),
  '/covers/2/series/%E0%A4.svg',
  '/covers/',
])('finds nothing at %s', async (path) => {
  expect((await get(path)).status).toBe(404)
})

test.each(all)('serves the cover of %s as SVG and PNG', async (kind, title) => {
  const drawing = await get(coverPath({ kind, title }, 'svg'))
  expect([drawing.status, drawing.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
  expect(drawing.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(await drawing.text()).toMatch(/^<svg /)
  const picture = await get(coverPath({ kind, title }, 'png'))
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png'])
  const { width, height, hasAlpha } = await sharp(Buffer.from(await picture.arrayBuffer())).metadata()
  expect([width, height, hasAlpha]).toEqual([1400, 1400, false])
})

test('names the cover of a series in its feed', async () => {
  const { slug, uid } = (await call(series.list, {}, member))[0]!
  const { uid: teaching } = (await call(teachings.list, {}, member))[0]!
  await call(series.update, { params: { uid }, body: { teachings: [teaching] } }, member)
  const path = coverPath({ kind: 'series', title: 'Hope / 50%' }, 'png')
  expect(await (await get(`/series/${slug}/feed.xml`)).text()).toContain(
    `<itunes:image href="${app.url}${path}"/>`,
  )
})

test('draws a picture once for callers at the same time', async () => {
  const covers = pngCovers()
  let drawn = 0
  const cover = { kind: 'series', title: 'Hope' } as const
  const asked = [0, 1, 2].map(() => covers(cover, () => (drawn += 1)))
  expect(new Set(await Promise.all(asked)).size).toBe(1)
  expect(drawn).toBe(1)
})

test('limits the pictures that are drawn for an address', async () => {
  const titles = Array.from({ length: coversDrawn.attempts + 1 }, (_, at) => `Part ${at}`)
  await sql`insert into series ${sql(titles.map((title) => ({ title, slug: title.replace(' ', '-') })))}`
  app.clock.advance(coversDrawn.perMinutes * 60_000)
  const asked = titles.map((title) => get(coverPath({ kind: 'series', title }, 'png'), { method: 'HEAD' }))
  const statuses = (await Promise.all(asked)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 429)).toHaveLength(1)
})
