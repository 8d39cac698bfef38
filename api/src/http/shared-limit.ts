import { Problem } from '@fellowship/schema/problem'
import { authTexts } from '@fellowship/schema/auth/auth.texts'
import type { Context } from '../context.ts'
import { countShared, uncountShared, type Counted } from '../db/counted-attempts.ts'

/** Attempts per address within a sliding window, counted together by all processes of the database. */
export interface SharedLimit {
  /** @throws Problem `rate_limited` with the minutes to wait */
  take(address: string): Promise<void>
  /** Undoes the last attempt of the address. */
  giveBack(address: string): Promise<void>
}

/** No address is stored: the key is its mark under APP_SECRET. */
export function sharedLimit(
  { sql, clock, secrets }: Pick<Context, 'sql' | 'clock' | 'secrets'>,
  rule: string,
  rate: { attempts: number; perMinutes: number },
): SharedLimit {
  /** Until when an address is refused, in epoch milliseconds: a flood is not taken to the database. */
  const refused = new Map<string, number>()
  const countedBy = (address: string): Counted => ({
    rule,
    keyMark: secrets.mark('counted address', address),
    ...rate,
  })
  return {
    async take(address) {
      const now = clock.now()
      const known = refused.get(address)
      if (known !== undefined && known > now.getTime()) throw tooMany(known, now)
      refused.delete(address)
      const oldest = await countShared(sql, countedBy(address), now)
      if (!oldest) return
      const until = oldest.getTime() + rate.perMinutes * 60_000
      refused.set(address, until)
      if (refused.size > mostRefused) refused.delete(refused.keys().next().value!)
      throw tooMany(until, now)
    },
    giveBack: (address) => uncountShared(sql, countedBy(address)),
  }
}

function tooMany(until: number, now: Date): Problem {
  const seconds = Math.ceil((until - now.getTime()) / 1000)
  return new Problem('rate_limited', authTexts.slowDown(Math.ceil(seconds / 60)), { retryAfter: seconds })
}

const mostRefused = 10_000
