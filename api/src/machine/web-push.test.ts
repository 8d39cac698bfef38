import { expect, test } from 'vitest'
import { PrivateAddress } from './public-lookup.ts'
import { isDeviceKey, makePushKeys, pushSender } from './web-push.ts'

test('rejects a key that is no point of the curve', () => {
  expect(isDeviceKey(Buffer.concat([Buffer.of(4), Buffer.alloc(64, 1)]).toString('base64url'))).toBe(false)
  expect(isDeviceKey(makePushKeys().publicKey)).toBe(true)
})

test('does not connect to names of this machine', async () => {
  const sender = pushSender()
  const message = {
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
