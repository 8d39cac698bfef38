/** A mutex per key whose holder is notified when another caller waits for it. */
export interface ReleasableLock {
  /**
   * Waits for the key and takes it.
   *
   * @param onContended called when another caller waits for the key
   * @param signal aborts the waiting, which then rejects with the signal's reason
   * @returns releases the key; idempotent
   */
  take(key: string, onContended: () => void, signal?: AbortSignal): Promise<() => void>
}

export function releasableLock(): ReleasableLock {
  const holders = new Map<string, { notify: () => void; over: Promise<void> }>()
  return {
    async take(key, onContended, signal) {
      for (let holder = holders.get(key); holder; holder = holders.get(key)) {
        holder.notify()
        await untilOver(holder.over, signal)
      }
      let release = () => {}
      const over = new Promise<void>((resolve) => (release = resolve))
      const mine = { notify: onContended, over }
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
