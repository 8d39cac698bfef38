import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import ssh2 from 'ssh2'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { church, setChurch } from '@fellowship/schema/church'
import { sftpGuards } from '@fellowship/schema/sftp/sftp.limits'
import { keyExchangeInit } from '../../testing/ssh-packets.ts'
import { loadHostKey } from './ssh-keys.ts'
import { offeredCiphers } from './ssh-ciphers.ts'
import { hasNativeCiphers } from './ssh-private-parts.ts'
import { startSshServer, type SshServer } from './ssh.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'ssh-'))
const { privateKey: hostKey } = await loadHostKey(folder)
let server: SshServer
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await server.close()
})
afterAll(() => rm(folder, { recursive: true }))

async function start(
  limits: Partial<Record<keyof typeof sftpGuards, number>> = {},
  isBanned: (address: string) => boolean = () => false,
  { host = '127.0.0.1', hasNative = hasNativeCiphers } = {},
): Promise<void> {
  const unasked = () => {
    throw new Error('Nobody signs in here.')
  }
  server = await startSshServer({
    host,
    port: 0,
    hostKey,
    username: 'uploads',
    password: unasked,
    isAuthorized: unasked,
    isBanned,
    onWrongTry: unasked,
    mayEnter: unasked,
    onFault: unasked,
    hasNative,
    files: {
      facts: unasked,
      list: unasked,
      open: unasked,
      makeFolder: unasked,
      removeFolder: unasked,
      remove: unasked,
      rename: unasked,
      change: unasked,
    },
    limits: { ...sftpGuards, ...limits },
  })
}
const connected = async (host = '127.0.0.1') => {
  const socket = connect(server.port, host)
  socket.on('error', () => undefined)
  sockets.push(socket)
  await once(socket, 'connect')
  return socket
}

/** Both directions of SSH_MSG_KEXINIT (RFC 4253, 7.1) as the server sends it, to a client that has sent these pieces. */
async function offered(...pieces: Buffer[]): Promise<string[][]> {
  const socket = await connected()
  socket.setNoDelay(true)
  const send = async () => {
    for (const piece of [Buffer.from('SSH-2.0-test\r\n'), ...pieces]) {
      socket.write(piece)
      await delay(5)
    }
  }
  void send()
  let received = Buffer.alloc(0)
  for (;;) {
    const [data] = (await once(socket, 'data')) as [Buffer]
    received = Buffer.concat([received, data])
    const start = received.indexOf('\r\n') + 2
    if (start < 2 || received.length < start + 4) continue
    const length = received.readUInt32BE(start)
    if (received.length < start + 4 + length) continue
    expect(received[start + 5]).toBe(20)
    const lists: string[][] = []
    for (let at = start + 22; lists.length < 8;) {
      const bytes = received.readUInt32BE(at)
      lists.push(received.toString('ascii', at + 4, at + 4 + bytes).split(','))
      at += 4 + bytes
    }
    return lists
  }
}

test('offers exactly these algorithms', async () => {
  await start()
  const [kex, hostKeys, ...others] = await offered()
  // The last entry is OpenSSH's strict key exchange, which prevents shifted sequence numbers (CVE-2023-48795).
  expect(kex).toEqual([
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'diffie-hellman-group14-sha256',
    'kex-strict-s-v00@openssh.com',
  ])
  expect(hostKeys).toEqual(['ssh-ed25519'])
  const ciphers = offeredCiphers(hasNativeCiphers)
  const macs = [
    'hmac-sha2-256-etm@openssh.com',
    'hmac-sha2-512-etm@openssh.com',
    'hmac-sha2-256',
    'hmac-sha2-512',
  ]
  expect(others).toEqual([ciphers, ciphers, macs, macs, ['none'], ['none']])
})

describe("by Node's own ciphers", () => {
  const gcm = ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com']
  const all = offeredCiphers(false)
  const noNative = () => start({}, undefined, { hasNative: false })
  const ciphers = (lists: string[][]) => lists.slice(2, 4)

  test.each([
    ['both', ['aes128-ctr', gcm[1]!], gcm[1]!],
    ['counter mode alone', ['aes256-ctr'], 'aes256-ctr'],
  ])('a client with %s signs in by its cheapest cipher', async (_, cipher, negotiated) => {
    await noNative()
    const client = new ssh2.Client()
    client.on('error', () => undefined)
    const handshake = once(client, 'handshake')
    const offer = { cipher: cipher as ssh2.CipherAlgorithm[] }
    client.connect({ port: server.port, host: '127.0.0.1', username: 'x', algorithms: offer })
    const [{ cs, sc }] = (await handshake) as [ssh2.NegotiatedAlgorithms]
    expect([cs.cipher, sc.cipher]).toEqual([negotiated, negotiated])
    client.destroy()
  })

  test('a client that waits for the list gets it whole', async () => {
    await noNative()
    expect(ciphers(await offered())).toEqual([all, all])
  })

  test('waits for a list in pieces; counts AES-GCM both ways', async () => {
    await noNative()
    const both = keyExchangeInit(all, all)
    expect(ciphers(await offered(both.subarray(0, 3), both.subarray(3, 60), both.subarray(60)))).toEqual([
      gcm,
      gcm,
    ])
    const oneWay = [keyExchangeInit(all, ['aes128-ctr']), keyExchangeInit(['aes128-ctr'], all)]
    for (const list of oneWay) expect(ciphers(await offered(list))).toEqual([all, all])
  })
})

test.each([
  ['Grünau Süd-Ost', 'SSH-2.0-GrunauSudOst'],
  ['天国', 'SSH-2.0-SFTP'],
])('greets clients of %s with %s', async (shortName, greeting) => {
  setChurch({ ...church(), shortName })
  await start()
  const [data] = (await once(await connected(), 'data')) as [Buffer]
  expect(data.toString('latin1')).toMatch(new RegExp(`^${greeting}\r\n`))
})

test('queues connections beyond the burst', async () => {
  let asked = 0
  const isBanned = () => {
    asked += 1
    return false
  }
  await start({ handshakesAtOnce: 2, handshakesPerSecond: 0.01 }, isBanned)
  for (let number = 0; number < 2; number += 1) await once(await connected(), 'data')
  const third = await connected()
  let heard = ''
  third.setEncoding('utf8').on('data', (text: string) => (heard += text))
  // Once per connection, and again for the first two at their turn.
  await expect.poll(() => asked, { timeout: 20_000 }).toBe(5)
  const closed = once(third, 'close')
  await server.close()
  await closed
  expect(heard).toBe('')
})

test('closes a queued connection that was banned meanwhile', async () => {
  let asked = 0
  // Twice for the first, on connecting and at its turn; once for the second.
  await start({ handshakesAtOnce: 1, handshakesPerSecond: 20 }, () => (asked += 1) > 3)
  const first = await connected()
  await once(first, 'data')
  const second = await connected()
  let heard = ''
  second.setEncoding('utf8').on('data', (text: string) => (heard += text))
  await once(second, 'close')
  expect(heard).toBe('')
  expect(first.destroyed).toBe(false)
})

test('rejects a caller whose /64 is banned', async () => {
  const asked: string[] = []
  const isBanned = (address: string) => {
    asked.push(address)
    return true
  }
  await start({}, isBanned, { host: '::1' })
  const socket = await connected('::1')
  let heard = ''
  socket.setEncoding('utf8').on('data', (text: string) => (heard += text))
  await once(socket, 'close')
  expect([asked, heard]).toEqual([['0:0:0:0::/64'], ''])
})
