import { readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { users } from '@fellowship/schema/users/users.contract'
import { call } from '@fellowship/sync/call/call'
import { refusal } from '../../testing/test-client.ts'
import { smtpServer } from '../../testing/smtp.ts'
import { testApp } from '../../testing/test-app.ts'

const { url: SMTP_URL, letters } = await smtpServer()
const site = { PUBLIC_URL: 'http://teaching.example.org', REGISTRATION: 'open' }
const app = await testApp({ ...site, SMTP_URL, MAIL_FROM: 'Fellowship <no-reply@example.org>' })
const without = await testApp(site)
const admin = await app.signedIn('admin')
const minutes = (count: number) => app.clock.advance(count * 60_000)
const ask = (email: string) => call(auth.forgotPassword, { body: { email } }, app.client())

/** Waits for the next mail to an address and returns its token. */
async function tokenFor(email: string, after = 0): Promise<string> {
  await expect
    .poll(() => letters.filter(({ to }) => to.includes(email)).length, { timeout: 15_000 })
    .toBe(after + 1)
  const { text } = letters.findLast(({ to }) => to.includes(email))!
  return /http:\/\/teaching\.example\.org\/(?:reset-password|verify-email)#([\w-]{43})/.exec(text)![1]!
}

describe('a password reset', () => {
  test.each(['', 'nobody', 'no body@example.org', 'a@b', `${'a'.repeat(250)}@example.org`])(
    'a password reset refuses the address %j',
    async (email) => {
      minutes(61)
      await expect(ask(email)).rejects.toMatchObject({ status: 400, sentence: 'Invalid email address' })
    },
  )

  test('refuses a flood of invalid links without hashing', async () => {
    minutes(61)
    const person = await app.signedIn('user')
    const { passwords } = app.context
    const hash = vi.spyOn(passwords, 'hash')
    const body = { token: 'x', password: 'a'.repeat(255) }
    const flood = Array.from({ length: 60 }, () =>
      refusal(call(auth.resetPassword, { body }, app.client())).then(({ status }) => status),
    )
    for (let round = 0; round < 5; round++) await call(auth.login, { body: person }, app.client())
    const statuses = await Promise.all(flood)
    expect([...new Set(statuses)].sort((a, b) => a - b)).toEqual([400, 429])
    expect(statuses.filter((status) => status === 400)).toHaveLength(20)
    expect(hash).not.toHaveBeenCalled()
    hash.mockRestore()
    expect(await refusal(call(auth.verifyEmail, { body: { token: 'x' } }, app.client()))).toMatchObject({
      status: 429,
    })
    minutes(6)
  })

  test('a reset link works once and ends all sessions', async () => {
    minutes(61)
    const person = await app.signedIn('user')
    expect(await ask(person.email.toUpperCase())).toEqual({ success: true })
    const token = await tokenFor(person.email)
    expect(JSON.stringify(await app.context.sql`select * from users`)).not.toContain(token)
    for (const [body, sentence] of [
      [{ token, password: 'short' }, 'Password must be at least 8 characters'],
      [{ token: '', password: 'Another-horse-9' }, 'Reset token is required'],
      [{ token: `${token}x`, password: 'Another-horse-9' }, 'This link was used already'],
    ] as const) {
      await expect(call(auth.resetPassword, { body }, app.client())).rejects.toMatchObject({
        status: 400,
        sentence: expect.stringContaining(sentence) as string,
      })
    }
    const body = { token, password: 'Another-horse-9' }
    await call(auth.resetPassword, { body }, app.client())
    await expect(call(auth.resetPassword, { body }, app.client())).rejects.toMatchObject({
      code: 'link_spent',
    })
    expect((await call(auth.currentUser, {}, person)).user).toBeNull()
    await expect(call(auth.login, { body: person }, app.client())).rejects.toMatchObject({ status: 401 })
    await call(auth.login, { body: { email: person.email, password: body.password } }, app.client())
  })

  test('refuses an expired, superseded or deactivated account’s link', async () => {
    minutes(61)
    const person = await app.signedIn('user')
    const password = 'Another-horse-9'
    const spent = (token: string) =>
      expect(call(auth.resetPassword, { body: { token, password } }, app.client())).rejects.toMatchObject({
        code: 'link_spent',
      })
    await ask(person.email)
    const first = await tokenFor(person.email)
    await ask(person.email)
    const second = await tokenFor(person.email, 1)
    await spent(first)
    minutes(61)
    await spent(second)
    await ask(person.email)
    const third = await tokenFor(person.email, 2)
    const { id } = (await call(users.list, {}, admin)).find(({ email }) => email === person.email)!
    await call(users.update, { params: { id }, body: { isActive: false } }, admin)
    await spent(third)
    await call(auth.login, { body: person }, app.client()).then(
      () => expect.unreachable(),
      (error: unknown) => expect(error).toMatchObject({ code: 'account_inactive' }),
    )
  })

  test('a reset hides unknown addresses and is rate-limited', async () => {
    minutes(61)
    const before = letters.length
    const known = await ask(admin.email)
    expect(await ask('stranger@example.org')).toEqual(known)
    await tokenFor(admin.email)
    expect(letters.slice(before).map(({ to }) => to)).toEqual([[admin.email]])
    for (const _ of [1, 2, 3]) await ask('stranger@example.org')
    await expect(ask('stranger@example.org')).rejects.toMatchObject({ status: 429 })
  })
})

test('a registration’s link verifies the address once', async () => {
  const person = { email: 'new@example.org', password: 'Correct-horse-9', name: 'New Person' }
  await call(auth.register, { body: person }, app.client())
  const token = await tokenFor(person.email)
  const verified = async () =>
    (await call(users.list, {}, admin)).find(({ email }) => email === person.email)?.isEmailVerified
  expect(await verified()).toBe(false)
  await call(auth.verifyEmail, { body: { token } }, app.client())
  expect(await verified()).toBe(true)
  const again = call(auth.verifyEmail, { body: { token } }, app.client())
  await expect(again).rejects.toMatchObject({ status: 400, code: 'link_spent' })
})

test('mail goes to a private folder without SMTP', async () => {
  const person = { email: 'new@example.org', password: 'Correct-horse-9', name: 'New Person' }
  await call(auth.register, { body: person }, without.client())
  const folder = path.join(without.dataDir, 'outgoing')
  const written = async () => (await readdir(folder).catch(() => [])).filter((name) => !name.startsWith('.'))
  await expect.poll(async () => (await written()).length, { timeout: 15_000 }).toBe(1)
  const file = path.join(folder, (await written())[0]!)
  expect((await stat(file)).mode & 0o077).toBe(0)
  expect(await readFile(file, 'utf8')).toContain('To: new@example.org')
})
