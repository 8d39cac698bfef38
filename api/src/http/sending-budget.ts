import { Problem } from '@fellowship/schema/problem'

/** Memory of a response that its client has not taken yet. */
export interface SendingSlot {
  /** Changes the bytes in memory; false if there is no room for more. */
  resize(bytes: number): boolean
  /** The client took bytes. */
  progressed(): void
  leave(): void
}

export interface SendingBudget {
  /**
   * Admits a response. If there is no room, the one that has stalled longest is ended: its client resumes by a range.
   *
   * @param end ends the response
   * @throws Problem `unavailable` if none has stalled
   */
  enter(address: string, bytes: number, end: () => void): SendingSlot
  /** Whether so many responses are in flight that each should hold as little as it can. */
  isCrowded(): boolean
}

interface Entry {
  readonly address: string
  readonly end: () => void
  /** When it began. */
  readonly first: number
  bytes: number
  progressedAt: number
}

/** A process sends to 3,000 clients at once that do not read; 1,000 phones may share an address. */
const defaults = { all: 96 * 2 ** 20, each: 32 * 2 ** 20, extra: 16 * 2 ** 20, stalledMs: 10_000, crowd: 200 }

/**
 * The memory of all responses that are being sent.
 *
 * @param limits.all bytes of all responses when they begin, and of those to one address (`each`)
 * @param limits.extra bytes by which fast ones may grow, together
 * @param limits.stalledMs without a byte, after which a response may be ended for another one
 * @param now a monotonic clock, milliseconds
 */
export function sendingBudget(
  limits: Partial<typeof defaults> = {},
  now: () => number = () => performance.now(),
): SendingBudget {
  const { all, each, extra, stalledMs, crowd } = { ...defaults, ...limits }
  /** The one that has stalled longest is the first. */
  const entries = new Set<Entry>()
  const byAddress = new Map<string, number>()
  let total = 0
  let grown = 0

  return {
    isCrowded: () => entries.size > crowd,
    enter(address, bytes, end) {
      makeRoom((byAddress.get(address) ?? 0) + bytes - each, (entry) => entry.address === address)
      makeRoom(total + bytes - all, () => true)
      const entry: Entry = { address, end, first: bytes, bytes, progressedAt: now() }
      entries.add(entry)
      count(entry, bytes)
      return {
        resize(wanted) {
          const more = wanted - entry.bytes
          if (!entries.has(entry) || (more > 0 && grown + more > extra)) return false
          grown += more
          entry.bytes = wanted
          return true
        },
        progressed() {
          if (!entries.delete(entry)) return
          entry.progressedAt = now()
          entries.add(entry)
        },
        leave: () => remove(entry),
      }

      /** Throws if `missing` bytes cannot be had from stalled responses. */
      function makeRoom(missing: number, mayEnd: (entry: Entry) => boolean): void {
        let left = missing
        for (const stalled of entries) {
          if (left <= 0) return
          if (now() - stalled.progressedAt < stalledMs) break
          if (!mayEnd(stalled)) continue
          left -= stalled.first
          remove(stalled)
          stalled.end()
        }
        if (left > 0) throw new Problem('unavailable', tooMany, { retryAfter: retrySeconds })
      }
    },
  }

  function count({ address }: Entry, bytes: number): void {
    total += bytes
    const own = (byAddress.get(address) ?? 0) + bytes
    if (own > 0) byAddress.set(address, own)
    else byAddress.delete(address)
  }

  function remove(entry: Entry): void {
    if (!entries.delete(entry)) return
    grown -= entry.bytes - entry.first
    count(entry, -entry.first)
  }
}

const tooMany = 'Too many recordings are being sent at the moment. Please try again in a few seconds.'
const retrySeconds = 5
