import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { writeRate } from '@fellowship/schema/auth/auth.limits'
import { contract } from '@fellowship/schema/contract'
import type { AnyEndpoint } from '@fellowship/schema/endpoint'
import { users } from '@fellowship/schema/users/users.contract'
import { call } from '@fellowship/sync/call/call'
import { testApp, type TestClient } from '../../testing/test-app.ts'

/** Every declared call, so that new ones are tested against the same rules. */
const calls = Object.entries(contract).flatMap(([feature, group]) =>
  Object.entries<AnyEndpoint>(group).map(([name, call]) => ({ name: `${feature}.${name}`, call })),
)
const changing = calls.filter(({ call }) => call.method !== 'GET')
/** Also those that are opened by an address. */
const guarded = calls.filter(({ call }) => call.changes || call.method !== 'GET')
/** Sign-in and registration need no token, and end the current session. */
const withoutToken = ['auth.login', 'auth.register']

/** An unknown id: if a request passes the checks, it changes nothing. */
const nobody = '2147483647'

const app = await testApp()
const visitor = app.client()
const user = await app.signedIn('user')
const administrator = await app.signedIn('admin')

test('every declared call is mounted', async () => {
  const answers = await outcomes(calls, visitor)
  expect(
    Object.entries(answers).filter(([, answer]) => answer === '404 There is nothing at this address.'),
  ).toEqual([])
})

test('visitors reach only public calls', async () => {
  const closed = calls.filter(({ call }) => call.access !== 'everyone')
  expect(closed.length).toBeGreaterThan(0)
  expect(await outcomes(closed, visitor)).toEqual(all(closed, '401 unauthorized'))
})

test('an unknown session counts as none', async () => {
  const closed = calls.filter(({ call }) => call.access !== 'everyone')
  expect(await outcomes(closed, app.client({ cookie: `sid=${'a'.repeat(40)}` }))).toEqual(
    all(closed, '401 unauthorized'),
  )
})

test('a user is refused only administrators’ calls', async () => {
  const answers = await outcomes(calls, user)
  const refused = calls.filter(({ name }) => answers[name] === '403 forbidden').map(({ name }) => name)
  expect(refused).toEqual(calls.filter(({ call }) => call.access === 'admin').map(({ name }) => name))
  expect(Object.values(answers)).not.toContain('401 unauthorized')
})

test('an administrator reaches every call, without a 500', async () => {
  const answers = await outcomes(calls, administrator)
  const wrong = Object.entries(answers).filter(([, answer]) => /^(?:401 unauth|403 forb|500)/.test(answer))
  expect(wrong).toEqual([])
})

test('HEAD has the same access rules as GET', async () => {
  const read = calls.filter(({ call }) => call.method === 'GET' && call.access !== 'everyone')
  for (const {
    name,
    call: { access, path: address },
  } of read) {
    const expected = access === 'admin' ? [401, 403] : [401, 200]
    const ask = async (caller: TestClient) =>
      (
        await caller.fetch(app.url + address.replace(':which', 'hero').replaceAll(/:\w+/g, nobody), {
          method: 'HEAD',
        })
      ).status
    expect([name, await ask(visitor), await ask(user)]).toEqual([name, ...expected])
  }
})

test.each([{ isActive: false }, { role: 'user' as const }, { password: 'Another-horse-9' }])(
  'an administrator changed to %j loses access at once',
  async (change) => {
    const leaver = await app.signedIn('admin')
    const headers = { 'x-csrf-token': await tokenOf(leaver) }
    const { id } = (await call(users.list, {}, leaver)).find(({ email }) => email === leaver.email)!
    await call(users.update, { params: { id }, body: change }, administrator)
    const closed = calls.filter(({ call: { access } }) => access !== 'everyone')
    expect(await outcomes(closed, leaver, { headers })).toEqual(all(closed, '401 unauthorized'))
    await call(users.remove, { params: { id } }, administrator)
  },
)

test.each([
  ['no token', undefined],
  ['an empty token', ''],
  ['a token of another session', 'x'.repeat(32)],
])('refuses a change with %s', async (_, token) => {
  const withToken = changing.filter(({ name }) => !withoutToken.includes(name))
  expect(withToken.length).toBeGreaterThan(0)
  const headers: Record<string, string> = token === undefined ? {} : { 'x-csrf-token': token }
  expect(await outcomes(withToken, administrator, { headers })).toEqual(all(withToken, '403 csrf'))
})

test('refuses a form with a wrong token, deleting its file', async () => {
  const forms = changing.filter(({ call }) => call.encoding === 'multipart')
  expect(forms.length).toBeGreaterThan(0)
  for (const _csrf of ['', 'x'.repeat(32)]) {
    expect(await outcomes(forms, administrator, { fields: { _csrf } })).toEqual(all(forms, '403 csrf'))
  }
  for (const folder of ['staging', 'audio', 'images']) {
    expect([folder, await readdir(path.join(app.dataDir, folder))]).toEqual([folder, []])
  }
})

test.each<[string, Record<string, string>]>([
  ['another origin', { origin: 'https://evil.example' }],
  ['an opaque origin', { origin: 'null' }],
  ['another port of this machine', { origin: 'http://127.0.0.1:1' }],
  ['a browser that says cross-site', { 'sec-fetch-site': 'cross-site' }],
  ['a sibling domain', { 'sec-fetch-site': 'same-site' }],
  ['a page elsewhere', { referer: 'https://evil.example/page' }],
])('refuses a change from %s despite the right token', async (_, headers) => {
  const token = await tokenOf(administrator)
  for (const caller of [visitor, administrator]) {
    expect(await outcomes(guarded, caller, { headers: { ...headers, 'x-csrf-token': token } })).toEqual(
      all(guarded, '403 cross_site'),
    )
  }
})

test.each<[string, Record<string, string>]>([
  ['a typed address', { 'sec-fetch-site': 'none' }],
  ['a link of this site', { 'sec-fetch-site': 'same-origin', referer: `${app.url}/admin` }],
  ['an older browser', { referer: `${app.url}/admin` }],
  ['another client', {}],
])('opens calls that change something by %s', async (_, headers) => {
  const opened = guarded.filter(({ call }) => call.method === 'GET')
  expect(opened.map(({ name }) => name)).toEqual(['sftp.credentials', 'backup.createManual'])
  expect(await outcomes(opened, administrator, { headers })).toEqual(all(opened, '200'))
})

test('an account writes at most so often in ten minutes', async () => {
  const busy = await app.signedIn('user')
  const headers = { 'x-csrf-token': await tokenOf(busy) }
  const write = () =>
    busy.fetch(`${app.url}/api/teachings/${nobody}`, { method: 'DELETE', headers, body: '{}' })
  const { user: self } = await call(auth.currentUser, {}, busy)
  for (let count = 0; count < writeRate.attempts; count += 1) await app.context.writes.take(String(self!.id))
  app.clock.advance(60_000)
  const refused = await write()
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '540'])
  expect((await busy.fetch(`${app.url}/api/sermons/sounds`)).status).toBe(200)
  app.clock.advance(540_000)
  expect((await write()).status).not.toBe(429)
  await call(users.remove, { params: { id: self!.id } }, administrator)
})

/** tus is another protocol than the contract's JSON, with the same checks. */
test('resumable uploads need a session, the same site and the token', async () => {
  const token = await tokenOf(administrator)
  for (const [method, address] of [
    ['POST', '/api/uploads'],
    ['PATCH', '/api/uploads/1'],
    ['DELETE', '/api/uploads/1'],
  ] as const) {
    const ask = async (caller: TestClient, headers: Record<string, string> = {}) => {
      const response = await caller.fetch(app.url + address, {
        method,
        headers: { 'tus-resumable': '1.0.0', ...headers },
      })
      return `${response.status} ${((await response.json()) as { code: string }).code}`
    }
    expect(await ask(visitor)).toBe('401 unauthorized')
    expect(await ask(administrator)).toBe('403 csrf')
    expect(await ask(administrator, { 'x-csrf-token': 'x'.repeat(32) })).toBe('403 csrf')
    const strange = { origin: 'https://evil.example', 'x-csrf-token': token }
    expect(await ask(administrator, strange)).toBe('403 cross_site')
    expect(await ask(visitor, strange)).toBe('403 cross_site')
  }
  expect(await readdir(path.join(app.dataDir, 'uploads'))).toEqual([])
})

test('refused calls end no session and change nothing', async () => {
  for (const person of [user, administrator]) {
    const response = await person.fetch(`${app.url}/api/auth/user`)
    expect(await response.json()).toMatchObject({ user: { email: person.email } })
  }
  expect(await app.context.sql`select count(*)::int as count from users`).toEqual([{ count: 2 }])
})

interface Extra {
  headers?: Record<string, string>
  fields?: Record<string, string>
}

/** The answer of each call: status and code, or the sentence if the address is unknown. */
async function outcomes(
  asked: typeof calls,
  caller: TestClient,
  extra: Extra = {},
): Promise<Record<string, string>> {
  const answers: Record<string, string> = {}
  for (const { name, call } of asked) answers[name] = await outcome(call, caller, extra)
  return answers
}

async function outcome(call: AnyEndpoint, caller: TestClient, extra: Extra): Promise<string> {
  const address = app.url + call.path.replace(':which', 'hero').replaceAll(/:\w+/g, nobody)
  const ended = new AbortController()
  const response = await caller.fetch(address, { ...request(call, extra), signal: ended.signal })
  if (response.status < 400) {
    // Some answers are endless streams: events, a backup.
    ended.abort()
    return String(response.status)
  }
  const { code, message } = (await response.json()) as { code: string; message: string }
  return `${response.status} ${message === 'There is nothing at this address.' ? message : code}`
}

/** A well-formed request without content: past the access checks it is refused as invalid. */
function request(
  { method, encoding, files }: AnyEndpoint,
  { headers = {}, fields = {} }: Extra,
): RequestInit {
  if (encoding === 'none') return { method, headers }
  if (encoding === 'json') {
    return { method, headers: { 'content-type': 'application/json', ...headers }, body: '{}' }
  }
  const body = new FormData()
  for (const [name, value] of Object.entries(fields)) body.append(name, value)
  for (const name of files) body.append(name, new Blob([Buffer.alloc(200_000, 1)]), 'file.bin')
  return { method, headers, body }
}

const all = (asked: typeof calls, answer: string) =>
  Object.fromEntries(asked.map(({ name }) => [name, answer]))

async function tokenOf(caller: TestClient): Promise<string> {
  const response = await caller.fetch(`${app.url}/api/csrf-token`)
  return ((await response.json()) as { csrfToken: string }).csrfToken
}
