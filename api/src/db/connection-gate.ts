import { connect as openSocket, Socket } from 'node:net'

/** The address of the socket that postgres.js parsed from its options. */
interface Target {
  host: string[]
  port: number[]
  /** Of a unix socket; false if there is none. */
  path?: string | false | undefined
}

/** The sockets of a pool, which can be cut and kept shut while the database does not answer. */
export interface ConnectionGate {
  /** The `socket` option of postgres.js. */
  readonly open: (target: Target) => Socket
  /** Cuts every connection, so that waiting queries fail at once, and refuses new ones until `release`. */
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
  if (path) return openSocket({ path, ...neverFull })
  return Object.assign(openSocket({ port: port!, host: host!, ...neverFull }), { host, port })
}

/** As a full pipeline, a full socket would leave a transaction without its connection. */
const neverFull = { writableHighWaterMark: 2 ** 30 }

/** The library counts a connection as closed only by the events of a socket, so a refusal is a socket that fails. */
function deadSocket(): Socket {
  const socket = new Socket()
  setImmediate(() => socket.destroy(noAnswer()))
  return socket
}

const noAnswer = () =>
  Object.assign(new Error('the database does not answer'), { code: 'CONNECTION_NO_ANSWER' })
