import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { users } from '@fellowship/schema/users/users.contract'
import { call } from '@fellowship/sync/call/call'
import { testApp } from '../../testing/test-app.ts'
import { storeVerificationToken } from '../auth/auth.sql.ts'

const app = await testApp()
const admin = await app.signedIn('admin')
const { context } = app

/** Creates an account with a verification link, and returns the token of the link. */
async function unverifiedAccount(email: string) {
  const body = { email, password: 'Correct-horse-9', name: 'Pat', role: 'user' as const }
  const { id } = await call(users.create, { body }, admin)
  const token = randomBytes(32).toString('base64url')
  const expires = new Date(context.clock.now().getTime() + 60 * 60_000)
  await storeVerificationToken(context.sql, id, createHash('sha256').update(token).digest('hex'), expires)
  return { id, token }
}

test('an old address’s link does not verify the new one', async () => {
  const { id, token } = await unverifiedAccount('old@example.org')
  await call(users.update, { params: { id }, body: { email: 'new@example.org' } }, admin)
  const followed = call(auth.verifyEmail, { body: { token } }, app.client())
  await expect(followed).rejects.toMatchObject({ code: 'link_spent' })
  expect((await call(users.list, {}, admin)).find((user) => user.id === id)!.isEmailVerified).toBe(false)
})

test('a delayed change starts no session after all were ended', async () => {
  const body = {
    email: 'stolen@example.org',
    password: 'Correct-horse-9',
    name: 'Ana',
    role: 'admin' as const,
  }
  const { id } = await call(users.create, { body }, admin)
  const thief = app.client()
  await call(auth.login, { body }, thief)
  let attempt: Promise<unknown> | undefined
  await context.sql.begin(async (tx) => {
    // As `changeUser` by another administrator: locks the row and ends the sessions.
    await tx`select id from users where id = ${id} for update`
    attempt = call(users.update, { params: { id }, body: { name: 'Ana' } }, thief).catch(
      (error: unknown) => error,
    )
    await new Promise((resolve) => setTimeout(resolve, 500))
    await context.sessions.endAll(id, tx)
  })
  await attempt
  expect((await call(auth.currentUser, {}, thief)).user).toBe(null)
})

test('a password change during a sign-in starts no session', async () => {
  const body = { email: 'slow@example.org', password: 'Correct-horse-9', name: 'Sam', role: 'user' as const }
  const { id } = await call(users.create, { body }, admin)
  const verify = context.passwords.verify.bind(context.passwords)
  const intruder = app.client()
  context.passwords.verify = async (...args) => {
    const right = await verify(...args)
    context.passwords.verify = verify
    await call(users.update, { params: { id }, body: { password: 'Another-horse-8' } }, admin)
    return right
  }
  await call(auth.login, { body }, intruder).catch((error: unknown) => error)
  expect((await call(auth.currentUser, {}, intruder)).user).toBe(null)
})

test('a verification link survives edits with the same address', async () => {
  const { id, token } = await unverifiedAccount('kept@example.org')
  const changes = { email: 'kept@example.org', name: 'Patricia', role: 'user' as const, isActive: true }
  await call(users.update, { params: { id }, body: changes }, admin)
  await call(auth.verifyEmail, { body: { token } }, app.client())
  expect((await call(users.list, {}, admin)).find((user) => user.id === id)!.isEmailVerified).toBe(true)
})
