import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { keyExchangeInit } from '../../testing/ssh-packets.ts'
import { offeredCiphers, readOffer } from './ssh-ciphers.ts'
import { hasNativeCiphers } from './ssh-private-parts.ts'

const require = createRequire(import.meta.url)

test.each([
  ['without', false, []],
  ['with', true, ['chacha20-poly1305@openssh.com']],
])('offers the fast ciphers %s the native part of ssh2', (_, hasNative, more) => {
  const gcm = ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com']
  expect(offeredCiphers(hasNative)).toEqual([...gcm, ...more, 'aes128-ctr', 'aes192-ctr', 'aes256-ctr'])
})

test('recognizes whether the native part loads on this Node', () => {
  const file = 'ssh2/lib/protocol/crypto/build/Release/sshcrypto.node'
  const isLoading = () => {
    try {
      return require(file) !== undefined
    } catch {
      return false
    }
  }
  expect(hasNativeCiphers).toBe(isLoading())
})

test('ssh2 has the version whose private parts are used', () => {
  const { version } = require('ssh2/package.json') as { version: string }
  expect(
    version,
    'ssh-ciphers.ts replaces `_protocol._offer` between the first bytes of a client and the answer of ssh2. Read its ' +
      'lib/server.js, lib/protocol/Protocol.js and kex.js for changes, run ssh.test.ts and the bench area sftp, then name the new version.',
  ).toBe('1.17.0')
})

const line = Buffer.from('SSH-2.0-test\r\n')
const packet = keyExchangeInit(['a', 'b', 'c'], ['c', 'a', 'd'])
const changed = (at: number, value: number) => {
  const bytes = Buffer.from(packet)
  bytes[at] = value
  return Buffer.concat([line, bytes])
}

test('reads the ciphers once the list is complete', () => {
  const bytes = Buffer.concat([line, packet])
  expect(readOffer(bytes)).toEqual(new Set(['a', 'c']))
  expect(readOffer(Buffer.concat([bytes, packet]))).toEqual(new Set(['a', 'c']))
  for (let length = 0; length < bytes.length; length += 1)
    expect(readOffer(bytes.subarray(0, length)), `${length} bytes`).toBe('incomplete')
})

test.each([
  ['a line without an end', Buffer.alloc(256, 'x')],
  ['a packet longer than one may be', changed(1, 1)],
  ['another packet', changed(5, 21)],
  ['a list that is longer than its packet', changed(23, 255)],
])('passes %s to ssh2 at once', (_, bytes) => {
  expect(readOffer(bytes)).toBeUndefined()
})
