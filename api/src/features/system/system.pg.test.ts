import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { connect, guardLostConnections } from '../../db/connection.ts'
import { createDatabase, migrate } from '../../db/database.ts'
import { startEmbedded } from '../../db/embedded.ts'
import { testApp } from '../../testing/test-app.ts'
import { columnsOf, insertTeaching } from '../teachings/teachings.ts'

const page = `<!doctype html><title>Home</title>${'<p>Welcome.</p>'.repeat(100)}`

const app = await testApp({ PUBLIC_URL: 'https://teaching.example.org' }, (dataDir) => {
  mkdirSync(path.join(dataDir, 'web/assets'), { recursive: true })
  writeFileSync(path.join(dataDir, 'web/index.html'), page)
  writeFileSync(path.join(dataDir, 'web/index.html.gz'), gzipSync(page))
  writeFileSync(path.join(dataDir, 'web/assets/index-Ab12.js'), 'console.log(1)')
  return {}
})
const leaving = await testApp()

/** An app with its own PostgreSQL, which a test can stop without affecting the others. */
const pgFolder = await mkdtemp(path.join(tmpdir(), 'system-test-'))
await chmod(pgFolder, 0o755)
const server = await startEmbedded({ dataDir: pgFolder })
await createDatabase({ socketFolder: server.socketFolder, database: 'away' })
const sql = connect({ socketFolder: server.socketFolder, database: 'away' }, { max: 2 })
await migrate(sql)
const away = await testApp({}, () => ({ sql }))
const endGuard = guardLostConnections(() => undefined)
afterAll(async () => {
  await sql.end({ timeout: 1 })
  await server.stop()
  await rm(pgFolder, { recursive: true, force: true })
  endGuard()
})

const get = (address: string, init?: RequestInit) => fetch(app.url + address, { redirect: 'manual', ...init })

describe('unknown addresses', () => {
  test.each([
    ['GET', '/api/nothing'],
    ['POST', '/'],
  ])('%s %s returns a page to a browser that navigates', async (method, address) => {
    const response = await get(address, { method, headers: { accept: 'text/html' } })
    expect(response.status).toBe(404)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('content-security-policy')).toMatch(/style-src 'self' 'sha256-/)
    expect(await response.text()).toContain('<h1>There is nothing at this address.</h1>')
  })

  test.each([
    ['GET', '/api/nothing', {}],
    ['GET', '/api/', {}],
    ['GET', '/api/teachings/', {}],
    ['POST', '/api/nothing', {}],
    ['GET', '/elsewhere', { accept: 'application/json' }],
    ['GET', '/assets/gone-Zz99.js', { accept: '*/*' }],
    ['POST', '/about', {}],
  ])('%s %s %j returns 404 in the failure shape', async (method, address, headers) => {
    const response = await get(address, { method, headers: headers as Record<string, string> })
    expect(response.status).toBe(404)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-store')
    const sentence = 'There is nothing at this address.'
    expect(await response.json()).toEqual({
      success: false,
      error: sentence,
      message: sentence,
      code: 'not_found',
    })
  })

  test.each([
    ['DELETE', '/api/teachings', 'GET, HEAD'],
    ['PATCH', '/api/teachings', 'GET, HEAD'],
    ['POST', '/api/openapi.json', 'GET, HEAD'],
    ['POST', '/api/teachings/7', 'PUT, DELETE'],
    ['GET', '/api/auth/logout', 'POST'],
    ['PUT', '/api/elders', 'GET, HEAD, POST'],
  ])('%s %s returns 405 with Allow', async (method, address, allowed) => {
    const response = await get(address, { method })
    expect([response.status, response.headers.get('allow')]).toEqual([405, allowed])
    expect(await response.json()).toMatchObject({ success: false, code: 'method_not_allowed' })
  })

  test('a recording accepts GET and HEAD only', async () => {
    const response = await get(`/audio/${'a'.repeat(64)}.mp3`, { method: 'DELETE' })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect(await response.json()).toMatchObject({ code: 'method_not_allowed' })
  })

  test('sends a browser the 404 page for an unknown page', async () => {
    const response = await get('/elsewhere', { headers: { accept: 'text/html,*/*;q=0.8' } })
    const text = await response.text()
    expect(response.status).toBe(404)
    expect(text).toContain('404 Page Not Found')
    expect(text).toContain('<meta name="robots" content="noindex"')
    // The page is the client's, with its own head.
    expect(text.endsWith(page.slice(-500))).toBe(true)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  })
})

describe('security headers', () => {
  const recording = Buffer.from('bytes that stand for a recording')
  const sha256 = createHash('sha256').update(recording).digest('hex')

  test.each([
    ['a page', '/', 200, {}],
    ['a page, compressed', '/', 200, { 'accept-encoding': 'gzip' }],
    ['the 404 page', '/elsewhere', 404, { accept: 'text/html' }],
    ['an asset', '/assets/index-Ab12.js', 200, {}],
    ['an answer', '/api/health/live', 200, {}],
    ['a list', '/api/teachings', 200, {}],
    ['a redirect', '/api/login', 302, {}],
    ['a refusal', '/api/teachings/search', 400, {}],
    ['a failure', '/api/nothing', 404, {}],
  ])('%s (%s, %i) has the security headers', async (_, address, status, headers) => {
    const response = await get(address, { headers: headers as Record<string, string> })
    expect(response.status).toBe(status)
    await response.body?.cancel()
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'strict-origin-when-cross-origin',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'strict-transport-security': 'max-age=31536000',
    })
    const policy = response.headers.get('content-security-policy')!
    expect(policy).toContain("default-src 'self'")
    expect(policy).toContain("object-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("require-trusted-types-for 'script'")
    for (const kind of ['script-src ', 'style-src '])
      expect(policy.split('; ').find((part) => part.startsWith(kind))).toMatch(/^(?!.*unsafe)/)
  })

  test('a 304 has the security headers', async () => {
    const { headers } = await get('/')
    const unchanged = await get('/', { headers: { 'if-none-match': headers.get('etag')! } })
    expect(unchanged.status).toBe(304)
    expect(unchanged.headers.get('content-security-policy')).toBe(headers.get('content-security-policy'))
  })

  test('a recording allows other sites and forbids sniffing', async () => {
    const { changes } = app.context
    await writeFile(path.join(app.dataDir, 'audio', `${sha256}.mp3`), recording)
    await app.context.sql.begin((tx) =>
      insertTeaching(tx, {
        ...columnsOf({ title: 'Hope', speaker: 'John Smith', date: '2026-11-15', scriptureReference: '' }),
        audioUrl: `/audio/${sha256}.mp3`,
        audioSha256: sha256,
        audioBytes: recording.length,
        audioMime: 'audio/mpeg',
        audioCrc32: 0,
        duration: null,
      }),
    )
    changes.announce()
    for (const method of ['GET', 'HEAD']) {
      const response = await get(`/audio/${sha256}.mp3`, { method })
      expect(response.status).toBe(200)
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'audio/mpeg',
        'content-length': String(recording.length),
        'x-content-type-options': 'nosniff',
        'strict-transport-security': 'max-age=31536000',
        'cross-origin-resource-policy': 'cross-origin',
        'access-control-allow-origin': '*',
      })
      expect(Buffer.from(await response.arrayBuffer())).toEqual(
        method === 'GET' ? recording : Buffer.alloc(0),
      )
    }
  })

  test('a missing recording returns JSON with nosniff', async () => {
    const response = await get(`/audio/${'b'.repeat(64)}.mp3`)
    expect(response.status).toBe(404)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(await response.json()).toMatchObject({ code: 'not_found' })
  })
})

describe('compression of the list', () => {
  test.each([
    ['br, gzip', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['gzip;q=0, br;q=0', null],
    ['identity', null],
  ])('Accept-Encoding %s gives %s', async (accepted, coding) => {
    const response = await get('/api/teachings', { headers: { 'accept-encoding': accepted } })
    expect(response.headers.get('content-encoding')).toBe(coding)
    expect(response.headers.get('vary')).toContain('accept-encoding')
    expect(Array.isArray(await response.json())).toBe(true)
    const etag = response.headers.get('etag')!
    const again = (encoding: string) =>
      get('/api/teachings', { headers: { 'accept-encoding': encoding, 'if-none-match': etag } })
    expect((await again(accepted)).status).toBe(304)
    expect((await again(coding === 'br' ? 'gzip' : 'br')).status).toBe(200)
  })
})

test('live returns 200 while the process answers', async () => {
  const response = await get('/api/health/live')
  expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }])
  expect(response.headers.get('cache-control')).toBe('no-store')
})

describe('ready', () => {
  test('ready returns 200 with a migrated database', async () => {
    const response = await get('/api/health/ready')
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }])
  })

  test('ready returns an uncached 503 while draining', async () => {
    leaving.context.lifecycle.drain()
    const response = await fetch(`${leaving.url}/api/health/ready`)
    expect([response.status, await response.json()]).toEqual([503, { status: 'draining' }])
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect((await fetch(`${leaving.url}/api/health/live`)).status).toBe(200)
  })

  test('ready returns 503 while the database refuses connections', async () => {
    const admin = connect({ socketFolder: server.socketFolder, database: 'postgres' }, { max: 1 })
    await admin`alter database away allow_connections false`
    await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = 'away'`
    await expect.poll(() => ready(away), { timeout: 10_000 }).toEqual([503, { status: 'unavailable' }])
    await admin`alter database away allow_connections true`
    await expect.poll(() => ready(away), { timeout: 10_000 }).toEqual([200, { status: 'ok' }])
    await admin.end()
  })

  test('ready and lists return 503 without PostgreSQL', async () => {
    await server.stop()
    expect(await ready(away)).toEqual([503, { status: 'unavailable' }])
    const list = await fetch(`${away.url}/api/teachings`)
    expect([list.status, list.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await list.json()).toMatchObject({ success: false, code: 'unavailable' })
    expect((await fetch(`${away.url}/api/health/live`)).status).toBe(200)
  })

  async function ready({ url }: { url: string }): Promise<[number, unknown]> {
    const response = await fetch(`${url}/api/health/ready`)
    return [response.status, await response.json()]
  }
})
