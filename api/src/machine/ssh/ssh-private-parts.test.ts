import { once } from 'node:events'
import { createServer, Socket } from 'node:net'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import ssh2, { type Connection, type SFTPWrapper } from 'ssh2'
import { afterAll, expect, test } from 'vitest'
import { connectClient } from '../../testing/sftp-client.ts'
import { loadHostKey } from './ssh-keys.ts'
import {
  KexInit,
  hasNativeCiphers,
  offerOf,
  receiverOf,
  sessionParts,
  socketOf,
} from './ssh-private-parts.ts'

/** The server's side of one plain session of ssh2, with nothing of ours between. */
const folder = await mkdtemp(path.join(tmpdir(), 'ssh-parts-'))
const { privateKey } = await loadHostKey(folder)
const session = await new Promise<{ connection: Connection; offer: unknown; sftp: SFTPWrapper }>(
  (resolve) => {
    const server = new ssh2.Server({ hostKeys: [privateKey] }, (connection) => {
      const offer = offerOf(connection)._offer
      connection.on('authentication', (attempt) => attempt.accept())
      connection.on('session', (accept) =>
        accept().on('sftp', (open) => resolve({ connection, offer, sftp: open() })),
      )
    })
    const listener = createServer((socket) => server.injectSocket(socket))
    listener.listen(0, '127.0.0.1', () => {
      const { port } = listener.address() as { port: number }
      void connectClient({ port, username: 'a', password: 'b' }).then((client) =>
        afterAll(async () => {
          client.connection.end()
          listener.close()
          await once(listener, 'close')
          await rm(folder, { recursive: true })
        }),
      )
    })
  },
)

const { connection, offer, sftp } = session
const lists = { array: expect.arrayContaining([expect.any(String)]) as string[] }
const direction = {
  cipher: lists,
  mac: lists,
  compress: lists,
  lang: { array: expect.any(Array) as string[] },
}

test.each([
  ['sockets are found by connection', () => socketOf(connection), expect.any(Socket)],
  [
    'AES-GCM is preferred to counter mode',
    () => offer,
    { lists: { kex: lists, serverHostKey: lists, cs: direction, sc: direction } },
  ],
  ['offers can be made', () => KexInit, expect.any(Function)],
  ['the native part is found', () => hasNativeCiphers, expect.any(Boolean)],
  [
    'answers are batched, and scp gets an exit status',
    () => sessionParts(sftp)._protocol,
    {
      channelData: expect.any(Function) as unknown,
      channelClose: expect.any(Function) as unknown,
      exitStatus: expect.any(Function) as unknown,
    },
  ],
  ['answers wait for the client', () => sessionParts(sftp)._buffer, []],
  [
    'large requests are announced',
    () => sessionParts(sftp).outgoing,
    {
      id: expect.any(Number) as number,
      state: 'open',
      packetSize: expect.any(Number) as number,
      window: expect.any(Number) as number,
    },
  ],
  ['names in Windows-1252 are read', () => receiverOf(sftp), { push: expect.any(Function) as unknown }],
])('%s by a part that ssh2 still has', (_, part, wanted: unknown) =>
  typeof wanted === 'object' && wanted !== null && !('asymmetricMatch' in wanted) && !Array.isArray(wanted)
    ? expect(part()).toMatchObject(wanted)
    : expect(part()).toEqual(wanted),
)
