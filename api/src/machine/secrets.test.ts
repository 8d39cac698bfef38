import { expect, test } from 'vitest'
import { secretsUnder } from './secrets.ts'

const secrets = secretsUnder('s'.repeat(64))
const sealed = secrets.seal('a password', 'Kōrero-9 "quoted"')

test('what was tampered with does not open', () => {
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

test('opens what it sealed, and seals the same text differently each time', () => {
  expect(secrets.open('a password', sealed)).toBe('Kōrero-9 "quoted"')
  expect(secrets.seal('a password', 'Kōrero-9 "quoted"')).not.toBe(sealed)
})
