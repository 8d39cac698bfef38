import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { processIdentity } from '../machine/process/process-identity.ts'
import { releasableLock } from '../machine/concurrency.ts'
import type { ConnectionGate } from './connection-gate.ts'
import { connect, endWithMachine, type Database, type Place } from './connection.ts'

/** Mutexes by key, shared by all processes of one database. */
export interface Locks {
  /**
   * Waits for the key and takes it.
   *
   * @param onContended called when another caller waits for the key, in whichever process, or when it was lost with the
   * connection to the database
   * @param signal aborts the waiting, which then rejects
   * @returns releases the key; idempotent
   */
  take(key: string, onContended: () => void, signal?: AbortSignal): Promise<() => void>
  /** Runs the work while holding the key. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>
  /** Runs the work while holding the key; undefined if another caller holds it. */
  tryRun<T>(key: string, work: () => Promise<T>): Promise<T | undefined>
  /** Names this process; its own key is held until it ends. */
  readonly owner: string
  /** Whether a process of that name still runs, also in another container or on another machine. */
  isAlive(owner: string): Promise<boolean>
  close(): Promise<void>
}

/**
 * Locks by advisory locks of PostgreSQL, all in one session of this process, so that waiting holds no connection of the
 * pool. Within the process callers queue; between processes they try again.
 *
 * @param sql the pool, over which processes tell each other that they wait
 * @param gate cuts the session when the database hangs
 */
export async function databaseLocks(place: Place, sql: Database, gate?: ConnectionGate): Promise<Locks> {
  const queue = releasableLock()
  const held = new Map<string, () => void>()
  const owner = `${processIdentity(process.pid) ?? process.pid}_${randomUUID()}`
  let isClosing = false
  const session = connect(place, {
    max: 1,
    applicationName: 'fellowship locks',
    ...(gate && { gate }),
    onClose: () => void (isClosing || afterLoss()),
  })
  const listening = await sql.listen(channel, (key) => held.get(key)?.())
  await keepOwner()

  async function tryTake(key: string): Promise<boolean> {
    const [row] = await session<{ mine: boolean }[]>`
      select pg_try_advisory_lock(hashtextextended(${key}, 0)) as mine`
    return row!.mine
  }
  /** A lost session has given its locks up, and this fails as well: there is nothing to release then. */
  const giveBack = (key: string) =>
    session`select pg_advisory_unlock(hashtextextended(${key}, 0))`.catch(() => undefined)
  async function keepOwner(): Promise<void> {
    const keep = () => endWithMachine(session).then(() => tryTake(owner))
    while (!isClosing && !(await keep().catch(() => false))) await delay(pauseMs.most)
  }
  async function afterLoss(): Promise<void> {
    for (const notify of held.values()) notify()
    await keepOwner()
  }
  async function takeFromOthers(key: string, signal: AbortSignal | undefined): Promise<void> {
    for (let pause = pauseMs.first; ; pause = Math.min(pause * 2, pauseMs.most)) {
      signal?.throwIfAborted()
      const trying = tryTake(key)
      // A database that hangs must not make the caller wait for longer than it wants to.
      if (signal) await Promise.race([trying, untilAborted(signal)])
      if (signal?.aborted) return abandon(key, trying, signal)
      if (await trying) return
      await sql`select pg_notify(${channel}, ${key})`
      await delay(pause, undefined, { ...(signal && { signal }) })
    }
  }
  function abandon(key: string, trying: Promise<boolean>, signal: AbortSignal): never {
    trying.then(
      (mine) => (mine ? giveBack(key) : undefined),
      () => undefined,
    )
    throw signal.reason as Error
  }
  async function take(key: string, onContended: () => void, signal?: AbortSignal): Promise<() => void> {
    const leave = await queue.take(key, onContended, signal)
    try {
      await takeFromOthers(key, signal)
    } catch (error) {
      leave()
      throw error
    }
    held.set(key, onContended)
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      held.delete(key)
      void giveBack(key).then(leave)
    }
  }

  return {
    take,
    owner,
    async run(key, work) {
      const release = await take(key, () => undefined)
      try {
        return await work()
      } finally {
        release()
      }
    },
    async tryRun(key, work) {
      if (held.has(key)) return undefined
      // Before the query: the session is this process's own, and would be given its lock a second time.
      held.set(key, () => undefined)
      const tried = async () => ((await tryTake(key)) ? andThen(work, () => giveBack(key)) : undefined)
      return andThen(tried, () => held.delete(key))
    },
    async isAlive(other) {
      if (other === owner) return true
      if (!(await tryTake(other))) return true
      await giveBack(other)
      return false
    },
    async close() {
      isClosing = true
      await listening.unlisten().catch(() => undefined)
      // If PostgreSQL was lost on the way, the library waits forever; nothing of this process runs any more.
      await session.end({ timeout: 2 })
    },
  }
}

async function andThen<T>(work: () => Promise<T>, end: () => unknown): Promise<T> {
  try {
    return await work()
  } finally {
    await end()
  }
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

const channel = 'lock_wanted'
/** Between two tries while another process holds the key. */
const pauseMs = { first: 20, most: 250 }

/**
 * Runs a job when its last run is `days` ago, in one process at a time. A run that fails counts as none.
 *
 * @returns whether it ran
 */
export async function runWhenDue(
  { sql, locks }: { sql: Database; locks: Locks },
  { name, days }: { name: string; days: number },
  work: () => Promise<void>,
): Promise<boolean> {
  const done = await locks.tryRun(`chore ${name}`, async () => {
    const [recent] = await sql`
      select 1 from chore_runs where name = ${name}
        and ran_at between now() - make_interval(days => ${days}) and now()`
    if (recent) return false
    await work()
    await sql`insert into chore_runs (name, ran_at) values (${name}, now())
      on conflict (name) do update set ran_at = excluded.ran_at`
    return true
  })
  return done ?? false
}
