import { TooManyRequests } from '../../call/call-error.ts'
import type { Transport } from '../../call/transport.ts'

/**
 * The most requests in one minute that made no progress, with any answer. The last ones of the device are reserved for
 * requests that a person is waiting for.
 */
export const requestLimits = { perEntry: 12, perDevice: 60, reserved: 20 }

interface SentRequest {
  /** Another one in each tab; missing in rows of an earlier release. */
  id?: number
  key: string
  /** Epoch milliseconds. */
  at: number
  /** Whether no answer came. */
  unanswered?: boolean
}

/** The store of the requests of the last minute. */
export interface SentRequests {
  read(): readonly SentRequest[]
  write(sent: readonly SentRequest[]): void
}

/** Counts the requests of every page that shares the store. */
export interface RequestRate {
  /**
   * The transport of one try to bring an entry forward; throws `TooManyRequests` in the place of a request over the limits.
   *
   * @param options.automatic if no person asked for it: it leaves them their share
   */
  transportOf(key: string, transport: Transport, options?: { automatic?: boolean }): CountedTransport
}

export interface CountedTransport extends Transport {
  /**
   * Call it when the entry is done or the server took more of its bytes: the successful requests of this try are no longer
   * counted. Failed requests, of this try or of earlier ones, still are.
   */
  forget(): void
}

export function requestRate(now: () => number, store: SentRequests = sentInMemory()): RequestRate {
  const take = (key: string, automatic: boolean) => {
    const perDevice = requestLimits.perDevice - (automatic ? requestLimits.reserved : 0)
    const time = now()
    const kept = store.read().filter(({ at }) => at > time - windowMs)
    // Those of a time to come count when it is reached: the clock was set back since, and may be set right again.
    const sent = kept.filter(({ at }) => at <= time).sort((a, b) => a.at - b.at)
    const own = sent.filter((request) => request.key === key)
    const isFull = own.length >= requestLimits.perEntry
    const full = [
      ...(isFull ? [own.at(-requestLimits.perEntry)!.at] : []),
      ...(sent.length >= perDevice ? [sent.at(-perDevice)!.at] : []),
    ]
    if (full.length > 0) {
      const became = own.every(({ unanswered }) => unanswered) ? 'unanswered' : 'failed'
      throw new TooManyRequests(Math.max(...full) + windowMs, isFull ? became : undefined)
    }
    const id = Math.random()
    store.write([...kept, { id, key, at: time }])
    return id
  }
  return {
    transportOf(key, transport, { automatic = false } = {}) {
      /** Ids of the requests of this try that did not fail. */
      const answered = new Set<number | undefined>()
      return {
        base: transport.base,
        session: transport.session ?? transport,
        async fetch(...request) {
          const id = take(key, automatic)
          const response = await transport.fetch(...request).catch((error: unknown) => {
            const noted = store.read().map((each) => (each.id === id ? { ...each, unanswered: true } : each))
            store.write(noted)
            throw error
          })
          if (response.status < 400) answered.add(id)
          return response
        },
        forget() {
          store.write(store.read().filter(({ id }) => !answered.has(id)))
          answered.clear()
        },
      }
    },
  }
}

const windowMs = 60_000

export function sentInMemory(): SentRequests {
  let sent: readonly SentRequest[] = []
  return { read: () => sent, write: (given) => void (sent = given) }
}

/**
 * In the storage that all tabs of a browser profile share, and that a reload leaves as it was: it is read and written at
 * once, so that no request has to wait for it. This page counts for itself if the browser refuses it.
 */
export function sentOfDevice(storage: () => SiteStorage): SentRequests {
  const own = sentInMemory()
  let isShared = true
  return {
    read() {
      if (!isShared) return own.read()
      try {
        return parseSent(storage().getItem(storageKey))
      } catch {
        return own.read()
      }
    },
    write(sent) {
      own.write(sent)
      try {
        storage().setItem(storageKey, JSON.stringify(sent))
      } catch {
        // Full, or refused: the stored value is of no use any more.
        isShared = false
      }
    },
  }
}

const storageKey = 'sent-requests'

/** @throws SyntaxError if other code has written there */
function parseSent(text: string | null): SentRequest[] {
  const sent = JSON.parse(text ?? '[]') as unknown
  if (!Array.isArray(sent)) throw new SyntaxError('Not a list of requests')
  return (sent as Partial<SentRequest>[]).filter(
    (each): each is SentRequest => typeof each?.key === 'string' && typeof each.at === 'number',
  )
}

/** The used part of `localStorage`, by its own name: the server's build has no types of a browser. */
interface SiteStorage {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
}

/** The count of this device, for the queues of all its pages. */
export const deviceRequestRate: RequestRate = requestRate(
  () => Date.now(),
  sentOfDevice(() => (globalThis as unknown as { localStorage: SiteStorage }).localStorage),
)
