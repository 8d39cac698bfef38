import { describe, expect, test } from 'vitest'
import { ownPath } from './own-path.ts'

const origin = 'https://fellowship.example'

describe('ownPath', () => {
  test.each([
    undefined,
    '',
    'admin',
    '//evil.example/admin',
    '/\\evil.example',
    '\\\\evil.example',
    'https://evil.example/admin',
    'https:/evil.example',
    'javascript:alert(1)',
    '/\t/evil.example',
    '/\n/evil.example',
    '/.//evil.example',
    '/teaching/..//evil.example',
    ' /admin',
    '/api/auth/logout',
  ])('refuses %j', (address) => {
    expect(ownPath(address, origin)).toBeUndefined()
  })

  test.each(['/', '/admin', '/teaching?t=5', '/about#elder-tom', '/teaching?q=//not/a/host'])(
    'keeps %j',
    (address) => {
      expect(ownPath(address, origin)).toBe(address)
    },
  )
})
