import { connect as openSocket, Socket } from 'node:net'

/** Where postgres.js wants a socket to: what it parsed from its options. */
interface Target {
  host: string[]
  port: number[]
  path?: string | undefined
}

/** The sockets of a pool, which can be cut and kept shut while the database does not answer. */
export interface ConnectionGate {
  /** The `socket` option of postgres.js. */
  readonly open: (target: Target) => Socket
  /** Cuts every connection, so that what waits on it fails at once, and lets no new one be made until `release`. */
  shut(): void
  release(): void
}

export function connectionGate(): ConnectionGate {
  const sockets = new Set<Socket>()
  let isShut = false
  return {
    open: (target) => {
      for (const socket of sockets) if (socket.destroyed) sockets.delete(socket)
      const socket = isShut ? deadSocket() : liveSocket(target)
      sockets.add(socket)
      return socket
    },
    shut() {
      isShut = true
      for (const socket of sockets) socket.destroy()
      sockets.clear()
    },
    release() {
      isShut = false
    },
  }
}

/** Still connecting; the library's writes wait for that. It verifies a server's certificate by `host`. */
function liveSocket({ host: [host], port: [port], path }: Target): Socket {
  const socket = path === undefined ? openSocket(port!, host) : openSocket(path)
  return path === undefined ? Object.assign(socket, { host, port }) : socket
}

/** The library counts a connection as closed only by the events of a socket, so a refusal is a socket that fails. */
function deadSocket(): Socket {
  const socket = new Socket()
  setImmediate(() => socket.destroy(noAnswer()))
  return socket
}

const noAnswer = () =>
  Object.assign(new Error('the database does not answer'), { code: 'CONNECTION_NO_ANSWER' })
