import type { Socket } from 'node:net'

export interface GateLimits {
  unauthenticated: number
  unauthenticatedPerAddress: number
  sessions: number
  sessionsPerAddress: number
}

/** A connection that was let in. */
interface Admission {
  /** Call it when the client has signed in. False if the maximum of sessions is reached. */
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

export interface TurnLimits {
  /** Burst: handshakes that may begin at once after a quiet period. */
  handshakesAtOnce: number
  /** Handshakes per second beyond the burst. */
  handshakesPerSecond: number
}

/**
 * Rate-limits handshakes (a token bucket): each takes milliseconds of cryptography on the event loop, so a flood of password
 * guesses must not exhaust it. Waiting addresses take turns. An address that has signed in before does not wait, until a
 * wrong password comes from it.
 */
export function handshakeTurns({ handshakesAtOnce, handshakesPerSecond }: TurnLimits) {
  /** Queues by address, the next in turn first. */
  const waiting = new Map<string, (() => boolean)[]>()
  const known = new Set<string>()
  let free = handshakesAtOnce
  let timer: NodeJS.Timeout | undefined

  const next = (): (() => boolean) | undefined => {
    for (const [address, [first, ...others]] of waiting) {
      waiting.delete(address)
      if (others.length > 0) waiting.set(address, others)
      return first
    }
    return undefined
  }
  /** False if the queue is empty. */
  const beginNext = (): boolean => {
    for (let begin = next(); begin; begin = next()) if (begin()) return true
    return false
  }
  const tick = () => {
    if (beginNext()) return
    free += 1
    if (free < handshakesAtOnce) return
    clearInterval(timer)
    timer = undefined
  }
  return {
    /** @param begin called when it is its turn; returns false if the connection is gone */
    wait(address: string, begin: () => boolean): void {
      if (known.has(address)) return void begin()
      waiting.set(address, [...(waiting.get(address) ?? []), begin])
      if (free === 0 || !beginNext()) return
      free -= 1
      timer ??= setInterval(tick, 1000 / handshakesPerSecond)
    },
    /** A client has signed in from this address. */
    remember(address: string): void {
      known.delete(address)
      known.add(address)
      if (known.size > mostKnown) known.delete(known.values().next().value!)
    },
    /** A wrong password or key came from this address. */
    forget: (address: string) => void known.delete(address),
    close(): void {
      clearInterval(timer)
      waiting.clear()
    },
  }
}

const mostKnown = 1000
