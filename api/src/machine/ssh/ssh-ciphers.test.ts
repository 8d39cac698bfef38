import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { hasNativeCiphers, offeredCiphers } from './ssh-ciphers.ts'

test.each([
  ['without', false, []],
  ['with', true, ['chacha20-poly1305@openssh.com']],
])('%s the native part of ssh2, offers the ciphers that are quick there', (_, hasNative, more) => {
  const gcm = ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com']
  expect(offeredCiphers(hasNative)).toEqual([...gcm, ...more, 'aes128-ctr', 'aes192-ctr', 'aes256-ctr'])
})

test('the native part counts as there exactly where its file loads on this Node', () => {
  const file = 'ssh2/lib/protocol/crypto/build/Release/sshcrypto.node'
  const isLoading = () => {
    try {
      return createRequire(import.meta.url)(file) !== undefined
    } catch {
      return false
    }
  }
  expect(hasNativeCiphers).toBe(isLoading())
})
