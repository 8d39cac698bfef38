/** A loop that sleeps, and can be woken. */
export interface Sleep {
  /** Ends the sleep that there is, and none that begins later. */
  wake: () => void
  /** Resolves at the next call of `wake`. */
  woken: () => Promise<void>
}

export function sleep(): Sleep {
  let end = () => {}
  let woken = new Promise<void>((resolve) => (end = resolve))
  return {
    wake: () => {
      const call = end
      woken = new Promise<void>((resolve) => (end = resolve))
      call()
    },
    woken: () => woken,
  }
}

/** Resolves after `ms`, which may be `Infinity`, or when `woken` does. A sleep of many days ends early: who sleeps looks again. */
export async function pause(ms: number, woken: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const over = new Promise<void>((resolve) => {
    if (ms !== Infinity) timer = setTimeout(resolve, Math.min(ms, longestTimerMs))
  })
  await Promise.race([over, woken])
  clearTimeout(timer)
}

/** A timer counts in 32 bits, and one that cannot count that far rings at once (HTML, "timers", and every browser). */
const longestTimerMs = 2 ** 31 - 1

/** Does again what the device's own database failed at, for as long as it is wanted; resolves when it is done or not wanted. */
export async function retryUntilDone(
  work: () => PromiseLike<unknown>,
  isWanted: () => boolean,
): Promise<void> {
  for (let wait = 1_000; isWanted(); wait = Math.min(wait * 2, 60_000)) {
    try {
      await work()
      return
    } catch {
      await new Promise((resolve) => setTimeout(resolve, wait))
    }
  }
}
