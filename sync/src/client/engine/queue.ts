import type { Transport } from '../../call/transport.ts'
import type { RequestRate } from './rate.ts'
import { sleep, type pause } from './sleep.ts'

/** The entry to be run next. */
export interface Next<Entry> {
  entry?: Entry | undefined
  /** If no entry can be run now: when one can, epoch milliseconds. */
  dueAt?: number | undefined
}

/** Entries that wait on this device and are sent, or fetched, one after another within a lane. */
export interface Queue<Entry> {
  /** Lanes that run side by side. */
  width: number
  laneOf: (entry: Entry) => string
  /** The next entry outside of the busy lanes. */
  next: (busy: ReadonlySet<string>) => Promise<Next<Entry>>
  /** Runs an entry and stores its outcome. Rejects only if that could not be stored. */
  run: (entry: Entry, signal: AbortSignal) => Promise<void>
}

/** The first of these entries that is due, else when one will be. */
export function firstDue<Entry>(
  waiting: readonly Entry[],
  dueOf: (entry: Entry) => number,
  now: number,
): Next<Entry> {
  const entry = waiting.find((each) => dueOf(each) <= now)
  if (entry || waiting.length === 0) return { entry }
  return { dueAt: Math.min(...waiting.map(dueOf)) }
}

/** Runs until its signal aborts. */
export type LeaderWork = (signal: AbortSignal) => Promise<void>

/** The browser's part of a queue; a test passes its own. */
export interface QueueDeps {
  /** Epoch milliseconds. */
  now: () => number
  /** Runs `work` while this tab holds the leader lock; its end aborts the signal. */
  withLeaderLock: (work: LeaderWork) => () => void
  /** Resolves after `ms`, or when `woken` does. */
  pause: typeof pause
}

/** The further deps of a queue that talks to the server. */
export interface SendingDeps extends QueueDeps {
  transport: Transport
  /** Between 0 and 1, for the jitter of retries. */
  random: () => number
  rate: RequestRate
}

export interface RunningQueue {
  /** Looks for entries at once. */
  wake: () => void
  stop: () => void
}

/** Runs the entries of a queue as they become due, in the leader tab, until it is stopped. */
export function startQueue<Entry>(queue: Queue<Entry>, deps: QueueDeps): RunningQueue {
  const { wake, woken } = sleep()
  const stop = deps.withLeaderLock(async (signal) => {
    const lanes = runningLanes(queue, signal)
    signal.addEventListener('abort', wake)
    while (!signal.aborted) {
      const signalled = woken()
      const { dueAt, ends } = await lanes
        .fill()
        .catch(() => ({ dueAt: deps.now() + afterFaultMs * 2 ** lanes.unstored(), ends: lanes.ends() }))
      const ms = dueAt === undefined ? Infinity : Math.max(dueAt - deps.now(), 0)
      await deps.pause(ms, Promise.race([signalled, ...ends]))
    }
    await Promise.all(lanes.ends())
  })
  return { wake, stop }
}

/**
 * Runs everything that is due, and returns when nothing is.
 *
 * @returns when the next entry is due, epoch milliseconds; undefined if none is
 * @throws the error of an entry whose outcome could not be stored
 */
export async function drainQueue<Entry>(
  queue: Queue<Entry>,
  signal: AbortSignal,
): Promise<number | undefined> {
  const lanes = runningLanes(queue, signal)
  for (;;) {
    const { dueAt, ends } = await lanes.fill()
    if (ends.length === 0) return dueAt
    await Promise.race(ends)
  }
}

function runningLanes<Entry>({ width, laneOf, next, run }: Queue<Entry>, signal: AbortSignal) {
  const busy = new Map<string, Promise<void>>()
  const faults: unknown[] = []
  /** Outcomes in a row that could not be stored. */
  let unstored = 0

  function start(entry: Entry): void {
    const lane = laneOf(entry)
    const ended = run(entry, signal)
      .then(
        () => void (unstored = 0),
        (error: unknown) => {
          unstored = Math.min(unstored + 1, mostDoublings)
          faults.push(error)
        },
      )
      .finally(() => busy.delete(lane))
    busy.set(lane, ended)
  }

  const ends = () => [...busy.values()]

  return {
    /** Each resolves when its lane is free again. */
    ends,
    /** How often the wait after a fault is doubled: an entry whose outcome is lost is sent again. */
    unstored: () => Math.max(unstored - 1, 0),
    /**
     * Starts all that is due. Returns when something else is (undefined if no entry is, or no lane is free), and the
     * ends of the lanes that were busy then: one may be free again before the caller looks.
     */
    async fill(): Promise<{ dueAt: number | undefined; ends: Promise<void>[] }> {
      while (busy.size < width && !signal.aborted) {
        const lanes = new Set(busy.keys())
        const { entry, dueAt } = await next(lanes)
        if (faults.length > 0) throw faults.splice(0)[0]
        if (entry !== undefined) start(entry)
        // A lane that became free meanwhile may have another entry.
        else if ([...lanes].every((lane) => busy.has(lane))) return { dueAt, ends: ends() }
      }
      return { dueAt: undefined, ends: ends() }
    },
  }
}

/** After the database failed (full, closed by the system or by an update). */
const afterFaultMs = 1_000
/** Up to about four minutes. */
const mostDoublings = 9
