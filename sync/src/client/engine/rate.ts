import { NetworkError } from '../../call/call-error.ts'
import type { Transport } from '../../call/transport.ts'

/** Requests in one minute at most, whatever is answered; those that brought an entry forward are not counted. */
export const requestLimits = { perEntry: 12, perDevice: 60 }

/** Not sent: too many requests were made in the last minute. */
export class TooManyRequests extends NetworkError {
  /** When the next one may be sent, epoch milliseconds. */
  readonly at: number

  constructor(at: number) {
    super(new Error('Too many requests in a minute'))
    this.at = at
  }
}

/** Counts the requests of this page. */
export interface RequestRate {
  /** The transport of one entry; throws `TooManyRequests` in the place of a request over the limits. */
  transportOf(key: string, transport: Transport): Transport
  /** The entry is done, or the server took more of its bytes: the requests for that are not counted. */
  forget(key: string): void
}

export function requestRate(now: () => number): RequestRate {
  let sent: { key: string; at: number }[] = []
  const take = (key: string) => {
    const time = now()
    // Also without those of a time to come: the clock was set back since.
    sent = sent.filter(({ at }) => at > time - windowMs && at <= time)
    const own = sent.filter((request) => request.key === key)
    const full = [
      ...(own.length >= requestLimits.perEntry ? [own.at(-requestLimits.perEntry)!.at] : []),
      ...(sent.length >= requestLimits.perDevice ? [sent.at(-requestLimits.perDevice)!.at] : []),
    ]
    if (full.length > 0) throw new TooManyRequests(Math.max(...full) + windowMs)
    sent.push({ key, at: time })
  }
  return {
    transportOf: (key, transport) => ({
      base: transport.base,
      session: transport.session ?? transport,
      fetch: async (...request) => {
        take(key)
        return transport.fetch(...request)
      },
    }),
    forget(key) {
      sent = sent.filter((request) => request.key !== key)
    },
  }
}

const windowMs = 60_000

/** The count of this page, for all its queues. */
export const pageRequestRate: RequestRate = requestRate(() => Date.now())
