import { once } from 'node:events'
import http from 'node:http'
import { beforeEach, describe, expect, test } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { sync } from '@fellowship/schema/sync/sync.contract'
import { eventStreams } from '@fellowship/schema/sync/sync.limits'
import { maxFormUploads, uploadsBegun } from '@fellowship/schema/uploads/uploads.limits'
import { call } from '@fellowship/sync/call/call'
import { uuidv7 } from '@fellowship/sync/protocol/uuid'
import { diskStorage } from '../../machine/storage/disk-storage.ts'
import { fixture, formBody, sendForm, storedFiles } from '../../testing/multipart.ts'
import { testApp } from '../../testing/test-app.ts'
import { tusClient } from '../../testing/tus.ts'

let freeBytes: number | undefined
const app = await testApp({}, (dataDir) => {
  const storage = diskStorage(dataDir)
  return { storage: { ...storage, freeBytes: async () => freeBytes ?? storage.freeBytes() } }
})
const { sql } = app.context
const person = await app.signedIn()
const token = (await call(auth.csrfToken, {}, person)).csrfToken
const tus = tusClient(person, token)
const mp3 = await fixture('cbr.mp3')

beforeEach(() => {
  freeBytes = undefined
})

/** An event stream; `told` counts the change events received. */
function openStream() {
  const told = { count: 0 }
  const request = http.get(`${app.url}${sync.events.path}`, { agent: false })
  const answered = (once(request, 'response') as Promise<[http.IncomingMessage]>).then(([response]) => {
    response.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes('event: changed')) told.count += 1
    })
    response.on('error', () => undefined)
    return response.statusCode
  })
  request.on('error', () => undefined)
  return { told, status: () => answered, close: () => request.destroy() }
}

describe('event streams', () => {
  test('300 phones behind one address get events and pull', async () => {
    const { next: since } = await call(sync.pull, { query: {} }, app.client())
    const phones = Array.from({ length: 300 }, openStream)
    expect(new Set(await Promise.all(phones.map(({ status }) => status())))).toEqual(new Set([200]))
    await sql`insert into teachings (title, speaker, date, year, scripture_reference)
      values ('Hope', 'Ana', '2026-11-22', 2026, 'John 3')`
    app.context.changes.announce()
    await expect.poll(() => phones.filter(({ told }) => told.count > 0).length, { timeout: 20_000 }).toBe(300)
    const pages = await Promise.all(phones.map(() => call(sync.pull, { query: { since } }, app.client())))
    expect(pages.filter((page) => page.mode === 'delta' && page.changes.length === 1)).toHaveLength(300)
    for (const phone of phones) phone.close()
  })

  test('limits event streams per address with 429', async () => {
    const streams = Array.from({ length: eventStreams.each }, openStream)
    const statuses = await Promise.all(streams.map(({ status }) => status()))
    // Those of the test before may still be closing.
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(150)
    const more = Array.from({ length: 20 }, openStream)
    const refused = await Promise.all(more.map(({ status }) => status()))
    expect(refused.filter((status) => status === 429).length).toBeGreaterThan(0)
    expect((await fetch(`${app.url}/api/health/live`)).status).toBe(200)
    for (const stream of [...streams, ...more]) stream.close()
    const admitted = async () => {
      const stream = openStream()
      const status = await stream.status()
      stream.close()
      return status
    }
    await expect.poll(admitted, { timeout: 20_000 }).toBe(200)
  })
})

describe('uploads', () => {
  test('repeated uploads are limited and leave no metadata', async () => {
    const metadata = { filename: 'a.mp3', title: 'x'.repeat(200), unknown: 'y'.repeat(3000) }
    const begin = async () => {
      const id = uuidv7(Date.now())
      const { status } = await tus.create(mp3.length, { jobId: id, ...metadata })
      if (status === 201) await tus.remove(id)
      return status
    }
    const several = async (count: number) => {
      const statuses = []
      for (let at = 0; at < count; at++) statuses.push(await begin())
      return statuses
    }
    expect(await several(10)).toEqual(Array(10).fill(201))
    // Those that are refused count too, and cost less.
    freeBytes = 0
    const refused = await several(uploadsBegun.attempts - 12)
    expect(new Set(refused)).toEqual(new Set([507]))
    freeBytes = undefined
    expect(await several(4)).toEqual([201, 201, 429, 429])
    const [row] = await sql<{ bytes: number }[]>`
      select max(length(metadata::text))::int as bytes from uploads where state = 'cancelled'`
    expect(row!.bytes).toBe(2)
    app.clock.advance(60 * 60_000)
    expect(await begin()).toBe(201)
  }, 120_000)

  test('an upload stores no unknown metadata', async () => {
    const id = uuidv7(Date.now())
    await tus.create(mp3.length, { jobId: id, filename: 'a.mp3', unknown: 'y' })
    const [row] = await sql<{ metadata: object }[]>`select metadata from uploads where id = ${id}`
    expect(row!.metadata).toEqual({ jobId: id, filename: 'a.mp3' })
    await tus.remove(id)
  })

  test.each(['filename', 'title', 'speaker'])('refuses an upload with a NUL in %s', async (name) => {
    const answer = await tus.create(mp3.length, { filename: 'a.mp3', [name]: 'a\u0000b' })
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
  })

  test('limits one person’s concurrent form uploads', async () => {
    const other = await app.signedIn()
    const otherToken = (await call(auth.csrfToken, {}, other)).csrfToken
    const hanging = Array.from({ length: maxFormUploads }, () => {
      const request = http.request(`${app.url}/api/sermons/smart-upload`, {
        method: 'POST',
        agent: false,
        headers: {
          cookie: [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
          'x-csrf-token': token,
          'content-type': 'multipart/form-data; boundary=xYzZyBoundary',
        },
      })
      request.on('error', () => undefined)
      request.write(
        Buffer.concat([
          ...formBody([{ name: 'audioFile', filename: 'a.mp3', body: [mp3] }], { close: false }),
        ]),
      )
      return request
    })
    await expect.poll(async () => (await storedFiles(app.dataDir)).staging.length).toBe(maxFormUploads)
    const send = (client: typeof person, csrf: string) =>
      sendForm(client, '/api/sermons/smart-upload', formBody([{ name: 'title', value: 'x' }]), {
        headers: { 'x-csrf-token': csrf },
      })
    expect(await send(person, token)).toMatchObject({ status: 429, body: { code: 'too_many_uploads' } })
    expect(await send(other, otherToken)).toMatchObject({ status: 400 })
    for (const request of hanging) request.destroy()
    await expect.poll(async () => (await storedFiles(app.dataDir)).staging).toEqual([])
    expect(await send(person, token)).toMatchObject({ status: 400 })
  })

  test('uploads without length stop when the disk is full', async () => {
    function* endless() {
      for (let at = 0; at < 400; at++) {
        // Full while the form is under way.
        if (at === 40) freeBytes = 1_000_000
        yield Buffer.alloc(64 * 1024)
      }
    }
    const form = formBody([{ name: 'audioFile', filename: 'a.mp3', body: endless() }])
    const headers = { 'x-csrf-token': token }
    expect(await sendForm(person, '/api/sermons/smart-upload', form, { headers })).toMatchObject({
      status: 507,
      body: { code: 'disk_full' },
    })
    expect(await storedFiles(app.dataDir)).toEqual({ staging: [], audio: [] })
    freeBytes = undefined
    const id = uuidv7(Date.now())
    await tus.create(mp3.length, { jobId: id })
    freeBytes = 1_000_000
    expect((await tus.patch(id, 0, mp3)).status).toBe(507)
    freeBytes = undefined
    expect((await tus.patch(id, 0, mp3)).status).toBe(204)
  })
})
