import { beforeEach, describe, expect, test } from 'vitest'
import { audit } from '@fellowship/schema/audit/audit.contract'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { users, type ManagedUser } from '@fellowship/schema/users/users.contract'
import { call } from '@fellowship/sync/call/call'
import { testApp, type TestClient } from '../../testing/test-app.ts'

const app = await testApp()
const admin = await app.signedIn('admin')
let people = 0
// Resets the rate limits by address.
beforeEach(() => app.clock.advance(10 * 60_000))

/** Creates an account by the API and signs it in. */
async function person(role: 'user' | 'admin' = 'user') {
  const fields = { email: `p${(people += 1)}@example.org`, password: 'Correct-horse-9', name: 'Pat', role }
  const user = await call(users.create, { body: fields }, admin)
  const client = app.client()
  await call(auth.login, { body: fields }, client)
  return { ...fields, ...user, client }
}
const whoIs = async (client: TestClient) => (await call(auth.currentUser, {}, client)).user
const listed = async (id: number) => (await call(users.list, {}, admin)).find((user) => user.id === id)

describe('refused, with nothing changed', () => {
  test('refuses a taken address in upper or lower case', async () => {
    const { email } = await person()
    const body = { email: email.toUpperCase(), password: 'Correct-horse-9', name: 'Other' }
    await expect(call(users.create, { body }, admin)).rejects.toMatchObject({
      status: 409,
      code: 'email_taken',
    })
    const other = await person()
    const attempt = call(users.update, { params: { id: other.id }, body: { email } }, admin)
    await expect(attempt).rejects.toMatchObject({ status: 409, code: 'email_taken' })
    expect((await listed(other.id))?.email).toBe(other.email)
  })

  test.each([users.update, users.remove, users.unlock])(
    '$method $path returns 404 for an unknown id',
    async (endpoint) => {
      const attempt = call(endpoint, { params: { id: 999_999 }, body: {} }, admin)
      await expect(attempt).rejects.toMatchObject({ status: 404, code: 'not_found' })
    },
  )
})

test('a new account can sign in and is listed without secrets', async () => {
  const pat = await person('admin')
  expect(await whoIs(pat.client)).toEqual({ id: pat.id, email: pat.email, name: 'Pat', role: 'admin' })
  expect(await listed(pat.id)).toEqual({
    id: pat.id,
    email: pat.email,
    name: 'Pat',
    role: 'admin',
    isActive: true,
    isEmailVerified: false,
    lockedUntil: null,
    createdAt: expect.stringMatching(/^\d{4}-/) as string,
  })
  await call(users.remove, { params: { id: pat.id } }, admin)
})

describe('ends all sessions of an account at once', () => {
  test.each<[string, Partial<ManagedUser> & { password?: string }]>([
    ['deactivation', { isActive: false }],
    ['a new password', { password: 'Another-horse-9' }],
    ['another role', { role: 'admin' }],
  ])('%s ends all sessions of the account', async (_, body) => {
    const pat = await person()
    const second = app.client()
    await call(auth.login, { body: pat }, second)
    await call(users.update, { params: { id: pat.id }, body }, admin)
    expect([await whoIs(pat.client), await whoIs(second)]).toEqual([null, null])
    await call(users.remove, { params: { id: pat.id } }, admin)
  })

  test('deletion ends all sessions of the account', async () => {
    const pat = await person()
    await call(users.remove, { params: { id: pat.id } }, admin)
    expect(await whoIs(pat.client)).toBeNull()
    await expect(call(auth.login, { body: pat }, pat.client)).rejects.toMatchObject({ status: 401 })
  })

  test('a new name and a blank password keep the session', async () => {
    const pat = await person()
    await call(users.update, { params: { id: pat.id }, body: { name: 'Patricia', password: '' } }, admin)
    expect((await whoIs(pat.client))?.name).toBe('Patricia')
    await call(auth.login, { body: pat }, app.client())
  })

  test('an own new password keeps the session that set it', async () => {
    const pat = await person('admin')
    const second = app.client()
    await call(auth.login, { body: pat }, second)
    const body = { password: 'Another-horse-9' }
    await call(users.update, { params: { id: pat.id }, body }, pat.client)
    expect([(await whoIs(pat.client))?.id, await whoIs(second)]).toEqual([pat.id, null])
    await call(users.remove, { params: { id: pat.id } }, admin)
  })
})

describe('the last active administrator', () => {
  test.each([{ role: 'user' }, { isActive: false }] as const)(
    'the last administrator cannot be changed to %j or deleted',
    async (body) => {
      const self = (await call(users.list, {}, admin)).find(({ email }) => email === admin.email)!
      for (const attempt of [
        () => call(users.update, { params: { id: self.id }, body }, admin),
        () => call(users.remove, { params: { id: self.id } }, admin),
      ]) {
        await expect(attempt()).rejects.toMatchObject({ status: 409, code: 'last_administrator' })
      }
      expect(await listed(self.id)).toEqual(self)
    },
  )

  test('two administrators demoting each other leave one', async () => {
    const racers = [await person('admin'), await person('admin')]
    const self = (await call(users.list, {}, admin)).find(({ email }) => email === admin.email)!
    await call(users.update, { params: { id: self.id }, body: { role: 'user' } }, racers[0]!.client)
    const attempt = racers.map(({ client }, at) =>
      call(users.update, { params: { id: racers[1 - at]!.id }, body: { role: 'user' } }, client),
    )
    await Promise.allSettled(attempt)
    const { sql } = app.context
    expect(await sql`select count(*)::int as count from users where role = 'admin' and is_active`).toEqual([
      { count: 1 },
    ])
    // Restores the administrator for the next tests.
    await sql`update users set role = 'admin' where id = ${self.id}`
    await call(auth.login, { body: admin }, admin)
    for (const { id } of racers) await call(users.remove, { params: { id } }, admin)
  })
})

test('a locked account can sign in once it is unlocked', async () => {
  const pat = await person()
  for (const _ of [1, 2, 3, 4, 5]) {
    await call(auth.login, { body: { ...pat, password: 'a guess' } }, app.client()).catch(() => undefined)
  }
  expect((await listed(pat.id))?.lockedUntil).toMatch(/^\d{4}-/)
  await expect(call(auth.login, { body: pat }, app.client())).rejects.toMatchObject({ status: 423 })
  const opened = await call(users.unlock, { params: { id: pat.id } }, admin)
  expect(opened.lockedUntil).toBeNull()
  await call(auth.login, { body: pat }, app.client())
})

describe('the audit log', () => {
  test('the audit log has actor, action and subject, no secrets', async () => {
    const pat = await person()
    const body = { name: 'Patricia', password: 'Another-horse-9' }
    await call(users.update, { params: { id: pat.id }, body }, admin)
    await call(users.remove, { params: { id: pat.id } }, admin)
    const { lines, areas, actors } = await call(audit.list, { query: { q: pat.email, limit: 50 } }, admin)
    expect(lines.map(({ action, actor, subject, details }) => [action, actor, subject, details])).toEqual([
      ['user.deleted', 'A admin', `Patricia <${pat.email}>`, { id: pat.id }],
      ['user.updated', 'A admin', `Patricia <${pat.email}>`, { id: pat.id, fields: ['name', 'password'] }],
      ['sessions.started', 'Pat', `Pat <${pat.email}>`, { times: 1 }],
      ['user.created', 'A admin', `Pat <${pat.email}>`, { id: pat.id, role: 'user' }],
    ])
    expect(areas).toContain('user')
    expect(actors).toContain('A admin')
    expect(JSON.stringify(await app.context.sql`select * from audit_log`)).not.toMatch(/horse|argon2/)
  })

  test('the audit log can be filtered and paged', async () => {
    const { lines, more } = await call(audit.list, { query: { area: 'user', limit: 2 } }, admin)
    expect([lines.length, more]).toEqual([2, true])
    const next = await call(audit.list, { query: { before: lines[1]!.id, limit: 1 } }, admin)
    expect(next.lines[0]!.id).toBeLessThan(lines[1]!.id)
    for (const query of [{ area: 'elder' }, { actor: 'Somebody else' }, { q: '%' }]) {
      expect((await call(audit.list, { query: { ...query, limit: 50 } }, admin)).lines).toEqual([])
    }
  })
})
