import { createPublicKey, verify } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { decrypt } from 'http_ece'
import { afterAll } from 'vitest'
import { pushSender } from '../machine/web-push.ts'
import type { TestDevice } from './push-device.ts'

/** A message as a push service received it. */
interface Posted {
  path: string
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

/**
 * A push service over TLS on loopback, at `https://push.example.org` and `https://other-push.example.org`: the sender
 * connects to it in place of the hosts of those names. Closed after the file's tests.
 */
export async function testPushService() {
  const posted: Posted[] = []
  let answer: (post: Posted) => { status: number; headers?: Record<string, string> } | 'cut'
  const reset = () => {
    posted.length = 0
    answer = () => ({ status: 201 })
  }
  reset()
  const listener: RequestListener = (request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const post = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(parts) }
      posted.push(post)
      const given = answer(post)
      if (given === 'cut') request.socket.destroy()
      else response.writeHead(given.status, given.headers).end()
    })
  }
  const server = createServer({ key: privateKey, cert: certificate }, listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const sender = pushSender({
    ca: certificate,
    port,
    lookup: (_, { all }, callback) =>
      all ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4),
  })
  afterAll(async () => {
    sender.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return {
    posted,
    sender,
    reset,
    /** Its answer from now on; 'cut' ends the connection without an answer. */
    answers: (next: typeof answer) => void (answer = next),
  }
}

/** The text that only this device can read. */
export function readMessage(body: Buffer, { pair, subscription }: TestDevice): unknown {
  const params = { version: 'aes128gcm', privateKey: pair, authSecret: subscription.keys.auth } as const
  return JSON.parse(decrypt(body, params).toString('utf8')) as unknown
}

/**
 * The sender's claims (RFC 8292), if they are signed by the key that it names; undefined if it is not.
 */
export function vapidClaims(
  authorization: string,
): { publicKey: string; claims: Record<string, unknown> } | undefined {
  const [, token = '', publicKey = ''] = /^vapid t=([^,]+), k=(.+)$/.exec(authorization) ?? []
  const [head = '', body = '', signature = ''] = token.split('.')
  const point = Buffer.from(publicKey, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33, 65)].map((half) => half.toString('base64url'))
  const key = createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x: x!, y: y! } })
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${body}`),
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  if (!isSigned) return undefined
  return {
    publicKey,
    claims: JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>,
  }
}

/** For the names above, and for nothing but tests: anyone may read it here. */
const privateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgTe6XwNBZkkBUxcsz
FepW0dD+eKHi/SUgi2SMm72QE6OhRANCAATjvcgcwaxhizz9i7lNI6hwULFHOQzo
0rT51WlefGQ2HqVAkS0cDq5LqsIBuTo4eXs9SG18W5XNZa035UDGCGHc
-----END PRIVATE KEY-----`

const certificate = `-----BEGIN CERTIFICATE-----
MIIBijCCATGgAwIBAgIBATAKBggqhkjOPQQDAjAbMRkwFwYDVQQDDBBwdXNoLmV4
YW1wbGUub3JnMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAbMRkw
FwYDVQQDDBBwdXNoLmV4YW1wbGUub3JnMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD
QgAE473IHMGsYYs8/Yu5TSOocFCxRzkM6NK0+dVpXnxkNh6lQJEtHA6uS6rCAbk6
OHl7PUhtfFuVzWWtN+VAxghh3KNkMGIwDAYDVR0TBAUwAwEB/zAzBgNVHREELDAq
ghBwdXNoLmV4YW1wbGUub3JnghZvdGhlci1wdXNoLmV4YW1wbGUub3JnMB0GA1Ud
DgQWBBRB3yhrevVxTZGjG/4tGVacNEA11DAKBggqhkjOPQQDAgNHADBEAiAlhEHi
aHluHL0Bq9KA0S1T6X5PXR6OvEvNkreoGnYVmwIgVMut1VDzEksc10WclgRe8eOu
gWYz7xzm1dgB5Npjpz4=
-----END CERTIFICATE-----`
