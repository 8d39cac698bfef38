import { setTimeout as delay } from 'node:timers/promises'

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

/** A mutex per key: work runs in sequence for the same key, concurrently for different ones. */
export type KeyLock = <T>(key: string, work: () => Promise<T>) => Promise<T>

export function keyLock(): KeyLock {
  const last = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    const mine = (last.get(key) ?? Promise.resolve()).then(work, work)
    last.set(key, mine)
    try {
      return await mine
    } finally {
      if (last.get(key) === mine) last.delete(key)
    }
  }
}

/**
 * Waits for work, but no longer than so many milliseconds: a query never settles if its connection was lost at a bad
 * moment, and shutting down must end all the same.
 *
 * @throws the work's error until then
 */
export async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  const over = new AbortController()
  const late = delay(ms, undefined, { signal: over.signal }).catch(() => undefined)
  try {
    await Promise.race([work, late])
  } finally {
    over.abort()
  }
}
