/** Lets one at a time work on a key; whoever waits asks the one at work to come to an end. */
export interface ReleasableLock {
  /**
   * Waits for the key.
   *
   * @param onAsked called when somebody else waits for it
   * @param signal ends the waiting: it then rejects with the signal's reason
   * @returns what gives the key back
   */
  take(key: string, onAsked: () => void, signal?: AbortSignal): Promise<() => void>
}

export function releasableLock(): ReleasableLock {
  const holders = new Map<string, { ask: () => void; over: Promise<void> }>()
  return {
    async take(key, onAsked, signal) {
      for (let holder = holders.get(key); holder; holder = holders.get(key)) {
        holder.ask()
        await untilOver(holder.over, signal)
      }
      let release = () => {}
      const over = new Promise<void>((resolve) => (release = resolve))
      const mine = { ask: onAsked, over }
      holders.set(key, mine)
      return () => {
        if (holders.get(key) === mine) holders.delete(key)
        release()
      }
    },
  }
}

async function untilOver(over: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  let stop = () => {}
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal?.reason as Error)
    signal?.addEventListener('abort', stop, { once: true })
  })
  try {
    await Promise.race([over, aborted])
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}
