import type { Socket } from 'node:net'

export interface GateLimits {
  strangers: number
  strangersPerAddress: number
  sessions: number
  sessionsPerAddress: number
}

/** A connection inside the gate. */
export interface Admission {
  /** It has signed in. False where there are as many sessions as there may be. */
  signedIn(): boolean
}

/**
 * Counts connections. Those that have not signed in cannot keep others out: of too many the oldest of the same address
 * goes first, so a crowd pushes out itself and the one who comes last gets in.
 */
export function connectionGate(limits: GateLimits) {
  let strangers: { socket: Socket; address: string }[] = []
  let sessions: { socket: Socket; address: string }[] = []
  return {
    enter(socket: Socket, address: string): Admission {
      const entry = { socket, address }
      strangers.push(entry)
      const ofAddress = strangers.filter((other) => other.address === address)
      if (ofAddress.length > limits.strangersPerAddress) pushOut(ofAddress[0]!)
      if (strangers.length > limits.strangers) pushOut(strangers[0]!)
      socket.once('close', () => {
        strangers = strangers.filter((other) => other !== entry)
        sessions = sessions.filter((other) => other !== entry)
      })
      return {
        signedIn() {
          const ofThisAddress = sessions.filter((other) => other.address === address)
          if (sessions.length >= limits.sessions || ofThisAddress.length >= limits.sessionsPerAddress) {
            return false
          }
          strangers = strangers.filter((other) => other !== entry)
          sessions.push(entry)
          return true
        },
      }
    },
    /** Sockets of all that are inside. */
    sockets: () => [...strangers, ...sessions].map(({ socket }) => socket),
  }

  function pushOut(entry: { socket: Socket }): void {
    strangers = strangers.filter((other) => other !== entry)
    entry.socket.destroy()
  }
}
