/** Pauses a loop until it is woken. */
export interface Sleep {
  /** Ends a sleep that has begun, and none that begins later. */
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

/** Resolves after `ms`, which may be `Infinity`, or when `woken` does. May end early after many days: callers loop. */
export async function pause(ms: number, woken: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const over = new Promise<void>((resolve) => {
    if (ms !== Infinity) timer = setTimeout(resolve, Math.min(ms, longestTimerMs))
  })
  await Promise.race([over, woken])
  clearTimeout(timer)
}

/** Timers take 32 bits; a longer one fires at once in every browser. */
const longestTimerMs = 2 ** 31 - 1

/** Resolves when `isBusy` does to false, or after `patienceMs`: the leader may be another tab, and frozen. */
export async function waitWhile(isBusy: () => Promise<boolean>, patienceMs: number): Promise<void> {
  for (let waited = 0; waited < patienceMs && (await isBusy()); waited += pollMs)
    await new Promise((resolve) => setTimeout(resolve, pollMs))
}

const pollMs = 100

/** Retries work that the database failed at, with backoff, until it succeeds or is not wanted any more. */
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
