import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { fixture } from '../../testing/multipart.ts'
import { rawRequest } from '../../testing/raw-request.ts'
import { exampleNginx, isNginxMissing } from '../../testing/stock-nginx.ts'
import { testApp } from '../../testing/test-app.ts'

const publicly = { PUBLIC_URL: 'https://teaching.example.org' }
const app = await testApp(publicly)
const mp3 = await fixture('cbr.mp3')

/** A teaching with its recording. */
async function uploaded(to = app) {
  const files = { audioFile: new File([new Uint8Array(mp3)], '2026-11-22_John-Smith"Hope".mp3') }
  return (await call(uploads.smartUpload, { files }, await to.signedIn())).teaching
}

const expected = [
  'content-security-policy',
  'x-content-type-options',
  'x-frame-options',
  'referrer-policy',
  'cross-origin-resource-policy',
  'strict-transport-security',
]

/** The missing headers of each answer. */
const missingIn = (answers: Record<string, Response>) =>
  Object.entries(answers).flatMap(([what, { headers }]) =>
    expected.filter((header) => !headers.has(header)).map((header) => `${what}: ${header}`),
  )

/** Sends bytes that are no request, and returns Node's own answer. */
async function nodesAnswer(bytes: string, fail?: (accepted: Socket) => void): Promise<Response> {
  const accepted = once(app.server, 'connection') as Promise<[Socket]>
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  const [serverSide] = await accepted
  socket.write(bytes)
  fail?.(serverSide)
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
  const [line = '', ...lines] = head.split('\r\n')
  const headers = lines.map((each) => each.split(': ', 2) as [string, string])
  return new Response(body, { status: Number(line.split(' ')[1]), headers })
}

const asResponse = ({ headers }: { headers: IncomingHttpHeaders }) =>
  new Response(null, { headers: Object.entries(headers) as [string, string][] })

const timedOut = (socket: Socket) =>
  app.server.emit(
    'clientError',
    Object.assign(new Error('timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }),
    socket,
  )

test.each([
  [400, 'nonsense\r\n\r\n', undefined],
  [400, 'GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n', undefined],
  [400, 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', undefined],
  [431, `GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, undefined],
  [408, 'GET / HTTP/1.1\r\n', timedOut],
] as const)('the %i that Node itself answers has them too', async (status, bytes, fail) => {
  const answer = await nodesAnswer(bytes, fail)
  expect(answer.status).toBe(status)
  expect(missingIn({ answer })).toEqual([])
  expect(answer.headers.get('connection')).toBe('close')
})

test('ignores the Expect header', async () => {
  const asked = 'GET /api/health/live HTTP/1.1\r\nHost: localhost\r\nExpect: tea\r\nConnection: close\r\n\r\n'
  const answer = await nodesAnswer(asked)
  expect([answer.status, missingIn({ answer })]).toEqual([200, []])
})

test('invalid bytes after a request end only its answer', async () => {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('GET /api/sync/events HTTP/1.1\r\nHost: localhost\r\n\r\n')
  let answer = String((await once(socket, 'data'))[0])
  socket.on('data', (part) => (answer += String(part))).on('error', () => undefined)
  socket.write('nonsense\r\n\r\n')
  await once(socket, 'close')
  expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200'])
})

test.skipIf(isNginxMissing())('a recording sent by nginx has the security headers', async () => {
  const behind = await testApp({ ...publicly, AUDIO_ACCEL: '/recordings/', TRUST_PROXY: '1' })
  const { audioUrl } = await uploaded(behind)
  const site = await exampleNginx([behind.url], { recordings: path.join(behind.dataDir, 'audio') })
  const headers = { host: new URL(publicly.PUBLIC_URL).host }
  const whole = await rawRequest(site + audioUrl, headers)
  const part = await rawRequest(site + audioUrl, { ...headers, range: 'bytes=0-1' })
  expect([whole.status, whole.body.length, part.status]).toEqual([200, mp3.length, 206])
  const answers = { whole: asResponse(whole), part: asResponse(part) }
  expect(missingIn(answers)).toEqual([])
})

test('every kind of answer has the same security headers', async () => {
  const teaching = await uploaded()
  const answers: Record<string, Response> = {}
  const ask = async (what: string, path: string, init: RequestInit = {}) =>
    (answers[what] = await fetch(app.url + path, { redirect: 'manual', ...init }))
  const audio = teaching.audioUrl!
  await ask('a call', '/api/auth/user')
  await ask('a refused call', '/api/admin/users')
  await ask('an unknown call', '/api/nothing')
  await ask('a wrong method', '/feed.xml', { method: 'POST' })
  await ask('the list', '/api/teachings')
  await ask('the feed', '/feed.xml')
  await ask('the sitemap', '/sitemap.xml')
  await ask('robots.txt', '/robots.txt')
  await ask('a recording', audio)
  await ask('a part of a recording', audio, { headers: { range: 'bytes=0-1' } })
  await ask('a part beyond its end', audio, { headers: { range: 'bytes=999999999-' } })
  await ask('an unchanged recording', audio, {
    headers: { 'if-none-match': answers['a recording']!.headers.get('etag')! },
  })
  await ask('a missing recording', `/audio/${'0'.repeat(64)}.mp3`)
  await ask('a missing picture', '/images/nothing.webp')
  await ask('an event stream', '/api/sync/events', { method: 'HEAD' })
  await ask('the API description', '/api/openapi.json')
  await ask('the list of series', '/api/series')
  await ask('the metrics', '/metrics')
  const administrator = await app.signedIn('admin')
  const cookie = [...administrator.cookies].map(([key, value]) => `${key}=${value}`).join('; ')
  const download = '/api/backup/create-manual'
  await ask('a backup', download, { headers: { cookie } })
  await answers['a backup']!.arrayBuffer()
  expect(answers['a backup']!.status).toBe(200)
  await ask('a backup that there is not', `${download}?id=${randomUUID()}`, { headers: { cookie } })
  const tag = answers['a backup']!.headers.get('etag')!
  const beyond = { cookie, 'if-range': tag, range: 'bytes=999999999-' }
  await ask('a part beyond the end of a backup', download, { headers: beyond })
  expect(answers['a part beyond the end of a backup']!.status).toBe(416)
  expect(missingIn(answers)).toEqual([])
  const policy = answers['a call']!.headers.get('content-security-policy')!
  expect(policy).toContain("require-trusted-types-for 'script'")
  expect(policy).not.toMatch(/unsafe-inline|unsafe-eval/)
})
