import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import RssParser from 'rss-parser'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { church } from '@fellowship/schema/church'
import { photoHash } from '@fellowship/schema/elders/elder-photo'
import { series } from '@fellowship/schema/series/series.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { pathByUid } from '@fellowship/schema/teachings/share-link'
import { teachingPath } from '@fellowship/schema/teachings/teaching-address'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { refreshSite } from '../site/site.ts'
import { createApp } from '../../app.ts'
import { fixture } from '../../testing/multipart.ts'
import { plainPng } from '../../testing/sample-pictures.ts'
import { testApp } from '../../testing/test-app.ts'

const template =
  '<!doctype html><html><head>\n    <title>Template</title>\n    <meta\n      name="description"\n      content="Template"\n    />' +
  `<script type="module" src="/assets/x.js"></script></head><body>${'<p></p>'.repeat(200)}</body></html>`

// All servers of one process show one site.
const app = await testApp({ CONTACT_EMAIL: 'elders@bulls.example' })
const { sql } = app.context
const person = await app.signedIn()
const plain = await serveWith({})
const named = await serveWith({ publicUrl: 'https://bulls.example' })

/** The same app with a built page, and with an operator's configuration. */
async function serveWith(config: { publicUrl?: string; tileUrl?: string }): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'feed-web-'))
  await mkdir(path.join(folder, 'artwork'))
  await writeFile(path.join(folder, 'index.html'), template)
  await writeFile(path.join(folder, 'artwork/podcast-1.png'), 'picture')
  const server = await createApp(
    { ...app.context, config: { ...app.context.config, ...config } },
    { webFolder: folder },
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await rm(folder, { recursive: true })
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const get = (base: string, address: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(base + address, {
    method,
    headers: { 'accept-encoding': 'identity', accept: 'text/html', ...headers },
  })
const text = async (base: string, address: string) => (await get(base, address)).text()
/** @param title if the name cannot hold it */
const add = async (name: string, file = 'cbr.mp3', title?: string) => {
  const files = { audioFile: new File([new Uint8Array(await fixture(file))], name) }
  return (await call(uploads.smartUpload, { body: title === undefined ? {} : { title }, files }, person))
    .teaching
}

beforeEach(async () => {
  await sql`delete from teachings`
  await sql`delete from podcast`
  await sql`delete from series`
  for await (const { name } of app.context.storage.list('audio'))
    await app.context.storage.remove('audio', name)
  app.context.changes.announce()
  await refreshSite(app.context)
})

describe('refuses', () => {
  test.each(['POST', 'PUT', 'DELETE'])('refuses %s for the feed', async (method) => {
    const answer = await get(plain, '/feed.xml', {}, method)
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  test.each([
    '/teaching?t=00000000-0000-4000-8000-000000000000',
    '/teaching?t=',
    "/teaching?t='; drop table teachings; --",
    '/teaching/2026-11-22-hope-000000000000',
    '/teaching/2026-11-22-hope',
    '/speakers/nobody',
    '/speakers/%ff',
    '/speakers/a%2Fb',
    '/speakers/%2F',
    '/speakers/-',
    '/books/romans',
    '/books/no-book/more',
    '/teaching/2026-11-22-hope-0000000000ab/more',
    '/nowhere',
    '/admin/x',
  ])('%s returns a 404 page with noindex', async (address) => {
    const answer = await get(plain, address)
    expect(answer.status).toBe(404)
    const html = await answer.text()
    expect(html).toContain('<title>404 Page Not Found – Bulls Christian Fellowship</title>')
    expect(html).toContain('<meta name="robots" content="noindex"/>')
    expect(html).not.toMatch(/og:|canonical|ld\+json/)
  })

  test('a deleted teaching returns 404', async () => {
    const teaching = await add('2026-11-22_John-Smith"Hope".mp3')
    const addresses = [teachingPath(teaching), pathByUid(teaching.uid), `/teaching?t=${teaching.uid}`]
    const statuses = () => Promise.all(addresses.map(async (each) => (await get(plain, each)).status))
    expect(await statuses()).toEqual([200, 200, 200])
    await call(teachings.remove, { params: { id: teaching.id } }, person)
    expect(await statuses()).toEqual([404, 404, 404])
    expect(await text(plain, '/feed.xml')).not.toContain('<item>')
    expect(await text(plain, '/sitemap.xml')).not.toContain('hope')
  })
})

describe('the feed', () => {
  test('an item’s recording has its stated length, and ranges', async () => {
    const { uid } = await add('2026-11-22_John-Smith"Hope in Christ"_Romans_8_28-39.mp3')
    await add('2026-11-15_John-Smith"Quiet".m4a', 'faststart.m4a')
    await add('2026-11-08_John-Smith"Loud".wav', 'speech.wav')
    const xml = await text(plain, '/feed.xml')
    const enclosures = [...xml.matchAll(/<enclosure url="([^"]+)" length="(\d+)" type="([^"]+)"\/>/g)]
    expect(enclosures.map(([, , , type]) => type)).toEqual(['audio/mpeg', 'audio/x-m4a'])
    expect(xml).toContain(`<guid isPermaLink="false">${uid}</guid>`)
    for (const [, url, length] of enclosures) {
      const head = await fetch(url!, { method: 'HEAD' })
      expect([head.status, head.headers.get('content-length')]).toEqual([200, length])
      const range = await fetch(url!, { headers: { range: 'bytes=0-1' } })
      expect([range.status, range.headers.get('content-range')]).toEqual([206, `bytes 0-1/${length}`])
      await range.arrayBuffer()
    }
  })

  test('the feed has CORS, HEAD, compression and 304', async () => {
    await add('2026-11-22_John-Smith"Hope".mp3')
    const answer = await get(plain, '/feed.xml')
    const xml = await answer.text()
    expect(answer.headers.get('content-type')).toBe('application/rss+xml; charset=utf-8')
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    const head = await get(plain, '/feed.xml', {}, 'HEAD')
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(Buffer.byteLength(xml))])
    const [etag, modified] = ['etag', 'last-modified'].map((name) => answer.headers.get(name)!)
    expect((await get(plain, '/feed.xml', { 'if-none-match': etag! })).status).toBe(304)
    expect((await get(plain, '/feed.xml', { 'if-modified-since': modified! })).status).toBe(304)
    // As cached before the library was restored from an older backup.
    const later = new Date(Date.parse(modified!) + 60_000).toUTCString()
    expect((await get(plain, '/feed.xml', { 'if-modified-since': later })).status).toBe(200)
    await add('2026-11-15_John-Smith"News".m4a', 'slow.m4a')
    expect((await get(plain, '/feed.xml', { 'if-none-match': etag! })).status).toBe(200)
    const compressed = await get(plain, '/feed.xml', { 'accept-encoding': 'gzip' })
    expect(compressed.headers.get('content-encoding')).toBe('gzip')
    expect(await compressed.text()).toContain('<title>News</title>')
  })

  test('its guid stays when the site moves', async () => {
    const guid = (xml: string) => /<podcast:guid>(.*)<\/podcast:guid>/.exec(xml)?.[1]
    expect(guid(await text(plain, '/feed.xml'))).toBeUndefined()
    const first = guid(await text(named, '/feed.xml'))
    expect(first).toMatch(/^[0-9a-f-]{36}$/)
    const moved = await serveWith({ publicUrl: 'https://elsewhere.example' })
    expect(guid(await text(moved, '/feed.xml'))).toBe(first)
  })

  test('the feed uses PUBLIC_URL whatever the Host', async () => {
    const xml = await text(named, '/feed.xml')
    expect(xml).toContain('<atom:link href="https://bulls.example/feed.xml" rel="self"')
    expect(xml).toContain('<itunes:image href="https://bulls.example/artwork/podcast-1.png"/>')
    expect(xml).toContain('<itunes:email>elders@bulls.example</itunes:email>')
    const artwork = await get(named, '/artwork/podcast-1.png', {}, 'HEAD')
    expect([artwork.status, artwork.headers.get('cross-origin-resource-policy')]).toEqual([
      200,
      'cross-origin',
    ])
  })
})

describe('the feed of a speaker or a book', () => {
  test.each([
    '/speakers/nobody/feed.xml',
    '/books/obadiah/feed.xml',
    '/speakers/%ff/feed.xml',
    '/books/-/feed.xml',
  ])('%s returns 404 with a link to the feed', async (address) => {
    await add('2026-11-22_John-Smith"Hope"_Romans_8_28-39.mp3')
    const answer = await get(plain, address)
    const sentence = 'There is no teaching for this feed. The whole podcast is at /feed.xml.'
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining(sentence)])
    expect(answer.headers.get('content-type')).toContain('text/plain')
  })

  test('a group’s feed has only its teachings and address', async () => {
    const { uid } = await add('2026-11-22_John-Smith"Hope"_Romans_8_28-39.mp3')
    await add('2026-11-15_Jane-Doe"News".m4a', 'slow.m4a')
    for (const [address, name, page] of [
      ['/speakers/john-smith/feed.xml', 'John Smith', '/speakers/john-smith'],
      ['/books/romans/feed.xml', 'Romans', '/books/romans'],
    ] as const) {
      const answer = await get(named, address)
      const xml = await answer.text()
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        200,
        'application/rss+xml; charset=utf-8',
      ])
      expect([...xml.matchAll(/<guid[^>]*>([^<]+)/g)].map(([, guid]) => guid)).toEqual([uid])
      expect(xml).toContain(`<title>Bulls Christian Fellowship: ${name}</title>`)
      expect(xml).toContain(`<link>https://bulls.example${page}</link>`)
      expect(xml).toContain(`<atom:link href="https://bulls.example${address}" rel="self"`)
      expect(xml).not.toContain('podcast:guid')
      const again = await get(named, address, { 'if-none-match': answer.headers.get('etag')! })
      expect(again.status).toBe(304)
    }
  })
})

describe('the head of a page', () => {
  test.each([
    ['/', 'Bulls Christian Fellowship', '/'],
    ['/about', 'Who We Are – Bulls Christian Fellowship', '/about'],
    ['/about/', 'Who We Are – Bulls Christian Fellowship', '/about'],
    ['/teaching?year=2026', 'Teaching – Bulls Christian Fellowship', '/teaching'],
  ])('%s has its title and canonical address', async (address, title, canonical) => {
    const html = await text(named, address)
    expect(html.match(/<title>[^<]*<\/title>/g)).toEqual([`<title>${title}</title>`])
    expect(html.match(/<meta[^>]*name="description"/g)).toHaveLength(1)
    expect(html).toContain(`<link rel="canonical" href="https://bulls.example${canonical}"/>`)
    expect(html).toContain('<meta property="og:image" content="https://bulls.example/artwork/share-1.png"/>')
    expect(html).toContain('href="https://bulls.example/feed.xml"')
    expect(dataOf(html)).toMatchObject({
      '@type': 'Church',
      address: { streetAddress: '28 Criterion Street', postalCode: '4818' },
      event: { eventSchedule: { byDay: 'https://schema.org/Sunday', startTime: '10:00:00' } },
    })
  })

  test('a teaching’s head describes it and links its recording', async () => {
    const { uid, audioUrl, audioBytes } = await add(
      '2026-11-22_John-Smith"Hope in Christ"_Romans_8_28-39.mp3',
    )
    const own = `/teaching/2026-11-22-hope-in-christ-${uid.slice(-12)}`
    await sql`insert into series (slug, title, teachings) values ('hope', 'On hope', ${[uid]}), ('joy', 'On joy', '{}')`
    const html = await text(named, `${own}?at=90`)
    await sql`delete from series`
    expect(html).toContain('<title>Hope in Christ – Bulls Christian Fellowship</title>')
    expect(html).toContain(`<link rel="canonical" href="https://bulls.example${own}"/>`)
    expect(html).toContain(`<meta property="og:audio" content="https://bulls.example${audioUrl}"/>`)
    expect(html).toContain('<meta property="og:audio:type" content="audio/mpeg"/>')
    expect(dataOf(html)).toMatchObject({
      '@type': 'AudioObject',
      name: 'Hope in Christ',
      contentUrl: `https://bulls.example${audioUrl}`,
      contentSize: String(audioBytes),
      datePublished: '2026-11-22',
      author: { name: 'John Smith' },
      isPartOf: [
        { '@type': 'PodcastSeries', webFeed: 'https://bulls.example/feed.xml' },
        {
          '@type': 'PodcastSeries',
          name: 'On hope',
          url: 'https://bulls.example/series/hope',
          webFeed: 'https://bulls.example/series/hope/feed.xml',
        },
      ],
    })
  })

  test('other addresses of a teaching redirect uncached to its own', async () => {
    const { id, uid } = await add('2026-11-22_John-Smith"Hope".mp3')
    const own = `/teaching/2026-11-22-hope-${uid.slice(-12)}`
    const leadsTo = async (address: string) => {
      const answer = await fetch(plain + address, { redirect: 'manual', headers: { accept: 'text/html' } })
      const { status, headers } = answer
      return [status, headers.get('location'), headers.get('cache-control')]
    }
    for (const [address, location] of [
      [`/teaching?t=${uid}`, own],
      [`/teaching/?t=${uid.toUpperCase()}&at=90`, `${own}?at=90`],
      [`/teaching?at=soon&t=${uid}&q=x`, own],
      [pathByUid(uid), own],
      [`${own}/`, own],
      [`${own}).`, own],
      [`${own.replace('teaching', 'Teaching')}?at=90`, `${own}?at=90`],
      [`/teaching?t=${uid}).`, own],
      ['/Teaching', '/teaching'],
      ['//about%E2%80%9D', '/about'],
      [`/teaching/2020-01-01-another-${uid.slice(-12)}?at=30`, `${own}?at=30`],
    ])
      expect([address, ...(await leadsTo(address!))]).toEqual([address, 301, location, 'no-cache'])
    const words = { title: 'Joy', speaker: 'John Smith', date: '2026-11-23' }
    await call(teachings.update, { params: { id }, body: words }, person)
    expect(await leadsTo(own)).toEqual([301, `/teaching/2026-11-23-joy-${uid.slice(-12)}`, 'no-cache'])
    await call(
      teachings.update,
      { params: { id }, body: { ...words, title: 'Hope', date: '2026-11-22' } },
      person,
    )
    expect((await leadsTo(own))[0]).toBe(200)
  })

  test('escapes a title in the tags and in the data', async () => {
    const evil = '</script><script>alert(1)</script>"$&<!--'
    const [row] = await sql<{ uid: string }[]>`
      insert into teachings (title, speaker, date, year) values (${evil}, 'A & B', '2026-11-22', 2026) returning uid`
    const html = await text(plain, `/teaching?t=${row!.uid}`)
    expect(html.match(/<script/g)).toHaveLength(3)
    expect(dataOf(html)).toMatchObject({ name: evil })
    expect(html).toContain('&lt;/script&gt;')
  })

  test('heads of speakers and books link feed and teachings', async () => {
    const { uid } = await add('2026-11-22_Māori-Smith"Hope in Christ"_Romans_8_28-39.mp3')
    const own = `https://bulls.example/teaching/2026-11-22-hope-in-christ-${uid.slice(-12)}`
    for (const [address, title, listed] of [
      ['/speakers/maori-smith', 'Māori Smith', { name: 'Hope in Christ', url: own }],
      ['/books/romans', 'Romans', { name: 'Hope in Christ', url: own }],
    ] as const) {
      const html = await text(named, address)
      expect(html).toContain(`<title>${title} – Bulls Christian Fellowship</title>`)
      expect(html).toContain(`<link rel="canonical" href="https://bulls.example${address}"/>`)
      const feed = `<link rel="alternate" type="application/rss+xml" title="${title}" href="https://bulls.example${address}/feed.xml"/>`
      expect([address, html.includes(feed)]).toEqual([address, true])
      expect(dataOf(html)).toMatchObject({
        '@type': 'CollectionPage',
        name: title,
        mainEntity: { numberOfItems: 1, itemListElement: [{ position: 1, ...listed }] },
      })
    }
    for (const [address, location] of [
      ['/speakers/', '/browse#speakers'],
      ['/books', '/browse#books'],
      ['/series', '/browse#series'],
      ['/browse/', '/browse'],
      ['/speakers/M%C4%81ori%20Smith', '/speakers/maori-smith'],
      ['/books/Romans/', '/books/romans'],
      ['/Books/romans.', '/books/romans'],
    ]) {
      const answer = await fetch(plain + address, { redirect: 'manual', headers: { accept: 'text/html' } })
      expect([address, answer.status, answer.headers.get('location')]).toEqual([address, 301, location])
    }
  })

  test('administration pages have noindex', async () => {
    const answer = await get(plain, '/admin')
    expect([answer.status, (await answer.text()).includes('content="noindex"')]).toEqual([200, true])
  })

  test('a page is compressed and answers 304', async () => {
    const answer = await fetch(`${plain}/about`, {
      headers: { accept: 'text/html', 'accept-encoding': 'gzip' },
    })
    expect(answer.headers.get('content-encoding')).toBe('gzip')
    const etag = answer.headers.get('etag')!
    const again = await fetch(`${plain}/about`, {
      headers: { accept: 'text/html', 'accept-encoding': 'gzip', 'if-none-match': etag },
    })
    expect(again.status).toBe(304)
    expect(await answer.text()).toContain('Who We Are')
  })

  test('an invalid Host never gets into a page', async () => {
    const { port } = new URL(plain)
    const html = await new Promise<string>((resolve, reject) => {
      const outgoing = request(
        { port, path: '/', headers: { host: 'a"><script>alert(1)</script>', accept: 'text/html' } },
        (response) => {
          let body = ''
          response.setEncoding('utf8').on('data', (part: string) => (body += part))
          response.once('end', () => resolve(body))
        },
      )
      outgoing.once('error', reject)
      outgoing.end()
    })
    expect(html).toContain('<link rel="canonical" href="http://localhost/"/>')
    expect(html).not.toContain('alert')
  })

  test('a page contains the configured map tiles’ address', async () => {
    const tiles = 'https://tiles.example/{z}/{x}/{y}.png'
    const own = await serveWith({ tileUrl: tiles })
    for (const address of ['/', '/index.html']) {
      expect(await text(own, address)).toContain(`<meta name="tile-url" content="${tiles}"/>`)
      expect(await text(plain, address)).not.toContain('tile-url')
    }
    const kept = await get(own, '/index.html', { 'accept-encoding': 'gzip' })
    expect(kept.headers.get('content-encoding')).toBe('gzip')
    expect(await kept.text()).toContain('tile-url')
  })

  test('a page contains the configured contact email', async () => {
    for (const address of ['/', '/index.html'])
      expect(await text(plain, address)).toContain('"contactEmail":"elders@bulls.example"')
  })

  test('sends the page without its head while the database is unavailable', async () => {
    const away = Object.assign(() => {
      throw new Error('away')
    }, sql)
    const server = await createApp(
      { ...app.context, sql: away as unknown as typeof sql },
      { webFolder: await templateFolder() },
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const answer = await get(base, '/teaching?t=00000000-0000-4000-8000-000000000000')
    expect([answer.status, (await answer.text()).includes(`<title>${church().name}</title>`)]).toEqual([
      200,
      true,
    ])
    expect((await get(base, '/')).status).toBe(200)
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
})

async function templateFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'feed-web-'))
  afterAll(() => rm(folder, { recursive: true }))
  await writeFile(path.join(folder, 'index.html'), template)
  return folder
}

const dataOf = (html: string) =>
  JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html)?.[1] ?? 'null') as unknown

describe('a series', () => {
  const begin = (title: string, uids: string[] = [], description = '') =>
    call(series.create, { body: { title, description, teachings: uids } }, person)

  test.each(['/series/nothing', '/series/%00', '/series/hope/more', '/series/-'])(
    '%s returns a 404 page',
    async (address) => {
      await begin('Hope')
      expect((await get(plain, address)).status).toBe(404)
    },
  )

  test('an unknown or deleted series has no feed or page', async () => {
    const { uid } = await begin('Hope')
    expect((await get(plain, '/series/hope/feed.xml')).status).toBe(200)
    await call(series.remove, { params: { uid } }, person)
    const statuses = ['/series/hope/feed.xml', '/series/hope', `/series/${uid}`].map(
      async (address) => (await get(plain, address)).status,
    )
    expect(await Promise.all(statuses)).toEqual([404, 404, 404])
    expect(await text(plain, '/sitemap.xml')).not.toContain('/series/hope')
  })

  test('a series’ feed numbers its episodes without deleted ones', async () => {
    const newer = await add('2026-11-22_John-Smith"Hope".mp3')
    const older = await add('2026-11-15_John-Smith"Faith".mp3', 'vbr-noxing.mp3')
    await begin('Of hope & faith', [newer.uid, '6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e99', older.uid], 'Two.')
    const feed = await text(named, '/series/of-hope-faith/feed.xml')
    const found = (pattern: RegExp) => [...feed.matchAll(pattern)].map(([, value]) => value)
    expect(found(/<itunes:type>(.*?)</g)).toEqual(['serial'])
    expect(found(/<guid[^>]*>(.*?)</g)).toEqual([newer.uid, older.uid])
    expect(found(/<itunes:episode>(.*?)</g)).toEqual(['1', '2'])
    expect(found(/<title>(.*?)</g)[0]).toContain('Of hope &amp; faith')
    expect(found(/<link>(.*?)</g)[0]).toBe('https://bulls.example/series/of-hope-faith')
    expect(found(/<description>(.*?)</g)[0]).toBe('Two.')
    expect(await text(named, '/feed.xml')).toContain('<itunes:type>episodic</itunes:type>')
  })

  test('a series has head, stable address and sitemap entry', async () => {
    const teaching = await add('2026-11-22_John-Smith"Hope".mp3')
    const { uid } = await begin('Of hope', [teaching.uid])
    await call(series.update, { params: { uid }, body: { title: 'Of </script> faith' } }, person)
    const html = await text(named, '/series/of-hope')
    expect(html).toContain('<link rel="canonical" href="https://bulls.example/series/of-hope"')
    expect(html).toContain('href="https://bulls.example/series/of-hope/feed.xml"')
    expect(html).not.toContain('Of </script>')
    const data = JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html)![1]!) as {
      '@type': string
      hasPart: object[]
    }
    expect(data['@type']).toBe('PodcastSeries')
    expect(data.hasPart).toEqual([
      {
        '@type': 'PodcastEpisode',
        episodeNumber: 1,
        name: 'Hope',
        url: `https://bulls.example${teachingPath(teaching)}`,
      },
    ])
    const byUid = await fetch(`${named}/series/${uid}`, { redirect: 'manual' })
    expect([byUid.status, byUid.headers.get('location')]).toEqual([301, '/series/of-hope'])
    expect(await text(named, '/series')).toContain('https://bulls.example/series/of-hope')
    expect(await text(named, '/sitemap.xml')).toContain('<loc>https://bulls.example/series/of-hope</loc>')
  })

  test('a series’ picture appears in head, data and feed', async () => {
    const { uid } = await begin('Of hope')
    const cover = 'https://bulls.example/images/'
    const shown = async () => {
      const html = await text(named, '/series/of-hope')
      const feed = await text(named, '/series/of-hope/feed.xml')
      return [
        /property="og:image" content="([^"]+)"/.exec(html)?.[1],
        /property="og:image:width" content="([^"]+)"/.exec(html)?.[1],
        (dataOf(html) as { image?: string }).image,
        /<itunes:image href="([^"]+)"/.exec(feed)?.[1],
      ]
    }
    const drawn = 'https://bulls.example/covers/2/series/Of%20hope.png'
    expect(await shown()).toEqual([drawn, '1400', drawn, drawn])
    const files = { picture: new File([new Uint8Array(plainPng(20, 10))], 'a.png') }
    const { imageUrl } = await call(series.picture, { params: { uid }, files }, person)
    const own = `${cover}${photoHash(imageUrl!)}-cover.jpg`
    expect(await shown()).toEqual([own, '1400', own, own])
    await call(series.removePicture, { params: { uid } }, person)
    expect((await shown())[0]).toBe(drawn)
  })
})

describe('another parser', () => {
  const parser = new RssParser<object, { itunes?: { episode?: string } }>()

  test('another parser rejects missing and foreign feeds', async () => {
    await expect(parser.parseURL(`${plain}/series/nothing/feed.xml`)).rejects.toThrow('404')
    await expect(parser.parseString(await text(plain, '/sitemap.xml'))).rejects.toThrow('not recognized')
  })

  test('another parser reads every kind of feed', async () => {
    const hope = await add(
      '2026-11-22_John-Smith"Hope"_Romans_8_28-39.mp3',
      'cbr.mp3',
      'Hope & “joy” <in> Christ',
    )
    const faith = await add('2026-11-15_John-Smith"Faith".mp3', 'vbr-noxing.mp3')
    const body = { title: 'Te Whakapono & co', description: 'In <order>.', teachings: [faith.uid, hope.uid] }
    const { uid } = await call(series.create, { body }, person)
    const files = { picture: new File([new Uint8Array(plainPng(20, 10))], 'a.png') }
    await call(series.picture, { params: { uid }, files: { picture: files.picture } }, person)
    for (const [address, title, about, rows] of [
      ['/feed.xml', undefined, undefined, [hope, faith]],
      ['/speakers/john-smith/feed.xml', 'John Smith', undefined, [hope, faith]],
      ['/books/romans/feed.xml', 'Romans', undefined, [hope]],
      ['/series/te-whakapono-co/feed.xml', 'Te Whakapono & co', 'In <order>.', [faith, hope]],
    ] as const) {
      const feed = await parser.parseURL(plain + address)
      if (title) expect(feed.title).toBe(`Bulls Christian Fellowship: ${title}`)
      if (about) expect(feed.description).toBe(about)
      expect(feed.feedUrl, address).toBe(plain + address)
      expect(
        feed.items.map((item) => [item.title, item.guid, item.enclosure?.url, item.itunes?.episode]),
      ).toEqual(
        rows.map((row, at) => [
          row.title,
          row.uid,
          plain + row.audioUrl,
          address.startsWith('/series') ? String(at + 1) : undefined,
        ]),
      )
      expect(Number.isNaN(Date.parse(feed.items[0]!.isoDate!))).toBe(false)
      const picture = await fetch(feed.itunes!.image!)
      expect([address, picture.status]).toEqual([address, 200])
    }
  })
})
