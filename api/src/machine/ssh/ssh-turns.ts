export interface TurnLimits {
  /** Handshakes that may begin at once after a quiet while. */
  handshakesAtOnce: number
  /** How many a second from then on. */
  handshakesPerSecond: number
}

/**
 * Lets handshakes begin one by one: each is milliseconds of cryptography in the thread that answers everybody, so a crowd
 * of guessers may have only so much of it. Of those who wait each address has one turn after the other. Who has come in
 * from an address before does not wait, until a wrong password comes from there.
 */
export function handshakeTurns({ handshakesAtOnce, handshakesPerSecond }: TurnLimits) {
  /** By address, the one whose turn is next first. */
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
  /** False where nobody waits. */
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
    /** @param begin called when it is its turn; false where there is nothing to begin any more */
    wait(address: string, begin: () => boolean): void {
      if (known.has(address)) return void begin()
      waiting.set(address, [...(waiting.get(address) ?? []), begin])
      if (free === 0 || !beginNext()) return
      free -= 1
      timer ??= setInterval(tick, 1000 / handshakesPerSecond)
    },
    /** Somebody has signed in from it. */
    remember(address: string): void {
      known.delete(address)
      known.add(address)
      if (known.size > mostKnown) known.delete(known.values().next().value!)
    },
    /** Somebody has guessed from it. */
    forget: (address: string) => void known.delete(address),
    close(): void {
      clearInterval(timer)
      waiting.clear()
    },
  }
}

const mostKnown = 1000
