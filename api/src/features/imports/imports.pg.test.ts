import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { crc32 } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { imports } from '@fellowship/schema/imports/imports.contract'
import { series } from '@fellowship/schema/series/series.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { call } from '@fellowship/sync/call/call'
import { id3Tag } from '@fellowship/sound/write/id3'
import { feedItem, feedOf, oldSite, recordingOf, send, type OldSite } from '../../testing/old-site.ts'
import { plainPng } from '../../testing/sample-pictures.ts'
import { testApp } from '../../testing/test-app.ts'
import { parseXml } from '../../machine/xml.ts'
import { zipLayout } from '../../machine/zip/zip.ts'
import { importWorker } from './import-worker.ts'

const app = await testApp()
const admin = await app.signedIn('admin')
const channelGuid = '917393e3-1b1e-5cef-ace4-edaa54e1f810'

const dayOf = (number: number) => new Date(Date.UTC(2020, 0, 5 + 7 * number, 21)).toUTCString()

/** A site with a feed of recordings, the newest first; the guid of each is `<prefix>-<number>`. */
async function siteWith(prefix: string, count: number, first = 0): Promise<OldSite> {
  const site = await oldSite()
  const items: string[] = []
  for (let number = first; number < first + count; number += 1) {
    const bytes = await recordingOf(number)
    site.answer(`/files/${number}.mp3`, bytes)
    items.unshift(
      feedItem({
        title: `${prefix} ${number}`,
        guid: `${prefix}-${number}`,
        link: `${site.url}/${prefix}/${number}/`,
        pubDate: dayOf(number),
        'itunes:author': 'Sam Desk',
        enclosure: `${site.url}/files/${number}.mp3`,
      }),
    )
  }
  site.answer('/feed', feedOf(items, `<podcast:guid>${channelGuid}</podcast:guid>`))
  return site
}

const begin = (source: string) => call(imports.create, { body: { source } }, admin)
const read = (id: string) => call(imports.read, { params: { id } }, admin)
const confirm = (id: string, body = {}) => call(imports.confirm, { params: { id }, body }, admin)
const work = (site: OldSite) => importWorker(app.context, { guest: site.guest }).runAll()

async function moveIn(site: OldSite, answers = {}) {
  const { id } = await begin(`${site.url}/feed`)
  await work(site)
  await confirm(id, answers)
  await work(site)
  return read(id)
}

const undo = (id: string) => call(imports.undo, { params: { id } }, admin)
const feed = async () => (await app.client().fetch(`${app.url}/feed.xml`, {})).text()
const locationOf = async (path: string) => {
  const answer = await fetch(app.url + path, { redirect: 'manual' })
  return { status: answer.status, location: answer.headers.get('location') }
}

describe('refused', () => {
  test('only administrators see and begin imports', async () => {
    const member = await app.signedIn()
    await expect(call(imports.list, {}, app.client())).rejects.toMatchObject({ status: 401 })
    await expect(
      call(imports.create, { body: { source: 'https://a.example' } }, member),
    ).rejects.toMatchObject({ status: 403 })
  })

  test('a file of the server is no source of the API', async () => {
    await expect(begin('/etc/passwd')).rejects.toMatchObject({ status: 400 })
    await expect(begin('file:///etc/passwd')).rejects.toMatchObject({ status: 400 })
  })

  test('an address of a private network fails with its sentence', async () => {
    const { id } = await begin('http://127.0.0.1:9/feed')
    await importWorker(app.context).runAll()
    expect(await read(id)).toMatchObject({
      state: 'failed',
      failure: expect.stringContaining('IMPORT_PRIVATE_HOSTS') as string,
    })
  })

  test('a web page is no source', async () => {
    const site = await oldSite()
    site.answer('/', '<!doctype html><html></html>')
    const { id } = await begin(site.url + '/')
    await work(site)
    expect(await read(id)).toMatchObject({
      state: 'failed',
      failure: expect.stringContaining('web page') as string,
    })
  })

  test('a second import waits for the first', async () => {
    const { id } = await begin('https://a.example/feed')
    await expect(begin('https://b.example/feed')).rejects.toMatchObject({ status: 409 })
    await expect(confirm(id)).rejects.toMatchObject({ status: 409 })
    await app.context.sql`delete from imports where id = ${id}`
  })
})

test('writes nothing before it is confirmed', async () => {
  const site = await siteWith('dry', 3, 500)
  const { id } = await begin(`${site.url}/feed`)
  await work(site)
  const report = await read(id)
  expect(report).toMatchObject({ state: 'ready', counts: { total: 3, new: 3, imported: 0 } })
  expect(report.items.map(({ title, date }) => [title, date])).toEqual([
    ['dry 500', '2029-08-06'],
    ['dry 501', '2029-08-13'],
    ['dry 502', '2029-08-20'],
  ])
  expect((await call(teachings.list, {}, app.client())).length).toBe(0)
  expect((await undo(id)).state).toBe('undone')
})

test('moves a feed in with its order, guids and addresses', async () => {
  const site = await siteWith('first', 5)
  const report = await moveIn(site)
  expect(report).toMatchObject({ state: 'done', counts: { total: 5, imported: 5, failed: 0 } })
  const library = await call(teachings.list, {}, app.client())
  expect(library.map(({ title }) => title)).toEqual(['first 4', 'first 3', 'first 2', 'first 1', 'first 0'])
  const xml = await feed()
  expect(xml.match(/(?<=<guid isPermaLink="false">)[^<]+/g)).toEqual(
    [4, 3, 2, 1, 0].map((at) => `first-${at}`),
  )
  expect(xml).toContain(`<podcast:guid>${channelGuid}</podcast:guid>`)
  await expect.poll(() => locationOf('/first/3')).toMatchObject({ status: 301 })
  expect((await locationOf('/first/3/')).location).toMatch(/\/teaching\/2020-01-27-first-3-[0-9a-f]{12}$/)
  expect((await locationOf('/files/3.mp3')).location).toBe(app.url + library[1]!.audioUrl!)
  expect((await locationOf('/feed')).location).toBe(`${app.url}/feed.xml`)
  await again(site)
  await taken(report.id)

  async function again(same: OldSite) {
    const second = await moveIn(same)
    expect(second.counts).toMatchObject({ total: 5, same: 5, new: 0 })
    await undo(second.id)
    expect((await call(teachings.list, {}, app.client())).length).toBe(5)
  }
  async function taken(id: string) {
    expect((await undo(id)).state).toBe('undone')
    expect(await call(teachings.list, {}, app.client())).toEqual([])
    expect(await feed()).not.toContain(channelGuid)
    await expect.poll(async () => (await locationOf('/first/3')).status).toBe(404)
  }
})

test('faulty items stop none of the others', async () => {
  const site = await siteWith('mixed', 1, 20)
  const at = (name: string) => `${site.url}/files/${name}`
  const item = (number: number, more: Record<string, string>) =>
    feedItem({
      title: `faulty ${number}`,
      guid: `faulty-${number}`,
      pubDate: dayOf(30 + number),
      author: 'Sam',
      ...more,
    })
  site.answer('/files/noise.mp3', Buffer.from('no recording at all'.repeat(200)))
  site.answer('/files/page.mp3', (_, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
  )
  site.answer('/files/huge.mp3', (_, response) =>
    response
      .writeHead(200, { 'content-length': 10_000_000_000, 'content-type': 'audio/mpeg' })
      .flushHeaders(),
  )
  site.answer('/files/round.mp3', (_, response) =>
    response.writeHead(302, { location: '/files/round.mp3' }).end(),
  )
  let tries = 0
  const late = await recordingOf(31)
  site.answer('/files/busy.mp3', (request, response) => {
    tries += 1
    if (tries < 3) response.writeHead(429, { 'retry-after': '7' }).end()
    else send(request, response, late)
  })
  const cut = await recordingOf(32)
  site.answer('/files/cut.mp3', (request, response) => {
    if (request.headers.range !== undefined || request.method === 'HEAD') return send(request, response, cut)
    response.writeHead(200, {
      'content-length': cut.length,
      etag: `"${cut.length}"`,
      'content-type': 'audio/mpeg',
    })
    response.write(cut.subarray(0, 4_000), () => setTimeout(() => response.destroy(), 20))
  })
  site.answer(
    '/feed',
    feedOf([
      item(1, { enclosure: at('gone.mp3') }),
      item(2, { enclosure: at('page.mp3') }),
      item(3, { enclosure: at('huge.mp3') }),
      item(4, { enclosure: at('round.mp3') }),
      item(5, {}),
      item(6, { enclosure: at('noise.mp3') }),
      item(7, { enclosure: at('20.mp3'), pubDate: 'someday' }),
      item(8, { enclosure: 'http://10.0.0.1/a.mp3' }),
      item(9, { enclosure: at('busy.mp3') }),
      item(10, { enclosure: at('cut.mp3') }),
      item(11, { enclosure: at('20.mp3') }),
    ]),
  )
  const report = await moveIn(site)
  const found = new Map(report.items.map(({ guid, ...rest }) => [Number(guid.split('-')[1]), rest]))
  expect(report.state).toBe('done')
  expect(
    [...found].sort(([a], [b]) => a - b).map(([number, { verdict, outcome }]) => [number, verdict, outcome]),
  ).toEqual([
    [1, 'unreadable', null],
    [2, 'unreadable', null],
    [3, 'too_large', null],
    [4, 'unreadable', null],
    [5, 'no_audio', null],
    [6, 'new', 'failed'],
    [7, 'unreadable', null],
    [8, 'unreadable', null],
    [9, 'new', 'imported'],
    [10, 'new', 'imported'],
    [11, 'new', 'imported'],
  ])
  expect(found.get(4)!.reason).toContain('more than five times')
  expect(found.get(8)!.reason).toContain('private network')
  // It waited for as long as the busy server asked.
  expect(Math.max(...site.waits)).toBeGreaterThan(6_000)
  expect(found.get(10)!.teaching).not.toBeNull()
  await undo(report.id)
})

test('a source pauses, continues, and repeats nothing', async () => {
  const site = await siteWith('pause', 6, 60)
  const { id } = await begin(`${site.url}/feed`)
  await work(site)
  await confirm(id, { shiftDays: -1, speakers: { 'Sam Desk': 'Samuel Desk' } })
  site.answer('/files/62.mp3', (request, response) => {
    site.answer(
      '/files/62.mp3',
      (again, second) => void recordingOf(62).then((bytes) => send(again, second, bytes)),
    )
    void call(imports.pause, { params: { id } }, admin).then(() => request.socket.destroy())
    response.writeHead(200, { 'content-type': 'audio/mpeg' }).flushHeaders()
  })
  await work(site)
  const paused = await read(id)
  expect(paused.state).toBe('paused')
  expect(paused.counts.imported).toBeLessThan(6)
  expect((await confirm(id)).state).toBe('importing')
  await work(site)
  const done = await read(id)
  expect(done).toMatchObject({ state: 'done', counts: { imported: 6 }, options: { shiftDays: -1 } })
  const library = await call(teachings.list, {}, app.client())
  expect(library.map(({ date, speaker }) => [date, speaker])).toEqual(
    [65, 64, 63, 62, 61, 60].map((number) => [
      new Date(Date.UTC(2020, 0, 5 + 7 * number)).toISOString().slice(0, 10),
      'Samuel Desk',
    ]),
  )
  await undo(id)
})

test('a followed source brings new items each week', async () => {
  // The list has the newest first.
  app.clock.advance(1_000)
  const site = await siteWith('weekly', 2, 80)
  const first = await moveIn(site, { follow: true })
  expect(first.followAt).not.toBeNull()
  await siteItems(site)
  await work(site)
  expect((await call(imports.list, {}, admin))[0]!.id).toBe(first.id)
  app.clock.advance(8 * 24 * 60 * 60_000)
  await call(
    teachings.remove,
    { params: { id: (await call(teachings.list, {}, app.client()))[0]!.id } },
    admin,
  )
  await work(site)
  const [second] = await call(imports.list, {}, admin)
  // The teaching that was deleted here does not come again.
  expect(second).toMatchObject({ state: 'done', counts: { total: 3, new: 1, imported: 1, same: 2 } })
  expect((await call(imports.pause, { params: { id: second!.id } }, admin)).followAt).toBeNull()
  await undo(second!.id)
  await undo(first.id)

  async function siteItems(same: OldSite) {
    const more = await siteWith('weekly', 3, 80)
    const answer = await (await fetch(`${more.url}/feed`)).text()
    same.answer('/feed', answer.replaceAll(more.url, same.url))
    same.answer('/files/82.mp3', await recordingOf(82))
  }
})

describe('subscribers of the old feed', () => {
  interface Episode {
    readonly guid: string
    readonly title: string
    readonly day: string
    readonly address: string
    readonly type: string
    readonly seconds: number
  }
  type IsSame = (old: Episode, here: Episode) => boolean

  const episodesOf = (xml: string): Episode[] =>
    parseXml(xml)['rss']![0]!.children['channel']![0]!.children['item']!.map(({ children }) => {
      const text = (name: string) => children[name]?.[0]?.text.trim() ?? ''
      const { url = '', type = '' } = children['enclosure']![0]!.attributes
      const day = new Date(text('pubDate')).toISOString().slice(0, 10)
      const seconds = Number(text('itunes:duration') || 0)
      return { guid: text('guid'), title: text('title'), day, address: url, type, seconds }
    })

  test.each<[string, IsSame]>([
    [
      // By GUID, else by the address; else by title, day, type and a length that differs by ten minutes at most.
      'AntennaPod',
      (old, here) =>
        (old.guid !== '' && old.guid === here.guid) ||
        old.address === here.address ||
        (old.title.toLowerCase() === here.title.toLowerCase() &&
          old.day === here.day &&
          old.type.split('/')[0] === here.type.split('/')[0] &&
          Math.abs(old.seconds - here.seconds) < 600),
    ],
    // An episode without a GUID is known by the address of its recording.
    ['Apple Podcasts', (old, here) => (old.guid || old.address) === here.guid],
  ])('hear nothing twice in %s', async (reader, isSame) => {
    const site = await siteWith(reader, 4, 130)
    const old = await (await fetch(`${site.url}/feed`)).text()
    // The second of them has no GUID.
    const without = old.replace(`<guid>${reader}-132</guid>`, '')
    site.answer('/feed', without)
    const done = await moveIn(site)
    const [before, now] = [episodesOf(without), episodesOf(await feed())]
    expect(before).toHaveLength(4)
    expect(now.filter((here) => !before.some((each) => isSame(each, here)))).toEqual([])
    expect(now).toHaveLength(4)
    await undo(done.id)
  })
})

test('chapters come from the feed, else from the recording', async () => {
  const site = await siteWith('chapters', 2, 140)
  const body = await (await fetch(`${site.url}/feed`)).text()
  const named = `<podcast:chapters url="${site.url}/1.json" type="application/json+chapters"/></item>`
  site.answer('/feed', body.replace('</item>', named))
  site.answer('/1.json', JSON.stringify({ chapters: [{ startTime: 0.5, title: 'Sermon' }] }))
  const tag = id3Tag({ title: '', speaker: '', date: '', chapters: '0:00 Notices\n0:01 Prayer' })
  site.answer('/files/140.mp3', Buffer.concat([tag, await recordingOf(140)]))
  const done = await moveIn(site)
  const library = await call(teachings.list, {}, app.client())
  expect(library.map(({ title, chapters }) => [title, chapters])).toEqual([
    ['chapters 141', '0:00 Sermon (teaching starts here)'],
    ['chapters 140', '0:00 Notices\n0:01 Prayer'],
  ])
  const address = `/api/teachings/${library[0]!.uid}/chapters`
  expect(await feed()).toContain(`<podcast:chapters url="${app.url}${address}"`)
  expect(await (await fetch(app.url + address)).json()).toEqual({
    version: '1.2.0',
    chapters: [{ startTime: 0, title: 'Sermon', teaching: true }],
  })
  await undo(done.id)
  expect((await fetch(app.url + address)).status).toBe(404)
})

test('a series takes its items’ picture, and goes with an undo', async () => {
  const site = await siteWith('pictured', 3, 110)
  const body = await (await fetch(`${site.url}/feed`)).text()
  const own = `<podcast:season name="Hope">1</podcast:season><itunes:image href="${site.url}/hope.png"/>`
  const cover = `<itunes:image href="${site.url}/podcast.png"/>`
  site.answer('/feed', body.replaceAll('</item>', `${own}</item>`).replace('<item>', `${cover}<item>`))
  site.answer('/hope.png', Buffer.from(plainPng(600, 600)))
  const done = await moveIn(site)
  const [hope, ...others] = await call(series.list, {}, app.client())
  expect(others).toEqual([])
  expect(hope).toMatchObject({ title: 'Hope', imageUrl: expect.stringContaining('/images/') as string })
  expect(hope!.teachings).toEqual(done.items.map(({ teaching }) => teaching))
  await undo(done.id)
  expect(await call(series.list, {}, app.client())).toEqual([])
})

function zipOf(files: readonly [name: string, content: Buffer][]): Buffer<ArrayBuffer> {
  const { parts } = zipLayout(
    files.map(([name, content]) => ({
      name,
      bytes: content.length,
      crc32: crc32(content),
      modified: new Date('2026-11-29T00:00:00Z'),
      source: { content },
    })),
  )
  return Buffer.concat(parts.flatMap(({ source }) => ('content' in source ? [source.content] : [])))
}

describe('uploaded archives', () => {
  const upload = (bytes: Uint8Array<ArrayBuffer>, name: string) =>
    call(imports.upload, { body: { answers: '{}' }, files: { file: new File([bytes], name) } }, admin)
  const folder = path.join(app.context.config.dataDir, 'imports')
  const kept = async () => (await readdir(folder).catch(() => [])).length
  const runAll = () => importWorker(app.context).runAll()

  test('half an archive fails with its sentence, and is removed', async () => {
    const half = zipOf([['a.mp3', await recordingOf(120)]]).subarray(0, 2_000)
    const { id } = await upload(new Uint8Array(half), 'half.zip')
    await runAll()
    expect(await read(id)).toMatchObject({ state: 'failed', source: 'half.zip' })
    app.clock.advance(10 * 60_000)
    await runAll()
    expect(await kept()).toBe(0)
  })

  test('an archive is kept until its recordings were moved in', async () => {
    const bytes = zipOf([
      ['Hope/2029-08-06_Sam-Desk"Grace"_Romans_8.mp3', await recordingOf(121)],
      ['Hope/20290813 Truth.mp3', await recordingOf(122)],
    ])
    const { id } = await upload(new Uint8Array(bytes), 'sermons.zip')
    await runAll()
    const dry = await read(id)
    expect(dry.items.map(({ title, verdict }) => [title, verdict])).toEqual([
      ['Grace', 'new'],
      ['Truth', 'unreadable'],
    ])
    expect(await kept()).toBe(1)
    await confirm(id, { speaker: 'Ann Lee', follow: true })
    await runAll()
    expect(await read(id)).toMatchObject({ state: 'done', counts: { imported: 2 }, followAt: null })
    const [hope] = await call(series.list, {}, app.client())
    expect(hope).toMatchObject({ title: 'Hope' })
    app.clock.advance(10 * 60_000)
    await runAll()
    expect(await kept()).toBe(0)
    await undo(id)
  })
})

test('a full disk pauses an import, with its sentence', async () => {
  const site = await siteWith('full', 2, 90)
  const { id } = await begin(`${site.url}/feed`)
  await work(site)
  await confirm(id)
  const { storage } = app.context
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' })
  const stage = async () => ({ ...(await storage.stage()), write: () => Promise.reject(full) })
  await importWorker({ ...app.context, storage: { ...storage, stage } }, { guest: site.guest }).runAll()
  expect(await read(id)).toMatchObject({
    state: 'paused',
    failure: expect.stringContaining('disk') as string,
  })
  await confirm(id)
  await work(site)
  expect(await read(id)).toMatchObject({ state: 'done', failure: null, counts: { imported: 2 } })
  await undo(id)
})
