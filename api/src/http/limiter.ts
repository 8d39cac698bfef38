import { Problem } from '@fellowship/schema/problem'
import { authTexts } from '@fellowship/schema/auth/auth.texts'
import type { Context } from '../context.ts'
import { countShared, uncountShared } from '../db/counted-attempts.ts'
import type { Clock } from '../machine/clock.ts'

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
  const attempts = new Map<string, number[]>()
  return {
    take(key) {
      const now = clock.now().getTime()
      // Changed in place: a flood is refused thousands of times a second, and each copy would be garbage.
      const recent = attempts.get(key) ?? []
      const oldest = recent.findIndex((at) => now - at < windowMs)
      recent.splice(0, oldest === -1 ? recent.length : oldest)
      if (recent.length >= rate.attempts) throw tooMany(recent[0]! + windowMs - now, sentence)
      recent.push(now)
      putBounded(attempts, key, recent)
    },
  }
}

/** Attempts that all processes of the database count together. It stores a mark of each key under APP_SECRET, no address. */
export function sharedLimiter(
  { sql, clock, secrets }: Pick<Context, 'sql' | 'clock' | 'secrets'>,
  rule: string,
  rate: Rate,
) {
  /** The end of each key's refusal, in epoch milliseconds: a flood does not reach the database. */
  const refused = new Map<string, number>()
  const countedBy = (key: string) => ({ rule, keyMark: secrets.mark('counted address', key), ...rate })
  return {
    /** @throws Problem `rate_limited` with the seconds to wait */
    async take(key: string): Promise<void> {
      const now = clock.now()
      const known = refused.get(key)
      if (known !== undefined && known > now.getTime()) throw tooMany(known - now.getTime())
      refused.delete(key)
      const oldest = await countShared(sql, countedBy(key), now)
      if (!oldest) return
      const until = oldest.getTime() + rate.perMinutes * 60_000
      putBounded(refused, key, until)
      throw tooMany(until - now.getTime())
    },
    /** Undoes the last attempt of the key. */
    giveBack: (key: string): Promise<void> => uncountShared(sql, countedBy(key)),
  }
}

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

/** Puts the entry last, and drops the oldest one beyond ten thousand: many addresses must not fill the memory. */
export function putBounded<T>(entries: Map<string, T>, key: string, value: T): void {
  entries.delete(key)
  entries.set(key, value)
  if (entries.size > 10_000) entries.delete(entries.keys().next().value!)
}
