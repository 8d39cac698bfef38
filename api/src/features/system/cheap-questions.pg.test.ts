import { once } from 'node:events'
import { Agent, request as httpRequest } from 'node:http'
import net, { type AddressInfo } from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { feedsMadeAnew, feedsMadeAtOnce } from '@fellowship/schema/feed/feed.limits'
import { sync } from '@fellowship/schema/sync/sync.contract'
import { pageReads } from '@fellowship/schema/sync/sync.limits'
import { searchRate, searchResults } from '@fellowship/schema/teachings/teachings.limits'
import { call } from '@fellowship/sync/call/call'
import { digestOf } from '@fellowship/sync/protocol/digest'
import { createApp } from '../../app.ts'
import { refusalPace } from '../../http/limiter.ts'
import { countedSql } from '../../testing/test-db.ts'
import { testApp, testClient } from '../../testing/test-app.ts'
import { documents, liveLibrary } from '../feed/feed.ts'

/** Requests of strangers must not cost more than one reading of the library within one revision. */
const app = await testApp()
const { sql } = app.context
/** Statements whose work grows with the library. */
const readings = countedSql(
  sql,
  /string_agg|max\(changed_at\)|from teachings\b(?! where uid = )|from sync_change/,
)
/** Statements that read a list which is sent whole. */
const lists = countedSql(readings.sql, /from (?:series|elders|passages)\b/)
/** While it is set, delayed refusals wait until the test releases them. */
let held: (() => void)[] | undefined
const refusals = refusalPace(
  () => app.clock.now().getTime(),
  (ms) => (held ? new Promise<void>((resolve) => held!.push(resolve)) : delay(ms)),
)
const server = await createApp(
  { ...app.context, sql: lists.sql, refusals },
  { webFolder: path.join(app.dataDir, 'web') },
)
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address() as AddressInfo
const stranger = testClient(`http://127.0.0.1:${port}`)
afterAll(async () => {
  agent.destroy()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

/** Holds back the delayed refusals, as many as `count`, while others ask; then they are answered. */
async function whileRefusalsWait(
  count: number,
  refused: () => Promise<unknown>,
  others: () => Promise<unknown>,
) {
  const waiting: (() => void)[] = (held = [])
  onTestFinished(() => void (held = undefined))
  const late = refused()
  await expect.poll(() => waiting.length).toBe(count)
  await others()
  held = undefined
  for (const answer of waiting) answer()
  await late
}

const addTeachings = (count: number) => sql`
  insert into teachings (title, speaker, date, year, scripture_reference)
  select 'Hope ' || n, 'Ana Smith', '2026-11-22', 2026, 'John 3:16' from generate_series(1, ${count}::int) as n`

beforeEach(async () => {
  await sql`delete from teachings`
  await addTeachings(300)
  app.context.changes.announce()
  // Resets the rate limits by address.
  app.clock.advance(60 * 60_000)
})

const agent = new Agent({ keepAlive: true })
/** Requests with a Host header. */
const get = (address: string, host: string, headers: Record<string, string> = {}) =>
  new Promise<{ status: number; encoding: string | undefined; body: Buffer }>((resolve, reject) => {
    const outgoing = httpRequest(
      { port, path: address, headers: { host, accept: 'text/html', ...headers }, agent },
      (response) => {
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => parts.push(part))
        response.once('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            encoding: response.headers['content-encoding'],
            body: Buffer.concat(parts),
          }),
        )
      },
    )
    outgoing.once('error', reject)
    outgoing.end()
  })

test('an up-to-date device without ETag causes no read', async () => {
  const { next, digest } = await call(sync.pull, { query: {} }, stranger)
  const before = readings.count()
  const pages = []
  for (let at = 0; at < 10; at++) pages.push(await call(sync.pull, { query: { since: next } }, stranger))
  expect(pages.map((page) => page.digest)).toEqual(Array(10).fill(digest))
  expect(readings.count() - before).toBe(1)
})

test('the digest matches the rows after edits and deletions', async () => {
  for (const change of [
    sql`update teachings set title = 'Faith' where title = 'Hope 7'`,
    sql`update teachings set deleted_at = now() where title = 'Hope 8'`,
    sql`delete from teachings where title = 'Hope 9'`,
    sql`delete from teachings`,
  ]) {
    const { next } = await call(sync.pull, { query: {} }, stranger)
    await change
    const page = await call(sync.pull, { query: { since: next } }, stranger)
    const rows = await sql<{ kind: string; uid: string; rev: number }[]>`
      select 'teaching' as kind, uid, rev from teachings where deleted_at is null
      union all select 'elder', uid, rev from elders union all select 'passage', uid, rev from passages`
    expect(page.digest).toEqual(digestOf(rows))
  }
})

test('devices share a page, each with the current time', async () => {
  const { next: since } = await call(sync.pull, { query: {} }, stranger)
  await sql`update teachings set title = 'Faith' where title = 'Hope 7'`
  const first = await call(sync.pull, { query: { since } }, stranger)
  const before = readings.count()
  app.clock.advance(5000)
  const second = await call(sync.pull, { query: { since } }, stranger)
  expect(second).toEqual({ ...first, serverTime: app.clock.now().toISOString() })
  expect(readings.count()).toBe(before)
})

test('a repeated search comes compressed from memory', async () => {
  const search = async (q: string) => {
    const { status, encoding, body } = await get(`/api/teachings/search?q=${q}`, 'localhost', {
      'accept-encoding': 'gzip',
    })
    if (status !== 200) return status
    return { encoding, rows: (JSON.parse(gunzipSync(body).toString()) as unknown[]).length }
  }
  expect(await search('hope')).toEqual({ encoding: 'gzip', rows: searchResults })
  const before = readings.count()
  for (let at = 0; at < 10; at++)
    expect(await search('hope')).toEqual({ encoding: 'gzip', rows: searchResults })
  expect(readings.count()).toBe(before)
  const others = await Promise.all(
    Array.from({ length: searchRate.attempts + 5 }, (_, at) => search(`hope+${at}`)),
  )
  expect(others.filter((answer) => answer === 429)).toHaveLength(6)
})

test.each([
  ['/api/series', () => sql`insert into series (slug, title, description) values ('new', 'New', '')`],
  [
    '/api/elders',
    () => sql`insert into elders (name, role, short_bio, extended_bio) values ('New', '', '', '')`,
  ],
  [
    '/api/passages',
    () => sql`insert into passages (reference, text, translation, copyright_line)
      values ('Jude 1:3', 'New', 'A', 'B')`,
  ],
])('the list %s is read and compressed once per revision', async (address, add) => {
  const accept = { 'accept-encoding': 'gzip' }
  const list = async () => {
    const { status, encoding, body } = await get(address, 'localhost', accept)
    expect([status, encoding]).toEqual([200, 'gzip'])
    return gunzipSync(body).toString()
  }
  const first = await list()
  const before = lists.count()
  for (let at = 0; at < 10; at++) expect(await list()).toBe(first)
  const whole = await fetch(`${stranger.base}${address}`)
  await whole.text()
  const tag = whole.headers.get('etag')!
  const again = await fetch(`${stranger.base}${address}`, { headers: { 'if-none-match': tag } })
  expect([again.status, lists.count()]).toEqual([304, before])
  await add()
  expect(JSON.parse(await list())).toHaveLength((JSON.parse(first) as unknown[]).length + 1)
})

test('made-up Host headers create no document', async () => {
  const accept = { 'accept-encoding': 'gzip, br' }
  for (const address of ['/feed.xml', '/sitemap.xml', '/robots.txt']) {
    expect((await get(address, 'church.example', accept)).encoding).toBe('gzip')
    const before = readings.count()
    const answers = []
    for (let at = 0; at < 20; at++) answers.push(await get(address, `h${at}.example`, accept))
    expect(answers.at(-1)!.body.toString()).toContain('http://h19.example/')
    expect(answers.filter(({ encoding }) => encoding).length).toBeLessThanOrEqual(4)
    expect((await get(address, 'h0.example')).body.toString()).not.toContain('h19.example')
    expect(readings.count()).toBe(before)
    app.clock.advance(60_000)
  }
})

test('the sitemap is made once per revision, not for feeds', async () => {
  const library = liveLibrary(app.context)
  const { feed, sitemap } = await documents(app.context, library)()
  const { teachings } = await library()
  // Building it reads every teaching.
  const read = vi.spyOn(teachings as unknown as { map: () => unknown }, 'map')
  expect(feed()).toBe(feed())
  expect(read).not.toHaveBeenCalled()
  expect(sitemap()).toBe(sitemap())
  expect(read).toHaveBeenCalledTimes(1)
})

test('a speaker’s feed is made once for all spellings', async () => {
  const { groupFeed } = await documents(app.context, liveLibrary(app.context))()
  const made = groupFeed('/speakers/ana-smith/feed.xml')!()
  groupFeed('/books/john/feed.xml')!()
  expect(groupFeed('/speakers/ana-smith/feed.xml')!()).toBe(made)
  const tags = await Promise.all(
    ['ana-smith', '%61na-smith', 'an%61-smith'].map(async (spelled) => {
      const answer = await fetch(`${stranger.base}/speakers/${spelled}/feed.xml`)
      expect([answer.status, await answer.text()]).toEqual([
        200,
        expect.stringContaining(': Ana Smith</title>'),
      ])
      return answer.headers.get('etag')
    }),
  )
  expect(new Set(tags).size).toBe(1)
})

test.each(['/sitemap.xml', '/speakers/ana-smith/feed.xml'])(
  '%s limits made-up names per address, not known ones',
  async (address) => {
    const accept = { 'accept-encoding': 'gzip' }
    expect((await get(address, 'church.example', accept)).status).toBe(200)
    const statuses = new Set<number>()
    for (let at = 0; at < feedsMadeAnew.attempts + 10; at++)
      statuses.add((await get(address, `h${at}.example`, accept)).status)
    expect([...statuses]).toEqual([200, 429])
    expect(await get(address, 'church.example', accept)).toMatchObject({ status: 200, encoding: 'gzip' })
    app.clock.advance(60_000)
    expect((await get(address, 'h0.example', accept)).status).toBe(200)
  },
)

test('few documents for made-up names are made at once', async () => {
  await sql`
    insert into teachings (title, speaker, date, year, description, audio_url, audio_sha256, audio_bytes, audio_mime)
    select 'Long ' || n, 'Ben', '2026-01-04', 2026, repeat('&', 1000), '/audio/' || hash || '.mp3', hash, 1, 'audio/mpeg'
    from generate_series(1, 2000) n, lpad(to_hex(n), 64, '0') hash`
  const feedOf = async (name: string) => (await get('/feed.xml', name)).status
  for (const name of ['h0.example', 'h1.example', 'h2.example', 'h3.example', 'church.example'])
    expect(await feedOf(name)).toBe(200)
  // One more name is accepted now, and no other for ten seconds.
  app.clock.advance(20_000)
  expect(await feedOf('new.example')).toBe(200)
  // They read only the beginning of the response.
  const idle = await Promise.all(
    Array.from({ length: feedsMadeAtOnce.each }, async (_, at) => {
      const socket = net.connect(port, '127.0.0.1')
      socket.write(`GET /feed.xml HTTP/1.1\r\nHost: s${at}.example\r\n\r\n`)
      await once(socket, 'readable')
      expect(String(socket.read(15))).toBe('HTTP/1.1 200 OK')
      return socket
    }),
  )
  expect(await feedOf('late.example')).toBe(429)
  expect(await feedOf('church.example')).toBe(200)
  for (const socket of idle) socket.destroy()
  await expect.poll(() => feedOf('late.example'), { timeout: 15_000 }).toBe(200)
  await sql`delete from teachings where speaker = 'Ben'`
})

test('only uncached pages and snapshots are limited; refusals are paced together', async () => {
  const answered: string[] = []
  const ask = async (address: string) => {
    const { status } = await get(address, 'late.example')
    answered.push(`${status} ${address.split('?')[0]}`)
  }
  const many = (count: number, address: (at: number) => string) =>
    Promise.all(Array.from({ length: count }, (_, at) => ask(address(at))))
  const refused = (address: string) => answered.filter((each) => each === `429 ${address}`).length
  await sql`delete from teachings where title not in ('Hope 7', 'Hope 8')`
  const { next: since } = await call(sync.pull, { query: {} }, stranger)
  await sql`update teachings set title = 'Faith' where title = 'Hope 7'`
  // More limits than the cache holds, so that every page is read again.
  for (let at = 0; at < pageReads.attempts + 100; at += 100)
    await many(100, (each) => `/api/sync?since=${since}&limit=${1 + ((at + each) % 1000)}`)
  // The first was the snapshot.
  expect(refused('/api/sync')).toBe(101)

  // Of five names one is unknown, and stays so for ten seconds.
  for (const name of ['a', 'b', 'c', 'd', 'e']) await get('/robots.txt', `${name}.example`)
  await many(searchRate.attempts + 20, (at) => `/api/teachings/search?q=hope+${at}`)
  await many(feedsMadeAnew.attempts + 20, () => '/sitemap.xml')
  // More than fifty refusals of each in a row: the next one comes later, and others are answered meanwhile.
  const limited = ['/api/teachings/search', '/sitemap.xml', '/api/sync']
  for (const address of limited) expect([address, refused(address)]).not.toEqual([address, 0])
  answered.length = 0
  await whileRefusalsWait(
    limited.length,
    () => Promise.all(limited.map((address) => ask(`${address}?q=joy`))),
    async () => {
      for (let at = 0; at < 3; at++) await ask('/api/elders')
    },
  )
  expect(answered.slice(0, 3)).toEqual(Array(3).fill('200 /api/elders'))
  expect(answered.slice(3).toSorted()).toEqual(limited.map((address) => `429 ${address}`).toSorted())
  app.clock.advance(60_000)
  answered.length = 0
  const again = () => ask(`/api/sync?since=${since}&limit=7`)
  await again()
  await Promise.all(Array.from({ length: 100 }, again))
  expect(new Set(answered)).toEqual(new Set(['200 /api/sync']))
}, 120_000)

test.each([
  '/api/nothing',
  '/api/teachings/search?limit=none',
  '/api/sync?limit=none',
  '/api/audio/none.mp3',
])('refusals of %s slow down a persistent caller', async (address) => {
  const next = () => refusals.waitFor('127.0.0.1', 400)
  for (let at = 0; at < 199; at++) expect([400, 404]).toContain((await get(address, 'church.example')).status)
  expect(next()).toBe(0)
  expect(next()).toBe(1000)
  refusals.answered()
})
