import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { authTexts } from '@fellowship/schema/auth/auth.texts'
import { call } from '@fellowship/sync/call/call'
import { countedSql } from '../../testing/test-db.ts'
import { refusal } from '../../testing/test-client.ts'
import { testApp } from '../../testing/test-app.ts'
import { signIn as signInTo } from './auth.ts'

const app = await testApp()
const open = await testApp({ REGISTRATION: 'open', PUBLIC_URL: 'https://teaching.example.org' })
const busy = await testApp({ REGISTRATION: 'open', TRUST_PROXY: '1' })
const { sql } = app.context

beforeEach(async () => {
  await sql`delete from users`
  await sql`delete from sessions`
  await sql`delete from unknown_sign_ins`
  // Resets the rate limits by address.
  app.clock.advance(60 * 60_000)
})

const password = 'Correct-horse-9'
const account = async (email = 'ruth@example.org') => {
  const hash = await app.context.passwords.hash(password)
  await sql`insert into users (email, password, name) values (${email}, ${hash}, 'Ruth')`
  return email
}

const signIn = (email: string, word = password, client = app.client()) =>
  call(auth.login, { body: { email, password: word } }, client)

const otherSites: Record<string, string>[] = [
  { origin: 'https://evil.example' },
  { 'sec-fetch-site': 'cross-site' },
  { origin: 'null' },
]

const refused = async (attempt: Promise<unknown>) => {
  const { status, code, sentence } = await refusal(attempt)
  return { status, code, sentence }
}

describe('sign-in is refused', () => {
  test('sign-in names a missing field in the common failure shape', async () => {
    const response = await post('/api/auth/login', '{}')
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      success: false,
      code: 'invalid_input',
      error: 'email: Required',
      message: 'email: Required',
    })
  })

  test('sign-in refuses a body that is not JSON or too long', async () => {
    expect(await (await post('/api/auth/login', '{')).json()).toMatchObject({ code: 'malformed_json' })
    expect((await post('/api/auth/login', 'a=b', { 'content-type': 'text/plain' })).status).toBe(415)
    expect((await post('/api/auth/login', `"${'x'.repeat(70_000)}"`)).status).toBe(413)
  })

  test('wrong password and unknown account get the same answer', async () => {
    const email = await account()
    const wrong = await refused(signIn(email, 'wrong'))
    expect(wrong).toEqual({
      status: 401,
      code: 'invalid_credentials',
      sentence: 'Email or password is incorrect.',
    })
    expect(await refused(signIn('nobody@example.org', 'wrong'))).toEqual(wrong)
  })

  test('sign-in refuses a request from another site', async () => {
    const email = await account()
    for (const headers of otherSites) {
      expect(await refused(signIn(email, password, app.client(headers)))).toMatchObject({
        status: 403,
        code: 'cross_site',
      })
    }
  })

  test('only the right password reveals a deactivated account', async () => {
    const email = await account()
    await sql`update users set is_active = false`
    expect(await refused(signIn(email, 'wrong'))).toMatchObject({ code: 'invalid_credentials' })
    expect(await refused(signIn(email))).toMatchObject({ status: 403, code: 'account_inactive' })
  })
})

describe('lockout', () => {
  test.each(['ruth@example.org', 'nobody@example.org'])(
    'five wrong passwords lock %s for 15 minutes',
    async (email) => {
      await account('ruth@example.org')
      for (let tries = 1; tries <= 4; tries += 1) {
        expect(await refused(signIn(email, 'wrong'))).toMatchObject({ code: 'invalid_credentials' })
      }
      const fifth = { status: 423, code: 'account_locked', sentence: authTexts.locked(15) }
      expect(await refused(signIn(email, 'wrong'))).toEqual(fifth)
      app.clock.advance(10 * 60_000)
      expect(await refused(signIn(email))).toEqual({ ...fifth, sentence: authTexts.locked(5) })
      app.clock.advance(5 * 60_000 + 1)
      if (email === 'ruth@example.org') await signIn(email)
      else expect(await refused(signIn(email))).toMatchObject({ code: 'invalid_credentials' })
    },
  )

  test('a lockout carries Retry-After', async () => {
    const email = await account()
    for (let tries = 1; tries <= 5; tries += 1) await refused(signIn(email, 'wrong'))
    const response = await post('/api/auth/login', JSON.stringify({ email, password }))
    expect(response.headers.get('retry-after')).toBe('900')
  })

  test('twelve parallel attempts are all counted', async () => {
    const email = await account()
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => refused(signIn(email, 'wrong'))))
    expect(outcomes.filter(({ code }) => code === 'invalid_credentials').length).toBeLessThanOrEqual(4)
    expect(await refused(signIn(email))).toMatchObject({ code: 'account_locked' })
  })

  test('a right password clears the count', async () => {
    const email = await account()
    for (let round = 0; round < 3; round += 1) {
      for (let tries = 1; tries <= 4; tries += 1) await refused(signIn(email, 'wrong'))
      await signIn(email)
    }
  })

  test('a known device has five attempts of its own', async () => {
    const email = await account()
    const known = app.client()
    await signIn(email, password, known)
    for (let tries = 1; tries <= 5; tries += 1) await refused(signIn(email, 'wrong'))
    expect(await refused(signIn(email))).toMatchObject({ code: 'account_locked' })
    await signIn(email, password, known)
    for (let tries = 1; tries <= 5; tries += 1) await refused(signIn(email, 'wrong', known))
    expect(await refused(signIn(email, password, known))).toMatchObject({ code: 'account_locked' })
  })

  test.each(['ruth@example.org', 'nobody@example.org'])(
    '503 answers without verification do not lock %s',
    async (email) => {
      await account()
      const leave = fillSignInQueue()
      for (let tries = 1; tries <= 6; tries += 1) {
        expect(await refused(signIn(email, 'wrong'))).toMatchObject({ status: 503, code: 'unavailable' })
      }
      await leave()
      if (email === 'ruth@example.org') await signIn(email)
      else expect(await refused(signIn(email))).toMatchObject({ code: 'invalid_credentials' })
    },
  )

  test('a known device signs in while the queue is full', async () => {
    const known = app.client()
    const email = await account()
    await signIn(email, password, known)
    const leave = fillSignInQueue()
    expect(await refused(signIn(email))).toMatchObject({ status: 503 })
    expect((await signIn(email, password, known)).user.email).toBe(email)
    await leave()
  })

  test('successful sign-ins do not use up an address’s attempts', async () => {
    const email = await account()
    for (let tries = 1; tries <= 21; tries += 1) await signIn(email)
  })

  test.each([undefined, 'a'.repeat(32)])(
    'a known and an unknown account take the same statements',
    async (device) => {
      const email = await account()
      const counts: number[] = []
      for (const address of [email, 'nobody@example.org']) {
        // The first word of a statement; other fragments are parts of one.
        const counted = countedSql(sql, /^\s*(?:select|insert|update|delete)\b/)
        const attempt = signInTo(
          { ...app.context, sql: counted.sql },
          { email: address, password: 'wrong' },
          device,
        )
        await expect(attempt).rejects.toMatchObject({ code: 'invalid_credentials' })
        counts.push(counted.count())
      }
      expect(counts[0]).toBeGreaterThan(2)
      expect(counts[1]).toBe(counts[0])
    },
  )

  test('a network address has twenty attempts in five minutes', async () => {
    for (let tries = 1; tries <= 20; tries += 1) await refused(signIn(`n${tries}@example.org`, 'wrong'))
    expect(await refused(signIn('n21@example.org', 'wrong'))).toMatchObject({
      status: 429,
      sentence: authTexts.slowDown(5),
    })
    app.clock.advance(5 * 60_000)
    expect(await refused(signIn('n21@example.org', 'wrong'))).toMatchObject({ status: 401 })
  })

  test('the addresses of one /64 have twenty attempts together', async () => {
    const signInFrom = (address: string, at: number) =>
      refused(signIn(`n${at}@example.org`, 'wrong', busy.client({ 'x-forwarded-for': address })))
    for (let at = 1; at <= 20; at += 1)
      expect(await signInFrom(`2001:db8:7:7:${at}::${at}`, at)).toMatchObject({ status: 401 })
    expect(await signInFrom('2001:db8:7:7:ffff::1', 21)).toMatchObject({ status: 429 })
    expect(await signInFrom('2001:db8:7:8::1', 22)).toMatchObject({ status: 401 })
  })
})

describe('a session', () => {
  test('a session lasts from sign-in to logout', async () => {
    const email = await account('Ruth@Example.org')
    const client = app.client()
    expect(await call(auth.currentUser, {}, client)).toEqual({ user: null, registration: 'closed' })
    const { user } = await signIn(' RUTH@example.ORG ', password, client)
    expect(user).toEqual({ id: expect.any(Number) as number, email, name: 'Ruth', role: 'user' })
    expect((await call(auth.currentUser, {}, client)).user).toEqual(user)
    await call(auth.logout, {}, client)
    expect((await call(auth.currentUser, {}, client)).user).toBeNull()
    expect(await sql`select 1 from sessions`).toHaveLength(0)
    await call(auth.logout, {}, client)
  })

  test('a session has an HttpOnly cookie and a stored hash', async () => {
    const response = await post('/api/auth/login', JSON.stringify({ email: await account(), password }))
    const cookie = response.headers.getSetCookie().find((line) => line.startsWith('sid='))!
    expect(cookie).toMatch(/^sid=\w+; HttpOnly; Max-Age=2592000; Path=\/; SameSite=Lax$/)
    const value = /^sid=(\w+)/.exec(cookie)![1]!
    expect(await sql`select 1 from sessions where sid = ${value}`).toHaveLength(0)
    expect(await sql`select 1 from sessions where sid = encode(sha256(${value}::bytea), 'hex')`).toHaveLength(
      1,
    )
  })

  test('session cookies are Secure behind https', async () => {
    const body = JSON.stringify({ email: 'new@example.org', password, name: 'New' })
    const response = await fetch(`${open.url}/api/auth/register`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
    const cookies = response.headers.getSetCookie()
    expect(cookies.find((line) => line.startsWith('__Host-sid='))).toContain('Secure')
    expect(cookies.find((line) => line.startsWith('device='))).toContain('Secure')
    expect(response.headers.get('strict-transport-security')).toBeTruthy()
  })

  test('signing in again ends the previous session', async () => {
    const email = await account()
    const client = app.client()
    await signIn(email, password, client)
    const before = client.cookies.get('sid')!
    await signIn(email, password, client)
    const old = app.client()
    old.cookies.set('sid', before)
    expect((await call(auth.currentUser, {}, old)).user).toBeNull()
  })

  test('deactivating an account ends its sessions', async () => {
    const email = await account()
    const client = app.client()
    await signIn(email, password, client)
    await sql`update users set is_active = false`
    expect((await call(auth.currentUser, {}, client)).user).toBeNull()
  })

  test.each([
    'sid=',
    'sid=%E0%A4%A',
    `sid=${'a'.repeat(5000)}`,
    "sid='; drop table users;--",
    'a=%zz; sid=abc',
  ])('the cookie %s finds no session', async (cookie) => {
    const response = await fetch(`${app.url}/api/auth/user`, { headers: { cookie } })
    expect(await response.json()).toEqual({ user: null, registration: 'closed' })
  })
})

describe('CSRF', () => {
  test('refuses a change with a missing or wrong token', async () => {
    const client = app.client()
    await signIn(await account(), password, client)
    for (const headers of [{}, { 'x-csrf-token': '' }, { 'x-csrf-token': 'x'.repeat(32) }] as Record<
      string,
      string
    >[]) {
      const response = await client.fetch(`${app.url}/api/auth/logout`, { method: 'POST', headers })
      expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([403, 'csrf'])
    }
    expect((await call(auth.currentUser, {}, client)).user).not.toBeNull()
  })

  test('signing in renews the token; a stale one is refetched', async () => {
    const client = app.client()
    const email = await account()
    const { csrfToken: anonymous } = await call(auth.csrfToken, {}, client)
    await signIn(email, password, client)
    const { csrfToken } = await call(auth.csrfToken, {}, client)
    expect(csrfToken).not.toBe(anonymous)
    expect((await call(auth.csrfToken, {}, client)).csrfToken).toBe(csrfToken)
    await call(auth.logout, {}, client)
  })
})

describe('registration', () => {
  const applicant = { email: 'a@b.nz', password: 'long enough', name: 'Jo' }

  test('registration is refused unless REGISTRATION is open', async () => {
    expect(await refused(call(auth.register, { body: applicant }, app.client()))).toMatchObject({
      status: 403,
      code: 'registration_closed',
    })
  })

  test('closed registration hides which addresses are taken', async () => {
    const taken = await account()
    const answers = await Promise.all(
      [taken, 'free@example.org'].map(async (email) => {
        const answer = await post('/api/auth/register', JSON.stringify({ ...applicant, email }))
        return [answer.status, await answer.text()]
      }),
    )
    expect(answers[0]).toEqual(answers[1])
    expect(answers[0]![0]).toBe(403)
  })

  test('refuses a sixth registration per hour, before hashing', async () => {
    const hash = vi.spyOn(busy.context.passwords, 'hash')
    const from = (address: string) => busy.client({ 'x-forwarded-for': address })
    const apply = (email: string, address: string) =>
      refused(call(auth.register, { body: { ...applicant, email } }, from(address)))
    await call(auth.register, { body: { ...applicant, email: 'taken@b.nz' } }, from('2001:db8:1:2::1'))
    // Of one network's 2^64 addresses each; refused ones count as well.
    for (const at of [2, 3, 4, 5]) {
      expect(await apply('taken@b.nz', `2001:db8:1:2:${at}::${at}`)).toMatchObject({ code: 'email_taken' })
    }
    expect(hash).toHaveBeenCalledTimes(5)
    for (const email of ['taken@b.nz', 'free@b.nz']) {
      expect(await apply(email, '2001:db8:1:2:ffff::9')).toMatchObject({
        status: 429,
        sentence: expect.stringMatching(/^Too many .* minutes?/) as string,
      })
    }
    expect(hash).toHaveBeenCalledTimes(5)
    expect(await busy.context.sql`select 1 from users where email = 'free@b.nz'`).toHaveLength(0)
    // Another network is served, and this one after the hour.
    const { user } = await call(
      auth.register,
      { body: { ...applicant, email: 'next@b.nz' } },
      from('2001:db8:1:3::1'),
    )
    expect(user.email).toBe('next@b.nz')
    busy.clock.advance(61 * 60_000)
    expect(await apply('taken@b.nz', '2001:db8:1:2::1')).toMatchObject({ code: 'email_taken' })
  })

  test('registration creates a signed-in user, never an administrator', async () => {
    const client = open.client()
    const body = { ...applicant, role: 'admin' }
    expect((await call(auth.register, { body }, client)).user.role).toBe('user')
    expect((await call(auth.currentUser, {}, client)).user?.email).toBe('a@b.nz')
    expect(await refused(call(auth.register, { body: applicant }, open.client()))).toMatchObject({
      code: 'email_taken',
    })
  })
})

describe('/api/login', () => {
  test.each([
    ['', {}, '/'],
    ['?return=/admin', {}, '/admin'],
    ['?return=https://evil.example/x', {}, '/'],
    ['?return=//evil.example/x', {}, '/'],
    ['?return=/\\evil.example', {}, '/'],
    ['?return=javascript:alert(1)', {}, '/'],
    ['?return=/api/auth/logout', {}, '/'],
    ['', { referer: 'https://evil.example/teaching' }, '/'],
    ['', { referer: `${app.url}/teaching?q=grace&signin` }, '/teaching?q=grace'],
  ])('%s %j redirects via the sign-in to %s', async (query, headers, page) => {
    const response = await fetch(`${app.url}/api/login${query}`, {
      redirect: 'manual',
      headers: headers as Record<string, string>,
    })
    expect(response.status).toBe(302)
    expect(response.headers.get('location')).toBe(`/?signin&return=${encodeURIComponent(page)}`)
  })

  test('/api/login redirects only signed-in users to the page', async () => {
    const email = await account()
    const cookie = await fetch(`${app.url}/api/auth/login`, {
      method: 'POST',
      body: JSON.stringify({ email, password }),
      headers: { 'content-type': 'application/json' },
    }).then(({ headers }) =>
      headers
        .getSetCookie()
        .map((each) => each.split(';')[0])
        .join('; '),
    )
    const leadsTo = async (query: string) => {
      const response = await fetch(`${app.url}/api/login${query}`, {
        redirect: 'manual',
        headers: { cookie },
      })
      return response.headers.get('location')
    }
    expect(await leadsTo('?return=https://evil.example/x')).toBe('/')
    expect(await leadsTo('?return=/teaching?q=grace')).toBe('/teaching?q=grace')
    await sql`update users set is_active = false where email = ${email}`
    expect(await leadsTo('?return=/admin')).toBe('/?signin&return=%2Fadmin')
  })
})

/** Fills the hashing queue for sign-ins until the returned function is called. */
function fillSignInQueue(): () => Promise<unknown> {
  const { passwords } = app.context
  let isOver = false
  // Also after a failed test, or they would go on for ever.
  onTestFinished(() => void (isOver = true))
  // Two callers of the queue that is served before it take turns, so that it stays full.
  const before = [1, 2].map(async () => {
    while (!isOver) await passwords.hash('x', 'trusted')
  })
  // The hash is malformed, so that verifying it takes no time.
  const strangers = Array.from({ length: 100 }, () => passwords.verify('no hash', 'x', 'sign-in'))
  return () => {
    isOver = true
    return Promise.all([...before, ...strangers])
  }
}

function post(
  path: string,
  body: string,
  headers: Record<string, string> = { 'content-type': 'application/json' },
) {
  return fetch(app.url + path, { method: 'POST', body, headers })
}
