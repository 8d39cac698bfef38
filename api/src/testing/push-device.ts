import { createECDH, randomBytes, type ECDH } from 'node:crypto'
import type { PushSubscriptionKeys } from '@fellowship/schema/push/push.contract'

/** A device of the tests. */
export interface TestDevice {
  /** As its browser gives it. */
  subscription: PushSubscriptionKeys
  /** Its keys, which no server is given whole. */
  pair: ECDH
}

let devices = 0

/** A device with keys of its own at a push service. */
export function testDevice(host = 'push.example.org'): TestDevice {
  const pair = createECDH('prime256v1')
  pair.generateKeys()
  const auth = randomBytes(16).toString('base64url')
  const endpoint = `https://${host}/send/device-${(devices += 1)}`
  const p256dh = pair.getPublicKey('base64url', 'uncompressed')
  return { subscription: { endpoint, keys: { p256dh, auth } }, pair }
}
