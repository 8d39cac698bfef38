import http from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { beforeEach, describe, expect, test } from 'vitest'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { call } from '@fellowship/sync/call/call'
import { sharedForAMinute } from '../../http/deliver.ts'
import { testApp } from '../../testing/test-app.ts'

const app = await testApp()
const { sql } = app.context
const person = await app.signedIn()

beforeEach(() => sql`delete from teachings`)

const insert = async (
  title: string,
  date = '2026-11-22',
  speaker = 'John Smith',
  scripture: string | null = null,
) => {
  const [row] = await sql<{ id: number }[]>`
    insert into teachings (title, speaker, date, year, scripture_reference)
    values (${title}, ${speaker}, ${date}, ${Number(date.slice(0, 4))}, ${scripture}) returning id`
  return row!.id
}
const titles = (rows: Teaching[]) => rows.map(({ title }) => title)
const search = async (q: string) => titles(await call(teachings.search, { query: { q } }, app.client()))

/** By node:http, because fetch decodes content codings by itself. */
function ask(headers: http.OutgoingHttpHeaders = {}, method = 'GET') {
  return new Promise<{ status: number; headers: http.IncomingHttpHeaders; body: Buffer }>(
    (resolve, reject) => {
      const request = http.request(
        `${app.url}/api/teachings`,
        { method, headers, agent: false },
        (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.once('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: Buffer.concat(chunks),
            }),
          )
        },
      )
      request.once('error', reject)
      request.end()
    },
  )
}

describe('refused', () => {
  test('refuses a search of 0 or more than 200 characters', async () => {
    expect((await fetch(`${app.url}/api/teachings/search`)).status).toBe(400)
    expect((await fetch(`${app.url}/api/teachings/search?q=${'x'.repeat(201)}`)).status).toBe(400)
  })

  test('refuses a deletion without session, token or known id', async () => {
    const id = await insert('Stays')
    const address = `${app.url}/api/teachings/${id}`
    expect((await fetch(address, { method: 'DELETE' })).status).toBe(401)
    expect((await person.fetch(address, { method: 'DELETE' })).status).toBe(403)
    const wrong = call(teachings.remove, { params: { id: id + 1 } }, person)
    await expect(wrong).rejects.toMatchObject({ status: 404, code: 'not_found' })
    expect(titles(await call(teachings.list, {}, app.client()))).toEqual(['Stays'])
  })
})

describe('the list', () => {
  test('the list contains every earlier change, also in bursts', async () => {
    const id = await insert('First title')
    const burst = () => Promise.all(Array.from({ length: 60 }, () => ask().then(({ body }) => String(body))))
    await burst()
    for (const title of ['Second title', 'Third title']) {
      const fields = { title, speaker: 'John Smith', scriptureReference: '', date: '2026-11-22' }
      const [, before] = await Promise.all([
        call(teachings.update, { params: { id }, body: fields }, person),
        burst(),
      ])
      expect(before).toHaveLength(60)
      for (const body of await burst()) expect(body).toContain(title)
    }
  })

  test('the list is newest first, also within a day', async () => {
    await insert('Older', '2025-01-05')
    await insert('Morning')
    await insert('Evening')
    await insert('Oldest', '1999-12-26')
    expect(titles(await call(teachings.list, {}, app.client()))).toEqual([
      'Evening',
      'Morning',
      'Older',
      'Oldest',
    ])
  })

  test('the list shows other processes’ writes at once', async () => {
    for (let n = 0; n < 10; n++) {
      const id = await insert(`Number ${n}`)
      expect(titles(await call(teachings.list, {}, app.client()))).toEqual([`Number ${n}`])
      await sql`update teachings set title = 'Changed' where id = ${id}`
      expect(titles(await call(teachings.list, {}, app.client()))).toEqual(['Changed'])
      await call(teachings.remove, { params: { id } }, person)
      expect(await call(teachings.list, {}, app.client())).toEqual([])
      await sql`delete from teachings`
    }
  })

  test('the list’s ETag depends on coding and revision', async () => {
    await insert('Māori hymns')
    const tags = new Set<string>()
    for (const [accepted, coding, decode] of [
      ['', undefined, (body: Buffer) => body],
      ['gzip', 'gzip', gunzipSync],
      ['gzip, deflate, br', 'br', brotliDecompressSync],
    ] as const) {
      const first = await ask({ 'accept-encoding': accepted })
      expect([first.status, first.headers['content-encoding']]).toEqual([200, coding])
      expect(titles(JSON.parse(decode(first.body).toString()) as Teaching[])).toEqual(['Māori hymns'])
      expect(first.headers).toMatchObject({ vary: 'accept-encoding', 'cache-control': sharedForAMinute })
      const tag = first.headers.etag!
      expect(tag).toMatch(/^"[\w-]+"$/)
      tags.add(tag)
      const known = { 'accept-encoding': accepted, 'if-none-match': `"x", W/${tag}` }
      const again = await ask(known)
      expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, tag])
      await sql`update teachings set speaker = speaker || '.'`
      expect((await ask(known)).status).toBe(200)
      await sql`update teachings set speaker = 'John Smith'`
    }
    expect(tags.size).toBe(3)
  })

  test('HEAD of the list has the headers of GET', async () => {
    await insert('x')
    const { status, body, headers } = await ask({}, 'HEAD')
    expect([status, body.length]).toEqual([200, 0])
    expect(headers.etag).toBe((await ask()).headers.etag)
  })
})

describe('the search', () => {
  beforeEach(async () => {
    await insert('Hope_in_Christ', '2026-11-22', 'John Smith', 'Romans 8:28-39')
    await insert('Tāne and the garden', '2025-03-02', 'Hemi Ngata', 'Genesis 2')
    await insert('Living water', '2024-06-09', 'Mary Jones', 'John 4:7-21')
  })

  test.each([
    ['hope christ', ['Hope_in_Christ']],
    ['CHRI', ['Hope_in_Christ']],
    ['tane', ['Tāne and the garden']],
    ['hemi ngata', ['Tāne and the garden']],
    ['2024', ['Living water']],
    ['Romans 8', ['Hope_in_Christ']],
    ['Rom 8:30-31', ['Hope_in_Christ']],
    ['Romans 9', []],
    ['Gen 2:7', ['Tāne and the garden']],
    ['water hope', []],
    ["'; drop table teachings; --", []],
    ['', ['Hope_in_Christ', 'Tāne and the garden', 'Living water']],
  ])('searching %j finds %j', async (q, expected) => {
    expect(await search(q)).toEqual(expected)
  })

  test('the search follows new and deleted teachings at once', async () => {
    const id = await insert('Jubilee')
    expect(await search('jubilee')).toEqual(['Jubilee'])
    await call(teachings.remove, { params: { id } }, person)
    expect(await search('jubilee')).toEqual([])
  })

  test('a search’s ETag depends on query and revision', async () => {
    const asked = (q: string, headers = {}) => fetch(`${app.url}/api/teachings/search?q=${q}`, { headers })
    const first = await asked('hope')
    const known = { 'if-none-match': first.headers.get('etag')! }
    const status = async (q: string) => (await asked(q, known)).status
    expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'no-cache'])
    expect([await status('hope'), await status('water')]).toEqual([304, 200])
    await insert('Hope again')
    expect(await status('hope')).toBe(200)
    expect((await fetch(`${app.url}/api/teachings/search?q=hope`, { method: 'POST' })).status).toBe(405)
  })
})
