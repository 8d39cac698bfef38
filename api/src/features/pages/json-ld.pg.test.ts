import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { series } from '@fellowship/schema/series/series.contract'
import { teachingPath } from '@fellowship/schema/teachings/teaching-address'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApp } from '../../app.ts'
import { jsonLdFaults } from '../../testing/json-ld-rules.ts'
import { fixture } from '../../testing/multipart.ts'
import { testApp } from '../../testing/test-app.ts'

const template =
  '<!doctype html><html><head>\n    <title>Template</title>\n    <meta\n      name="description"\n      content="Template"\n    />' +
  '<script type="module" src="/assets/x.js"></script></head><body></body></html>'

const app = await testApp()
let base: string
let teachingAt: string

beforeAll(async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'json-ld-web-'))
  await writeFile(path.join(folder, 'index.html'), template)
  const server = await createApp(app.context, { webFolder: folder })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await rm(folder, { recursive: true })
  })
  const person = await app.signedIn()
  const name = '2026-11-22_Jane-Doe"Hope & more"_Romans_8_28.mp3'
  const files = { audioFile: new File([new Uint8Array(await fixture('cbr.mp3'))], name) }
  const { teaching } = await call(uploads.smartUpload, { files }, person)
  teachingAt = teachingPath(teaching)
  await app.context.sql`insert into events (title, place, starts, ends, repeats, cancelled) values
    ('Tea', '', '2026-03-01T10:00', '2026-03-01T11:00', 'FREQ=WEEKLY', '{}'),
    ('Camp', 'By the river', '2099-01-08T18:00', '2099-01-10T12:00', null, '{2099-01-08}')`
  const listed = { title: 'Of hope', description: 'Begin here.', teachings: [teaching.uid] }
  await call(series.create, { body: listed }, person)
})

async function dataOf(address: string): Promise<{ '@type': string }[]> {
  const html = await (await fetch(base + address, { headers: { accept: 'text/html' } })).text()
  return [...html.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs)].map(
    ([, json]) => JSON.parse(json!) as { '@type': string },
  )
}

test('the checker reports missing, malformed and unknown data', () => {
  const faults = jsonLdFaults({
    '@context': 'https://schema.org',
    '@type': 'CollectionPage',
    name: ' ',
    url: '/series',
    mainEntity: {
      '@type': 'ItemList',
      numberOfItems: 0,
      itemListElement: [{ '@type': 'ListItem', position: 2, name: 'a', url: 'https://a.example/' }],
    },
    author: { '@type': 'Robot' },
  })
  expect(faults.map((fault) => fault.replace(/:.*/, ''))).toEqual([
    'CollectionPage has no description',
    'CollectionPage.name is wrong',
    'CollectionPage.url is wrong',
    'CollectionPage.mainEntity ItemList.numberOfItems is wrong',
    'CollectionPage.mainEntity ItemList.itemListElement is wrong',
    'CollectionPage.author is unknown',
    'CollectionPage.author  is of an unknown type',
  ])
})

test.each([
  ['/', 'Church'],
  ['/about', 'Church'],
  ['/teaching', 'Church'],
  ['a teaching', 'AudioObject'],
  ['/speakers/jane-doe', 'CollectionPage'],
  ['/books/romans', 'CollectionPage'],
  ['/browse', 'CollectionPage'],
  ['/events', 'CollectionPage'],
  ['/series/of-hope', 'PodcastSeries'],
])('the structured data of %s follows the rules of its type', async (address, type) => {
  const found = await dataOf(address === 'a teaching' ? teachingAt : address)
  expect(found.map((data) => data['@type'])).toContain(type)
  expect(found.flatMap((data) => jsonLdFaults(data))).toEqual([])
})

test('dates of events have their distance from UTC', async () => {
  app.clock.set('2026-09-19T12:00:00Z')
  const data = JSON.stringify(await dataOf('/events'))
  // Daylight saving begins between both Sundays.
  expect(data).toContain('"startDate":"2026-09-20T10:00:00+12:00"')
  expect(data).toContain('"startDate":"2026-09-27T10:00:00+13:00"')
})
