import { expect, test } from 'vitest'
import { isDeviceKey, isPublicAddress, makePushKeys, PrivateAddress, pushSender } from './web-push.ts'

test.each([
  '127.0.0.1',
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  'fc00::1',
  'fe80::1',
  'ff02::1',
])('%s is no public address', (address) => {
  expect(isPublicAddress(address)).toBe(false)
})

test.each(['142.250.70.138', '2404:6800:4006:80f::200a'])('%s is one', (address) => {
  expect(isPublicAddress(address)).toBe(true)
})

test('rejects a key that is no point of the curve', () => {
  expect(isDeviceKey(Buffer.concat([Buffer.of(4), Buffer.alloc(64, 1)]).toString('base64url'))).toBe(false)
  expect(isDeviceKey(makePushKeys().publicKey)).toBe(true)
})

test('does not connect to names of this machine', async () => {
  const sender = pushSender()
  const message = {
    // The system's own resolver answers for it.
    subscription: {
      endpoint: 'https://localhost/push',
      keys: { p256dh: makePushKeys().publicKey, auth: Buffer.alloc(16).toString('base64url') },
    },
    payload: '{}',
    keys: makePushKeys(),
    contact: 'mailto:elders@example.org',
    ttl: 60,
    topic: 'teachings',
  }
  await expect(sender.send(message, new AbortController().signal)).rejects.toThrow(PrivateAddress)
  sender.close()
})
