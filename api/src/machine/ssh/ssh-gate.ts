import type { Socket } from 'node:net'

export interface GateLimits {
  unauthenticated: number
  unauthenticatedPerAddress: number
  sessions: number
  sessionsPerAddress: number
}

/** A connection that was let in. */
export interface Admission {
  /** Call it when the client has signed in. False where the maximum of sessions is reached. */
  signedIn(): boolean
}

/** Clients that are signed in to the SSH server of this process. */
export const openSshSessions = (): number => signedIn

let signedIn = 0

/**
 * Limits connections. Connections that have not signed in cannot block others: beyond the limit the oldest one of the same
 * address is closed first, so a flood evicts itself and a new connection gets in.
 */
export function connectionGate(limits: GateLimits) {
  let unauthenticated: { socket: Socket; address: string }[] = []
  let sessions: { socket: Socket; address: string }[] = []
  return {
    enter(socket: Socket, address: string): Admission {
      const entry = { socket, address }
      unauthenticated.push(entry)
      const ofAddress = unauthenticated.filter((other) => other.address === address)
      if (ofAddress.length > limits.unauthenticatedPerAddress) evict(ofAddress[0]!)
      if (unauthenticated.length > limits.unauthenticated) evict(unauthenticated[0]!)
      socket.once('close', () => {
        unauthenticated = unauthenticated.filter((other) => other !== entry)
        if (sessions.includes(entry)) signedIn -= 1
        sessions = sessions.filter((other) => other !== entry)
      })
      return {
        signedIn() {
          const ofThisAddress = sessions.filter((other) => other.address === address)
          if (sessions.length >= limits.sessions || ofThisAddress.length >= limits.sessionsPerAddress) {
            return false
          }
          unauthenticated = unauthenticated.filter((other) => other !== entry)
          sessions.push(entry)
          signedIn += 1
          return true
        },
      }
    },
    /** Sockets of all connections. */
    sockets: () => [...unauthenticated, ...sessions].map(({ socket }) => socket),
  }

  function evict(entry: { socket: Socket }): void {
    unauthenticated = unauthenticated.filter((other) => other !== entry)
    entry.socket.destroy()
  }
}
