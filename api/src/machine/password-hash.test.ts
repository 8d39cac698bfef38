import { afterAll, expect, test } from 'vitest'
import { passwordHash } from './password-hash.ts'

const passwords = passwordHash()
afterAll(() => passwords.close())

test('is false for a wrong password and for a text that is no hash', async () => {
  const hash = await passwords.hash('right')
  expect(await passwords.verify(hash, 'wrong')).toBe(false)
  expect(await passwords.verify('not a hash', 'right')).toBe(false)
  expect(await passwords.verify('', '')).toBe(false)
})

test('refuses more than a hundred queued calls and serves the others', async () => {
  const tries = await Promise.allSettled(Array.from({ length: 110 }, () => passwords.verify('x', 'y')))
  const refused = tries.filter((result) => result.status === 'rejected')
  expect(refused).toHaveLength(10)
  expect(refused[0]).toMatchObject({ reason: { code: 'unavailable', extra: { retryAfter: 2 } } })
  expect(await passwords.verify('x', 'y')).toBe(false)
})

test('is true for the right password, and salts each hash', async () => {
  const [first, second] = await Promise.all([passwords.hash('pāua 🐚'), passwords.hash('pāua 🐚')])
  expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(second).not.toBe(first)
  expect(await passwords.verify(second, 'pāua 🐚')).toBe(true)
})

test('restarts its worker thread after it ended', async () => {
  await passwords.close()
  expect(await passwords.hash('again')).toMatch(/^\$argon2id\$/)
})
