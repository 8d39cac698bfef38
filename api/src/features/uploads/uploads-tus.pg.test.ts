import { once } from 'node:events'
import { randomUUID } from 'node:crypto'
import { open, readdir } from 'node:fs/promises'
import net from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { maxUploadBytes } from '@fellowship/schema/uploads/uploads.limits'
import { call } from '@fellowship/sync/call/call'
import { uuidv7 } from '@fellowship/sync/protocol/uuid'
import { diskStorage } from '../../machine/storage/disk-storage.ts'
import { testApp, type TestClient } from '../../testing/test-app.ts'
import { metadataHeader, tusClient } from '../../testing/tus.ts'

const app = await testApp()
const { sql, storage } = app.context
const person = await app.signedIn()
const tokenOf = async (client: TestClient) => (await call(auth.csrfToken, {}, client)).csrfToken
const token = await tokenOf(person)
const tus = tusClient(person, token)

beforeEach(async () => {
  await sql`delete from uploads`
  for (const id of await storage.partial.list()) await storage.partial.remove(id)
})

const jobId = () => uuidv7(Date.now())
const bytes = (count: number, fill = 1) => Buffer.alloc(count, fill)
const begun = async (count: number) => {
  const id = jobId()
  expect(await tus.create(count, { jobId: id, filename: 'a.mp3' })).toMatchObject({ status: 201 })
  return id
}
const expectNothingStored = async () => {
  expect(await sql`select 1 from uploads`).toHaveLength(0)
  expect(await readdir(path.join(app.dataDir, 'uploads'))).toEqual([])
}

describe('permissions', () => {
  test('signed-out requests are 401, whichever upload they name', async () => {
    const id = await begun(10)
    const stranger = tusClient(app.client(), token)
    for (const known of [id, jobId()]) {
      expect((await stranger.head(known)).status).toBe(401)
      expect(await stranger.patch(known, 0, bytes(10))).toMatchObject({
        status: 401,
        body: { code: 'unauthorized' },
      })
      expect((await stranger.remove(known)).status).toBe(401)
    }
    expect((await stranger.create(10)).status).toBe(401)
    expect((await tus.head(id)).offset).toBe(0)
  })

  test.each([undefined, '', 'x'.repeat(32)])('changes with the CSRF token %j are 403', async (wrong) => {
    const id = await begun(10)
    const other = tusClient(person, wrong)
    for (const answer of [
      await other.create(10),
      await other.patch(id, 0, bytes(10)),
      await other.remove(id),
    ]) {
      expect(answer).toMatchObject({ status: 403, body: { code: 'csrf' } })
    }
    expect((await other.head(id)).offset).toBe(0)
  })

  test.each<Record<string, string>>([{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }])(
    'a request from another site (%j) is 403 without CORS',
    async (headers) => {
      const id = await begun(10)
      const answers = [
        await tus.create(10, {}, headers),
        await tus.patch(id, 0, bytes(10), headers),
        await tus.send('DELETE', `/api/uploads/${id}`, headers),
      ]
      for (const answer of answers)
        expect(answer).toMatchObject({ status: 403, body: { code: 'cross_site' } })
      const preflight = await tus.send('OPTIONS', '/api/uploads', headers)
      expect([...preflight.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    },
  )

  test('the upload of another user is 404, even for administrators', async () => {
    const id = await begun(10)
    const administrator = await app.signedIn('admin')
    const other = tusClient(administrator, await tokenOf(administrator))
    expect((await other.head(id)).status).toBe(404)
    expect(await other.patch(id, 0, bytes(10))).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect((await other.remove(id)).status).toBe(404)
    expect(await other.create(10, { jobId: id })).toMatchObject({
      status: 409,
      body: { code: 'upload_exists' },
    })
    expect((await tus.head(id)).offset).toBe(0)
  })

  test('a foreign request does not interrupt a running one', async () => {
    const id = await begun(1000)
    const stalled = await stall(id, 1000, 100)
    const administrator = await app.signedIn('admin')
    expect((await tusClient(administrator, await tokenOf(administrator)).head(id)).status).toBe(404)
    // A waiting request would have stopped the running PATCH, which still takes the rest.
    stalled.write(Buffer.alloc(900, 1))
    const [answer] = (await once(stalled, 'data')) as [Buffer]
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 204 [^]*upload-offset: 1000\r\n/i)
    stalled.destroy()
  })
})

describe('creation is refused', () => {
  test.each<[string, number, Record<string, string>, Record<string, string>, number, string]>([
    ['an empty file', 0, {}, {}, 400, 'invalid_input'],
    ['a file over 100 MB', maxUploadBytes + 1, {}, {}, 413, 'too_large'],
    ['an id that is not a UUID', 10, { jobId: 'again' }, {}, 400, 'invalid_input'],
    ['an id with a path', 10, { jobId: '../../app-secret' }, {}, 400, 'invalid_input'],
    ['a UUID of another version', 10, { jobId: randomUUID() }, {}, 400, 'invalid_input'],
    ['a malformed hash', 10, { sha256: 'abc' }, {}, 400, 'invalid_input'],
    ['a file name of 501 characters', 10, { filename: 'x'.repeat(501) }, {}, 400, 'invalid_input'],
    ['a title of 256 characters', 10, { title: 'x'.repeat(256) }, {}, 400, 'invalid_input'],
    [
      'all fields, one of them wrong',
      10,
      { title: 'A', speaker: 'B', date: '2026-13-01' },
      {},
      400,
      'invalid_input',
    ],
    ['no length', 10, {}, { 'upload-length': '' }, 400, 'invalid_input'],
    ['a deferred length', 10, {}, { 'upload-defer-length': '1' }, 501, 'invalid_input'],
    ['malformed metadata', 10, {}, { 'upload-metadata': 'a b c' }, 400, 'invalid_input'],
    ['another protocol version', 10, {}, { 'tus-resumable': '0.2.2' }, 400, 'invalid_input'],
    ['a concatenation', 10, {}, { 'upload-concat': 'partial' }, 501, 'invalid_input'],
  ])('refuses to create %s', async (_, length, metadata, headers, status, code) => {
    const answer = await tus.create(length, metadata, headers)
    expect(answer).toMatchObject({
      status,
      body: { success: false, code, error: expect.any(String) as string },
    })
    await expectNothingStored()
  })

  test('refuses an upload that another account queued', async () => {
    expect(await tus.create(10, { owner: '999999' })).toMatchObject({
      status: 401,
      body: { code: 'unauthorized' },
    })
    await expectNothingStored()
  })

  test('a request without protocol version is 412', async () => {
    const response = await person.fetch(`${app.url}/api/uploads`, {
      method: 'POST',
      headers: { 'x-csrf-token': token, 'upload-length': '10' },
    })
    expect([response.status, response.headers.get('tus-version')]).toEqual([412, '1.0.0'])
    await expectNothingStored()
  })

  test('a fourth open upload of one user is 429', async () => {
    const ids = [await begun(10), await begun(10), await begun(10)]
    expect(await tus.create(10)).toMatchObject({ status: 429, body: { code: 'too_many_uploads' } })
    const other = await app.signedIn()
    expect((await tusClient(other, await tokenOf(other)).create(10)).status).toBe(201)
    expect((await tus.remove(ids[0]!)).status).toBe(204)
    expect((await tus.create(10)).status).toBe(201)
  })

  test('accepts three of eight concurrent creations', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => tus.create(10)))
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([
      201, 201, 201, 429, 429, 429, 429, 429,
    ])
  })

  test('the uid of an existing teaching is 409', async () => {
    const id = jobId()
    await sql`insert into teachings (uid, title, speaker, date, year) values (${id}, 'A', 'B', '2026-01-01', 2026)`
    expect(await tus.create(10, { jobId: id })).toMatchObject({
      status: 409,
      body: { code: 'duplicate' },
    })
    await expectNothingStored()
  })

  test('an upload needs twice its size of free disk', async () => {
    const small = await testApp({}, (dataDir) => ({
      storage: { ...diskStorage(dataDir), freeBytes: () => Promise.resolve(1999) },
    }))
    const user = await small.signedIn()
    const client = tusClient(user, await tokenOf(user))
    expect(await client.create(1000)).toMatchObject({ status: 507, body: { code: 'disk_full' } })
    expect((await client.create(999)).status).toBe(201)
  })

  test('GET and other methods are 405', async () => {
    const id = await begun(10)
    await tus.patch(id, 0, bytes(10))
    for (const [method, address] of [
      ['GET', `/api/uploads/${id}`],
      ['GET', '/api/uploads'],
      ['PUT', `/api/uploads/${id}`],
      ['HEAD', '/api/uploads'],
      ['POST', `/api/uploads/${id}`],
    ] as const) {
      expect([method, (await tus.send(method, address)).status]).toEqual([method, 405])
    }
  })
})

describe('a request that does not match the upload', () => {
  test('an unknown upload or malformed id is 404', async () => {
    for (const id of [jobId(), 'x', '..%2f..%2fapp-secret', `${jobId()}.part`]) {
      expect((await tus.head(id)).status).toBe(404)
      expect((await tus.patch(id, 0, bytes(1))).status).toBe(404)
      expect((await tus.remove(id)).status).toBe(404)
    }
  })

  test('a second creation is 409 and keeps the bytes', async () => {
    const id = await begun(1000)
    await tus.patch(id, 0, bytes(600))
    expect(await tus.create(1000, { jobId: id })).toMatchObject({
      status: 409,
      body: { code: 'upload_exists' },
    })
    expect((await tus.head(id)).offset).toBe(600)
    const answers = await Promise.all(Array.from({ length: 5 }, () => tus.create(1000, { jobId: id })))
    expect(answers.map(({ status }) => status)).toEqual([409, 409, 409, 409, 409])
    expect((await tus.head(id)).offset).toBe(600)
  })

  test('five concurrent creations make one upload', async () => {
    const id = jobId()
    const answers = await Promise.all(Array.from({ length: 5 }, () => tus.create(1000, { jobId: id })))
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 409, 409, 409, 409])
    expect((await tus.patch(id, 0, bytes(1000))).status).toBe(204)
  })

  test('a wrong offset or content type writes nothing', async () => {
    const id = await begun(100)
    await tus.patch(id, 0, bytes(50))
    expect(await tus.patch(id, 0, bytes(50))).toMatchObject({ status: 409, body: { code: 'upload_offset' } })
    expect((await tus.patch(id, 60, bytes(10))).status).toBe(409)
    expect((await tus.patch(id, 50, bytes(50), { 'upload-offset': '' })).status).toBe(400)
    expect((await tus.patch(id, 50, bytes(50), { 'content-type': 'audio/mpeg' })).status).toBe(400)
    expect((await tus.head(id)).offset).toBe(50)
  })

  test('excess bytes are 413 or cut at the length', async () => {
    const id = await begun(100)
    const refused = await tus.patch(id, 0, bytes(101))
    expect(refused).toMatchObject({ status: 413, body: { code: 'too_large' } })
    expect(refused.body.message).toContain('more bytes than the upload was begun with')
    expect((await tus.head(id)).offset).toBe(0)
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(64)) })
    await tus.patch(id, 0, endless).catch(() => undefined)
    expect((await tus.head(id)).offset).toBeLessThanOrEqual(100)
  })

  test('a cancelled upload is 410 and cannot be recreated', async () => {
    const id = await begun(100)
    await tus.patch(id, 0, bytes(50))
    expect((await tus.remove(id)).status).toBe(204)
    expect((await tus.head(id)).status).toBe(410)
    expect((await tus.patch(id, 50, bytes(50))).status).toBe(410)
    expect(await tus.create(100, { jobId: id })).toMatchObject({ status: 410, body: { code: 'upload_gone' } })
    expect((await tus.remove(id)).status).toBe(204)
    expect(await readdir(path.join(app.dataDir, 'uploads'))).toEqual([])
  })

  test('a PATCH on a full disk is 507', async () => {
    const full = await testApp({}, (dataDir) => ({
      storage: diskStorage(dataDir, { openStaged: () => open('/dev/full', 'w') }),
    }))
    const user = await full.signedIn()
    const client = tusClient(user, await tokenOf(user))
    const id = jobId()
    await client.create(1000, { jobId: id })
    expect(await client.patch(id, 0, bytes(1000))).toMatchObject({ status: 507, body: { code: 'disk_full' } })
    expect((await client.head(id)).offset).toBe(0)
  })
})

describe('an upload', () => {
  test('OPTIONS lists version, extensions and maximum size', async () => {
    const { status, headers } = await tus.send('OPTIONS', '/api/uploads')
    expect(status).toBe(204)
    expect([headers.get('tus-version'), headers.get('tus-extension'), headers.get('tus-max-size')]).toEqual([
      '1.0.0',
      'creation,creation-with-upload,termination',
      String(maxUploadBytes),
    ])
  })

  test('HEAD returns offset, length and metadata', async () => {
    const id = jobId()
    const metadata = { jobId: id, filename: 'Hope “in” Christ.mp3' }
    const made = await tus.create(100, metadata)
    expect([made.status, made.headers.get('location')]).toEqual([201, `/api/uploads/${id}`])
    expect((await tus.patch(id, 0, bytes(40))).offset).toBe(40)
    const { status, headers, offset } = await tus.head(id)
    expect([status, offset, headers.get('upload-length'), headers.get('cache-control')]).toEqual([
      200,
      40,
      '100',
      'no-store',
    ])
    expect(headers.get('upload-metadata')).toBe(metadataHeader(metadata))
  })

  test('an upload without jobId gets an id', async () => {
    const made = await tus.send(
      'POST',
      '/api/uploads',
      { 'upload-length': '100', 'content-type': 'application/offset+octet-stream' },
      new Uint8Array(30),
    )
    expect([made.status, made.offset]).toEqual([201, 30])
    const id = made.headers.get('location')!.split('/').at(-1)!
    expect((await tus.patch(id, 30, bytes(70))).offset).toBe(100)
  })

  test('keeps bytes that arrived before the connection broke', async () => {
    const id = await begun(1_000_000)
    const socket = await stall(id, 1_000_000, 200_000)
    socket.destroy()
    await delay(100)
    expect((await tus.head(id)).offset).toBe(200_000)
    expect((await tus.patch(id, 200_000, bytes(800_000, 2))).offset).toBe(1_000_000)
  })

  test('a stalled PATCH gives its lock to a HEAD', async () => {
    const id = await begun(1_000_000)
    const stalled = await stall(id, 1_000_000, 100_000)
    const before = process.cpuUsage()
    expect((await tus.head(id)).offset).toBe(100_000)
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1000).toBeLessThan(400)
    stalled.destroy()
  })

  test('a slow but steady PATCH outlives the socket timeout', async () => {
    app.server.setTimeout(600)
    try {
      const id = await begun(20_000)
      const trickle = new ReadableStream({
        async pull(controller) {
          await delay(100)
          controller.enqueue(new Uint8Array(1_000))
          if ((sent += 1) === 20) controller.close()
        },
      })
      let sent = 0
      expect(await tus.patch(id, 0, trickle)).toMatchObject({ status: 204, offset: 20_000 })
    } finally {
      app.server.setTimeout(120_000)
    }
  })

  test('an upload survives the cleanup at start', async () => {
    const id = await begun(100)
    await tus.patch(id, 0, bytes(60))
    await storage.clearLeftovers({
      isAlive: () => Promise.resolve(false),
      removeUnreferenced: (_kind, _name, remove) => remove(),
    })
    expect((await tus.head(id)).offset).toBe(60)
  })
})

/** Sends a part of a PATCH, then stalls with the connection open. */
async function stall(id: string, total: number, sent: number): Promise<net.Socket> {
  const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const { hostname, port } = new URL(app.url)
  const socket = net.connect(Number(port), hostname)
  socket.on('error', () => undefined)
  socket.write(
    `PATCH /api/uploads/${id} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nCookie: ${cookie}\r\nX-CSRF-Token: ${token}\r\n` +
      `Tus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\nContent-Type: application/offset+octet-stream\r\nContent-Length: ${total}\r\n\r\n`,
  )
  socket.write(Buffer.alloc(sent, 1))
  for (let tries = 0; tries < 1_000 && (await storage.partial.size(id)) < sent; tries++) await delay(20)
  return socket
}
