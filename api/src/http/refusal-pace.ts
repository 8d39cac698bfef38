import { setTimeout as delay } from 'node:timers/promises'
import { putBounded } from './limiter.ts'

/** What everything that refuses shares: calls of the framework and raw routes count together. */
export type RefusalPace = ReturnType<typeof refusalPace>

/**
 * Paces the refusals of callers who never pause: the first ones in ten seconds are answered at once, each further one to the
 * same address a second later. A caller on 64 connections then costs 64 answers a second instead of thousands, and other
 * callers no longer wait for them. A refusal for a limit (429) counts as four: who meets one should pause, whereas what many
 * people behind one address type wrongly in ten seconds is answered at once.
 *
 * @param now a monotonic clock, milliseconds
 * @param wait waits as many milliseconds
 * @returns `waitFor`: the wait before the answer to an address, in milliseconds; `answered` is called when it is over.
 * `pause` does both.
 */
export function refusalPace(
  now: () => number = () => performance.now(),
  wait: (ms: number) => Promise<unknown> = delay,
) {
  const refusals = new Map<string, { since: number; weight: number }>()
  let waiting = 0
  return {
    waitFor,
    answered,
    async pause(address: string, status: number): Promise<void> {
      const ms = waitFor(address, status)
      if (ms > 0) await wait(ms).finally(answered)
    },
  }

  function waitFor(address: string, status: number): number {
    const at = now()
    const known = refusals.get(address)
    const recent = known && at - known.since < windowMs ? known : { since: at, weight: 0 }
    recent.weight += status === 429 ? limitWeight : 1
    putBounded(refusals, address, recent)
    // Those who wait hold a connection and some memory each.
    if (recent.weight <= atOnce || waiting >= maxWaiting) return 0
    waiting += 1
    return waitMs
  }

  function answered(): void {
    waiting -= 1
  }
}

const windowMs = 10_000
/** More than a device is refused that keeps to its own limits; several share an address. */
const atOnce = 200
const limitWeight = 4
const waitMs = 1_000
const maxWaiting = 2_000
