import { beforeEach, expect } from 'vitest'
import { nightly } from './support/in-soak.ts'
import { journey } from './support/journey.ts'
import { m4a, mp3, wav } from './support/recordings.ts'

const site = journey({ CONTACT_EMAIL: 'elders@example.org' })
beforeEach(() => site.empty())

const fields = { speaker: 'Jane Doe', date: '2026-11-22' }

nightly('the feed parses and its recordings are served', async () => {
  await site.add(mp3('a.mp3'), {
    ...fields,
    title: 'Love & “hope” <now>',
    scriptureReference: 'Romans 8:28-39',
  })
  await site.add(m4a('b.m4a'), { ...fields, title: 'Quiet' })
  await site.add(wav('c.wav'), { ...fields, title: 'Left out' })
  const page = await site.visit('/about')
  const read = await page.evaluate(async () => {
    const request = new XMLHttpRequest()
    request.open('GET', '/feed.xml')
    request.responseType = 'document'
    await new Promise((resolve) => {
      request.onloadend = resolve
      request.send()
    })
    const feed = request.responseXML!
    const text = (parent: ParentNode, name: string) => parent.querySelector(name)?.textContent
    const itunes = 'http://www.itunes.com/dtds/podcast-1.0.dtd'
    return {
      faults: feed.querySelectorAll('parsererror').length,
      picture: feed.getElementsByTagNameNS(itunes, 'image')[0]?.getAttribute('href'),
      owner: feed.getElementsByTagNameNS(itunes, 'email')[0]?.textContent,
      items: [...feed.querySelectorAll('item')].map((item) => ({
        title: text(item, 'title'),
        guid: text(item, 'guid'),
        url: item.querySelector('enclosure')!.getAttribute('url')!,
        length: item.querySelector('enclosure')!.getAttribute('length'),
        type: item.querySelector('enclosure')!.getAttribute('type'),
      })),
    }
  })
  expect(read).toMatchObject({ faults: 0, owner: 'elders@example.org' })
  expect(read.items.map(({ title, type }) => `${title}: ${type}`).sort()).toEqual([
    'Love & “hope” <now>: audio/mpeg',
    'Quiet: audio/x-m4a',
  ])
  const uids = (await site.list()).map(({ uid }) => uid)
  for (const { guid, url, length } of read.items) {
    expect(uids).toContain(guid)
    const head = await fetch(url, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, length])
    const part = await fetch(url, { headers: { range: 'bytes=0-1' } })
    expect([part.status, (await part.arrayBuffer()).byteLength]).toEqual([206, 2])
  }
  const size = await page.evaluate(async (address) => {
    const picture = new Image()
    picture.src = address!
    await picture.decode()
    return [picture.naturalWidth, picture.naturalHeight]
  }, read.picture)
  expect(size).toEqual([1500, 1500])
  expect((await fetch(read.picture!, { method: 'HEAD' })).headers.get('content-type')).toBe('image/png')
})

nightly('the first HTML has JSON-LD, canonical link and og:audio', async () => {
  const { uid, audioUrl } = await site.add(mp3('a.mp3'), { ...fields, title: 'Hope' })
  // A report of the Content-Security-Policy would fail the test as console noise.
  for (const [path, status, kind] of [
    ['/', 200, 'Church'],
    ['/about', 200, 'Church'],
    ['/teaching', 200, 'Church'],
    [`/teaching?t=${uid}`, 200, 'AudioObject'],
  ] as const) {
    const html = await (await fetch(site.url + path, { headers: { accept: 'text/html' } })).text()
    // A first visit, since the cached shell is the same for all pages.
    const page = await site.visit(path, { firstVisit: true })
    const data = await page.locator('script[type="application/ld+json"]').textContent()
    expect([path, status, (JSON.parse(data!) as { '@type': string })['@type']]).toEqual([path, 200, kind])
    expect(html).toContain('rel="canonical"')
    await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor()
  }
  const path = `/teaching/2026-11-22-hope-${uid.slice(-12)}`
  const html = await (await fetch(site.url + path, { headers: { accept: 'text/html' } })).text()
  expect(html).toContain(`<link rel="canonical" href="${site.url}${path}"/>`)
  expect(/<h1[^>]*>([^<]*)/.exec(html)?.[1]).toBe('Hope')
  expect(html).toContain(`<meta property="og:audio" content="${site.url}${audioUrl}"/>`)
})

nightly('unknown paths and teachings get the 404 page', async () => {
  for (const path of ['/nowhere', '/teaching?t=00000000-0000-4000-8000-000000000000']) {
    const answer = await fetch(site.url + path, { headers: { accept: 'text/html' } })
    expect([path, answer.status]).toEqual([path, 404])
  }
  const page = await site.visit('/nowhere', { firstVisit: true, allow: ['404 /nowhere'] })
  await page.getByRole('heading', { name: '404 Page Not Found' }).waitFor()
})
