import { afterAll, expect, test } from 'vitest'
import { passwordHash } from './password-hash.ts'

const passwords = passwordHash()
afterAll(() => passwords.close())

test('a wrong password and a text that is no hash are both false', async () => {
  const hash = await passwords.hash('right')
  expect(await passwords.verify(hash, 'wrong')).toBe(false)
  expect(await passwords.verify('not a hash', 'right')).toBe(false)
  expect(await passwords.verify('', '')).toBe(false)
})

test('more than a hundred waiting at once are refused, the others served', async () => {
  const tries = await Promise.allSettled(Array.from({ length: 110 }, () => passwords.verify('x', 'y')))
  const refused = tries.filter((result) => result.status === 'rejected')
  expect(refused).toHaveLength(10)
  expect(refused[0]).toMatchObject({ reason: { code: 'unavailable', extra: { retryAfter: 2 } } })
  expect(await passwords.verify('x', 'y')).toBe(false)
})

test('the right password is true, and each hash has its own salt', async () => {
  const [first, second] = await Promise.all([passwords.hash('pāua 🐚'), passwords.hash('pāua 🐚')])
  expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(second).not.toBe(first)
  expect(await passwords.verify(second, 'pāua 🐚')).toBe(true)
})

test('goes on after its thread was ended', async () => {
  await passwords.close()
  expect(await passwords.hash('again')).toMatch(/^\$argon2id\$/)
})
