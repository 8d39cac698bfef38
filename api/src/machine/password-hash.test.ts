import { afterAll, expect, test } from 'vitest'
import { nobodysHash, passwordHash, type HashFor } from './password-hash.ts'

const passwords = passwordHash()
afterAll(() => passwords.close())

test('is false for a wrong password or hash', async () => {
  const hash = await passwords.hash('right')
  expect(await passwords.verify(hash, 'wrong')).toBe(false)
  expect(await passwords.verify('not a hash', 'right')).toBe(false)
  expect(await passwords.verify('', '')).toBe(false)
})

test.each([
  ['anyone', 20],
  ['sign-in', 100],
  ['trusted', 50],
] as const)('refuses calls for %s beyond %i waiting ones', async (waiting, longest) => {
  const tries = await Promise.allSettled(
    Array.from({ length: longest + 11 }, () => passwords.verify('x', 'y', waiting)),
  )
  // One more is being served.
  const refused = tries.filter((result) => result.status === 'rejected')
  expect(refused).toHaveLength(10)
  expect(refused[0]).toMatchObject({ reason: { code: 'unavailable', extra: { retryAfter: 2 } } })
  expect(await passwords.verify('x', 'y')).toBe(false)
})

test('known devices and sign-ins have places of their own', async () => {
  const served: string[] = []
  const wait = (waiting: HashFor, times: number) =>
    Array.from({ length: times }, () => passwords.hash('x', waiting).then(() => served.push(waiting)))
  await Promise.all([...wait('anyone', 21), ...wait('sign-in', 3), ...wait('trusted', 2)])
  expect(served.slice(0, 6)).toEqual(['anyone', 'trusted', 'trusted', 'sign-in', 'sign-in', 'sign-in'])
})

test('the hash of unknown users takes as much work', async () => {
  const head = /^\$argon2id\$v=\d+\$[^$]+\$/
  expect(head.exec(nobodysHash)?.[0]).toBe(head.exec(await passwords.hash('x'))?.[0])
  expect(await passwords.verify(nobodysHash, '')).toBe(false)
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
