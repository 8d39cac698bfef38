import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { afterAll } from 'vitest'
import { embeddedUser } from '../db/embedded.ts'
import type { Place } from '../db/connection.ts'

/** A test database at an address of its own, as DATABASE_URL has it, whose connections can be cut. */
export interface DatabaseAddress {
  readonly url: string
  /** Cuts every connection, as a network does; new ones may be made. */
  cut(): void
}

/** Closed after the file's tests. */
export async function databaseAddress(place: Place): Promise<DatabaseAddress> {
  const target =
    'url' in place
      ? { host: new URL(place.url).hostname, port: Number(new URL(place.url).port || 5432) }
      : { path: `${place.socketFolder}/.s.PGSQL.5432` }
  const sockets = new Set<Socket>()
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const server = createServer((near) => {
    const far = connect(target)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.pipe(other)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterAll(() => {
    cut()
    server.close()
  })
  const url = new URL('url' in place ? place.url : `postgres://${embeddedUser}@localhost/${place.database}`)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return { url: url.href, cut }
}
