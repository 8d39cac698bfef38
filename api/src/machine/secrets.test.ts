import { describe, expect, test } from 'vitest'
import { openWithPassphrase, sealWithPassphrase, secretsUnder } from './secrets.ts'

const secrets = secretsUnder('s'.repeat(64))
const sealed = secrets.seal('a password', 'Kōrero-9 "quoted"')

test('does not open tampered text', () => {
  const bytes = Buffer.from(sealed, 'base64')
  for (const at of [0, 12, 28, bytes.length - 1]) {
    const changed = Buffer.from(bytes)
    changed[at] = changed[at]! ^ 1
    expect(secrets.open('a password', changed.toString('base64'))).toBeUndefined()
  }
})

test.each([
  ['another purpose', () => secrets.open('another', sealed)],
  ['another secret', () => secretsUnder('t'.repeat(64)).open('a password', sealed)],
  ['nothing', () => secrets.open('a password', '')],
  ['no seal', () => secrets.open('a password', 'Kōrero-9')],
])('%s does not open it', (_what, open) => {
  expect(open()).toBeUndefined()
})

test('opens what it sealed, with another ciphertext each time', () => {
  expect(secrets.open('a password', sealed)).toBe('Kōrero-9 "quoted"')
  expect(secrets.seal('a password', 'Kōrero-9 "quoted"')).not.toBe(sealed)
})

describe('under a passphrase', async () => {
  const passphrase = 'four words nobody says together'
  const closed = await sealWithPassphrase(passphrase, 'Kōrero-9')
  const parts = JSON.parse(closed.toString()) as { format: number; salt: string; sealed: string }
  const altered = (base64: string, at: number) => {
    const bytes = Buffer.from(base64, 'base64')
    bytes[at]! ^= 1
    return bytes.toString('base64')
  }
  const changed = (change: Partial<typeof parts>) => Buffer.from(JSON.stringify({ ...parts, ...change }))

  test.each<[string, string, Buffer]>([
    ['another passphrase', `${passphrase} `, closed],
    ['no passphrase', '', closed],
    ['another salt', passphrase, changed({ salt: altered(parts.salt, 0) })],
    ['another nonce', passphrase, changed({ sealed: altered(parts.sealed, 0) })],
    ['another tag', passphrase, changed({ sealed: altered(parts.sealed, 12) })],
    ['another text', passphrase, changed({ sealed: altered(parts.sealed, 28) })],
    ['a text cut short', passphrase, changed({ sealed: parts.sealed.slice(0, 36) })],
    ['another format', passphrase, changed({ format: 2 })],
    ['what is no JSON', passphrase, Buffer.from('{')],
    ['nothing', passphrase, Buffer.alloc(0)],
  ])('%s opens nothing', async (_, words, bytes) => {
    expect(await openWithPassphrase(words, bytes)).toBeUndefined()
  })

  test('opens with either Unicode form of the passphrase', async () => {
    expect(await openWithPassphrase(passphrase, closed)).toBe('Kōrero-9')
    const typed = await sealWithPassphrase('k\u014drero at the ford', 'x')
    expect(await openWithPassphrase('ko\u0304rero at the ford', typed)).toBe('x')
    expect((await sealWithPassphrase(passphrase, 'Kōrero-9')).equals(closed)).toBe(false)
  })
})
