import { Problem } from '@fellowship/schema/problem'
import { authTexts } from '@fellowship/schema/auth/auth.texts'
import type { Clock } from '../machine/clock.ts'

/** Attempts per key within a sliding window; an excess one is refused with the minutes to wait. */
export interface RateLimit {
  take(key: string): void
  /** Undoes the last attempt of the key. */
  giveBack(key: string): void
}

/** In memory: a restart resets it, and no address is stored. Bounded; the oldest keys are dropped first. */
export function rateLimit(
  clock: Clock,
  rate: { attempts: number; perMinutes: number },
  sentence: (minutes: number) => string = authTexts.slowDown,
): RateLimit {
  const windowMs = rate.perMinutes * 60_000
  const attempts = new Map<string, number[]>()
  return {
    take(key) {
      const now = clock.now().getTime()
      // Changed in place: a flood is refused thousands of times a second, and each copy would be garbage.
      const recent = attempts.get(key) ?? []
      const oldest = recent.findIndex((at) => now - at < windowMs)
      recent.splice(0, oldest === -1 ? recent.length : oldest)
      if (recent.length >= rate.attempts) {
        const seconds = Math.ceil((recent[0]! + windowMs - now) / 1000)
        throw new Problem('rate_limited', sentence(Math.ceil(seconds / 60)), {
          retryAfter: seconds,
        })
      }
      attempts.delete(key)
      recent.push(now)
      attempts.set(key, recent)
      if (attempts.size > maxKeys) attempts.delete(attempts.keys().next().value!)
    },
    giveBack(key) {
      attempts.get(key)?.pop()
    },
  }
}

const maxKeys = 10_000
