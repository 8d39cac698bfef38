import { setTimeout as delay } from 'node:timers/promises'
import { writeRate } from '@fellowship/schema/auth/auth.limits'
import { authTexts } from '@fellowship/schema/auth/auth.texts'
import { Problem } from '@fellowship/schema/problem'
import type { Sql } from '../db/connection.ts'
import { countShared, uncountShared } from '../db/counted-attempts.ts'
import { RecentMap } from '../machine/caches.ts'
import type { Clock } from '../machine/clock.ts'
import type { Secrets } from '../machine/secrets.ts'

/** Attempts of one key within a sliding window. */
interface Rate {
  attempts: number
  perMinutes: number
}

/** Attempts in the memory of this process: a restart resets them, and no address is stored. */
export interface MemoryLimiter {
  /** @throws Problem `rate_limited` with the seconds to wait */
  take(key: string): void
}

export function memoryLimiter(
  clock: Clock,
  rate: Rate,
  sentence?: (minutes: number) => string,
): MemoryLimiter {
  const windowMs = rate.perMinutes * 60_000
  const attempts = new RecentMap<number[]>(mostKeys)
  return {
    take(key) {
      const now = clock.now().getTime()
      // Changed in place: a flood is refused thousands of times a second, and each copy would be garbage.
      const recent = attempts.get(key) ?? []
      const oldest = recent.findIndex((at) => now - at < windowMs)
      recent.splice(0, oldest === -1 ? recent.length : oldest)
      if (recent.length >= rate.attempts) throw tooMany(recent[0]! + windowMs - now, sentence)
      recent.push(now)
      attempts.set(key, recent)
    },
  }
}

/** Attempts that all processes of the database count together. It stores a mark of each key under APP_SECRET, no address. */
export function sharedLimiter(
  { sql, clock, secrets }: { sql: Sql; clock: Clock; secrets: Secrets },
  rule: string,
  rate: Rate,
  sentence?: (minutes: number) => string,
) {
  /** The end of each key's refusal, in epoch milliseconds: a flood does not reach the database. */
  const refused = new RecentMap<number>(mostKeys)
  const countedBy = (key: string) => ({ rule, keyMark: secrets.mark('counted address', key), ...rate })
  return {
    /** @throws Problem `rate_limited` with the seconds to wait */
    async take(key: string): Promise<void> {
      const now = clock.now()
      const known = refused.get(key)
      if (known !== undefined && known > now.getTime()) throw tooMany(known - now.getTime(), sentence)
      refused.delete(key)
      const oldest = await countShared(sql, countedBy(key), now)
      if (!oldest) return
      const until = oldest.getTime() + rate.perMinutes * 60_000
      refused.set(key, until)
      throw tooMany(until - now.getTime(), sentence)
    },
    /** Undoes the last attempt of the key. */
    giveBack: (key: string): Promise<void> => uncountShared(sql, countedBy(key)),
  }
}

/** Attempts that are counted in the database at once, so that not every write costs a statement more. */
const portion = 20
/** Unused ones of a portion end, as they would otherwise be added to a later window. */
const portionMs = 60_000

/**
 * Limits the writes of each account, by its id, over all processes. A portion that another process has not used counts as used,
 * for as long as the window of the rate.
 */
export function writeLimiter(shared: Parameters<typeof sharedLimiter>[0]) {
  const { attempts, perMinutes } = writeRate
  const rate = { attempts: attempts / portion, perMinutes }
  const portions = sharedLimiter(shared, 'writes', rate, authTexts.tooManyChanges)
  const counted = new RecentMap<{ left: number; until: number }>(mostKeys)
  const counting = new Map<string, Promise<void>>()
  const count = async (key: string) => {
    await portions.take(key)
    counted.set(key, { left: portion, until: shared.clock.now().getTime() + portionMs })
  }
  return {
    /** @throws Problem `rate_limited` with the seconds to wait */
    async take(key: string): Promise<void> {
      for (;;) {
        const known = counted.get(key)
        if (known && known.left > 0 && shared.clock.now().getTime() < known.until) {
          known.left -= 1
          return
        }
        // Parallel writes share one portion.
        const asked = counting.get(key) ?? count(key).finally(() => counting.delete(key))
        counting.set(key, asked)
        await asked
      }
    },
  }
}

export type WriteLimiter = ReturnType<typeof writeLimiter>

/** Limits how much work runs at the same time, per key and in total. */
export function concurrencyLimiter(limits: { each: number; all: number }, refusal: () => Problem) {
  const taken = new Map<string, number>()
  let all = 0
  return {
    /**
     * Takes a slot; call the returned function once when the work has ended.
     *
     * @throws the refusal
     */
    enter(key: string): () => void {
      const own = taken.get(key) ?? 0
      if (all >= limits.all || own >= limits.each) throw refusal()
      all += 1
      taken.set(key, own + 1)
      return () => {
        all -= 1
        const left = taken.get(key)! - 1
        if (left > 0) taken.set(key, left)
        else taken.delete(key)
      }
    },
  }
}

function tooMany(ms: number, sentence: (minutes: number) => string = authTexts.slowDown): Problem {
  const seconds = Math.ceil(ms / 1000)
  return new Problem('rate_limited', sentence(Math.ceil(seconds / 60)), { retryAfter: seconds })
}

/** Many addresses must not fill the memory. */
const mostKeys = 10_000

/** Shared by calls of the framework and raw routes, so that their refusals count together. */
export type RefusalPace = ReturnType<typeof refusalPace>

/**
 * Delays clients with repeated rejections that never pause: the first ones in ten seconds are answered at once, each further
 * one to the same address a second later. A caller on 64 connections then costs 64 answers a second instead of thousands, and
 * other callers no longer wait for them. A refusal for a limit (429) counts as four: its caller should pause, whereas errors
 * that many people behind one address make in ten seconds are answered at once.
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
  const refusals = new RecentMap<{ since: number; weight: number }>(mostKeys)
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
    const recent = known && at - known.since < paceWindowMs ? known : { since: at, weight: 0 }
    recent.weight += status === 429 ? limitWeight : 1
    refusals.set(address, recent)
    // Each waiting caller holds a connection and some memory.
    if (recent.weight <= atOnce || waiting >= maxWaiting) return 0
    waiting += 1
    return waitMs
  }

  function answered(): void {
    waiting -= 1
  }
}

const paceWindowMs = 10_000
/** More than a device is refused that keeps to its own limits; several share an address. */
const atOnce = 200
const limitWeight = 4
const waitMs = 1_000
const maxWaiting = 2_000
