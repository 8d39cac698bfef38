import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { users } from '@fellowship/schema/users/users.contract'
import { call } from '@fellowship/sync/call/call'
import { testApp } from '../../testing/test-app.ts'
import { keepVerificationToken } from '../auth/account-mails.sql.ts'

const app = await testApp()
const admin = await app.signedIn('admin')
const { context } = app

/** An account, and the secret of the link that was mailed to prove its address. */
async function mailedTo(email: string) {
  const body = { email, password: 'Correct-horse-9', name: 'Pat', role: 'user' as const }
  const { id } = await call(users.create, { body }, admin)
  const token = randomBytes(32).toString('base64url')
  const expires = new Date(context.clock.now().getTime() + 60 * 60_000)
  await keepVerificationToken(context.sql, id, createHash('sha256').update(token).digest('hex'), expires)
  return { id, token }
}

test('a link that was mailed to the address before proves nothing of the new one', async () => {
  const { id, token } = await mailedTo('old@example.org')
  await call(users.update, { params: { id }, body: { email: 'new@example.org' } }, admin)
  const followed = call(auth.verifyEmail, { body: { token } }, app.client())
  await expect(followed).rejects.toMatchObject({ code: 'link_spent' })
  expect((await call(users.list, {}, admin)).find((user) => user.id === id)!.isEmailVerified).toBe(false)
})

test('a change under way in a stolen session brings no new one after somebody else ended them all', async () => {
  const body = {
    email: 'stolen@example.org',
    password: 'Correct-horse-9',
    name: 'Ana',
    role: 'admin' as const,
  }
  const { id } = await call(users.create, { body }, admin)
  const thief = app.client()
  await call(auth.login, { body }, thief)
  let asked: Promise<unknown> | undefined
  await context.sql.begin(async (tx) => {
    // As `changeUser` does it for another administrator: the row, the new password, no session any more.
    await tx`select id from users where id = ${id} for update`
    asked = call(users.update, { params: { id }, body: { name: 'Ana' } }, thief).catch(
      (error: unknown) => error,
    )
    await new Promise((resolve) => setTimeout(resolve, 500))
    await context.sessions.endAll(id, tx)
  })
  await asked
  expect((await call(auth.currentUser, {}, thief)).user).toBe(null)
})

test('a password that was changed while somebody signed in with the old one opens nothing', async () => {
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

test('a link that was mailed lives on when another field is changed and the address sent along as it was', async () => {
  const { id, token } = await mailedTo('kept@example.org')
  const changes = { email: 'kept@example.org', name: 'Patricia', role: 'user' as const, isActive: true }
  await call(users.update, { params: { id }, body: changes }, admin)
  await call(auth.verifyEmail, { body: { token } }, app.client())
  expect((await call(users.list, {}, admin)).find((user) => user.id === id)!.isEmailVerified).toBe(true)
})
