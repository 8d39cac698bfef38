import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { call } from '@fellowship/sync/call/call'
import { testApp } from '../../testing/test-app.ts'

const named = await testApp({ PUBLIC_URL: 'https://teaching.example.org', REGISTRATION: 'open' })
const plain = await testApp()

/** Sends a request with these header lines over a connection of its own; gives its status and the answer. */
async function ask(app: typeof plain, lines: string[], path = '/api/auth/user', method = 'GET') {
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
  // Not `end`: Node answers no request whose client has closed its half meanwhile.
  socket.write([`${method} ${path} HTTP/1.1`, ...lines, 'Connection: close', '', ''].join('\r\n'))
  const answer = await text(socket)
  return { status: Number(answer.split(' ')[1]), answer }
}

describe('a site with PUBLIC_URL', () => {
  test.each([
    'evil.example',
    'teaching.example.org.evil.example',
    'teaching.example.org:8080',
    '192.0.2.1',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
  ])('refuses the Host %s with 421 and its own address', async (host) => {
    for (const path of ['/', '/feed.xml', '/api/auth/user', '/audio/x.mp3', '/assets/x.js']) {
      const { status, answer } = await ask(named, [`Host: ${host}`], path)
      expect([path, status]).toEqual([path, 421])
      expect(answer).toContain('https://teaching.example.org')
      expect(answer.toLowerCase()).toContain('strict-transport-security')
    }
  })

  test.each([
    ['www.teaching.example.org', '/about?a=1', '/about?a=1'],
    ['WWW.teaching.example.org:443', '/About', '/about'],
    ['teaching.example.org.', '/', '/'],
    ['www.teaching.example.org', '//evil.example/', '//evil.example/'],
    ['www.teaching.example.org', 'http://evil.example/', '/'],
  ])('leads the Host %s and %s on in one step', async (host, path, to) => {
    const { status, answer } = await ask(named, [`Host: ${host}`], path)
    expect(status).toBe(301)
    expect(answer).toContain(`location: https://teaching.example.org${to}\r\n`)
  })

  test('refuses a change by another spelling of its name', async () => {
    const lines = ['Host: www.teaching.example.org', 'Content-Length: 0']
    expect((await ask(named, lines, '/api/auth/logout', 'POST')).status).toBe(421)
  })

  test.each([
    ['evil.example', '/', 421],
    ['localhost', '/api/none', 404],
    ['localhost', '/api/sftp/credentials', 401],
    ['localhost', '/audio/none.mp3', 404],
  ])('a browser at %s%s gets a page with %i', async (host, path, wanted) => {
    const { status, answer } = await ask(named, [`Host: ${host}`, 'Accept: text/html,*/*;q=0.8'], path)
    expect(status).toBe(wanted)
    expect(answer).toMatch(/content-type: text\/html/i)
    expect(answer).toMatch(/<h1>[A-Z][^<]+\.?[^<]*<\/h1>/)
    expect(answer).not.toContain('{"')
  })

  test.each([
    'teaching.example.org',
    'teaching.example.org:443',
    'TEACHING.example.org',
    'localhost',
    'localhost:3000',
    '127.0.0.1:3000',
    '[::1]:3000',
  ])('accepts the Host %s', async (host) => expect((await ask(named, [`Host: ${host}`])).status).toBe(200))

  test('answers health checks for any Host', async () => {
    expect((await ask(named, ['Host: 10.0.0.7'], '/api/health/live')).status).toBe(200)
  })

  test('refuses a foreign Origin, even with a matching Host', async () => {
    const change = (lines: string[]) =>
      ask(named, [...lines, 'Content-Length: 0'], '/api/auth/logout', 'POST')
    expect((await change(['Host: evil.example', 'Origin: https://evil.example'])).status).toBe(421)
    expect((await change(['Host: teaching.example.org', 'Origin: https://evil.example'])).status).toBe(403)
    expect(
      (await change(['Host: teaching.example.org', 'Origin: https://teaching.example.org'])).status,
    ).toBe(200)
  })
})

test.each([named, plain])('refuses two Host headers with 400', async (app) => {
  const { status } = await ask(app, ['Host: localhost', 'Host: evil.example'])
  expect(status).toBe(400)
})

test('accepts any Host without PUBLIC_URL', async () => {
  expect((await ask(plain, ['Host: church.example'])).status).toBe(200)
})

test.each([
  ['Winner! Collect at http://evil.example', 'Name must not hold a web address.'],
  ['Collect at www.evil.example', 'Name must not hold a web address.'],
  ['evil.com', 'Name must not hold a web address.'],
  ['Ruth\u202Egnp.exe', 'Name must not hold control characters. Type it again.'],
  ['\u2066Ruth\u2069', 'Name must not hold control characters. Type it again.'],
])('registration refuses the name %j', async (name, sentence) => {
  const body = { email: 'a@example.org', password: 'Correct-horse-9', name }
  await expect(call(auth.register, { body }, named.client())).rejects.toMatchObject({ status: 400, sentence })
  named.clock.advance(60 * 60_000)
})

test.each(['St. John Smith', 'J.R. Smith', 'Māia O’Neil-Tūhoe', 'Dr. Co. Smith', 'مريم'])(
  'registration accepts the name %j',
  async (name) => {
    const body = { email: `${named.clock.now().getTime()}@example.org`, password: 'Correct-horse-9', name }
    expect((await call(auth.register, { body }, named.client())).user.name).toBe(name)
    named.clock.advance(60 * 60_000)
  },
)
