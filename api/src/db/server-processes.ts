import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../machine/log.ts'
import type { Database, Sql } from './connection.ts'
import type { Locks } from './locks.ts'
import {
  checkPurpose,
  checkText,
  refusalBeside,
  type ProcessFacts,
  type RunningProcess,
} from './process-refusals.ts'

/** This process among those that serve the same database. */
export interface Peers {
  /**
   * Whether this process does for all what `name` says, and nobody else: it has the lease, or takes it where its holder
   * ended, or has not been seen for half a minute.
   */
  leads(name: LeaseName): Promise<boolean>
  /** Lets a successor start beside this process, which finishes its requests. */
  stopping(): Promise<void>
  /** Gives up its leases. */
  end(): Promise<void>
}

/** 'schedule': the chores that are about the database or the bucket, not about one data folder. */
type LeaseName = 'schedule'

interface Options {
  /** Called after each heartbeat. */
  onBeat?: () => void
  beatMs?: number
  /** How long a start waits for a process that is stopping, or may just have been killed. */
  patience?: { stoppingMs: number; endingMs: number }
}

/**
 * Notes this process in the database and sends heartbeats from then on.
 *
 * @throws Error with a sentence where it may not serve beside one that runs
 */
export async function joinProcesses(
  { sql, locks, log }: { sql: Database; locks: Locks; log: Pick<Log, 'warn' | 'info'> },
  facts: ProcessFacts,
  { onBeat, beatMs = heartbeatMs, patience = { stoppingMs: 40_000, endingMs: 3_000 } }: Options = {},
): Promise<Peers> {
  const { owner } = locks
  let isOver = false
  let isStopping = false
  await enterWhenAllowed()
  const beats = setInterval(
    () =>
      void note()
        .then(onBeat)
        .catch((error: unknown) => log.warn({ err: error }, 'a heartbeat failed')),
    beatMs,
  )

  async function enterWhenAllowed(): Promise<void> {
    const began = performance.now()
    let isTold = false
    for (;;) {
      const refusal = await enter()
      if (!refusal) return
      const waitMs = refusal.other.stopping ? patience.stoppingMs : patience.endingMs
      if (performance.now() - began > waitMs) throw new Error(refusal.sentence)
      if (!isTold) log.info({ host: refusal.other.host }, 'waiting for another process to end')
      isTold = true
      await delay(250)
    }
  }
  /** One process enters at a time, so that of two that start at once the second one sees the first. */
  function enter(): Promise<{ other: RunningProcess; sentence: string } | undefined> {
    return locks.run('server processes', async () => {
      for (const other of await othersSeen(sql, owner)) {
        const sentence = refusalBeside(facts, other)
        // Its own key, which a process holds until it ends, is given up sooner than its heartbeats grow old.
        if (sentence !== undefined && (await locks.isAlive(other.owner))) return { other, sentence }
      }
      await note()
      return undefined
    })
  }
  async function note(): Promise<void> {
    if (isOver) return
    const { workshop, bucket, secrets } = facts
    const host = hostname()
    const row = { owner, workshop, host, bucket, secretCheck: secrets.seal(checkPurpose, checkText) }
    await sql`insert into server_processes ${sql({ ...row, stopping: isStopping })}
      on conflict (owner) do update set seen_at = clock_timestamp(), stopping = excluded.stopping`
  }

  return {
    async leads(name) {
      if (isOver) return false
      // One that was frozen for longer is seen again before it takes anything.
      await note()
      const taken = await sql`
        insert into leases as kept (name, holder) values (${name}, ${owner})
        on conflict (name) do update set holder = excluded.holder
          where kept.holder = excluded.holder or not exists (
            select 1 from server_processes where owner = kept.holder and ${isSeen(sql)})`
      return taken.count > 0
    },
    async stopping() {
      isStopping = true
      await note()
    },
    async end() {
      isOver = true
      clearInterval(beats)
      await sql`delete from server_processes where owner = ${owner}`
    },
  }
}

/** Whether a process serves with this data folder. One that was killed does not, from that moment on. */
export async function isWorkshopServed(
  { sql, locks }: { sql: Sql; locks: Pick<Locks, 'isAlive'> },
  workshop: string,
): Promise<boolean> {
  const seen = await sql<{ owner: string }[]>`
    select owner from server_processes where workshop = ${workshop} and ${isSeen(sql)}`
  for (const { owner } of seen) if (await locks.isAlive(owner)) return true
  return false
}

/** Forgets processes that ended long ago without saying so. */
export async function forgetEndedProcesses(sql: Sql): Promise<void> {
  await sql`delete from server_processes where seen_at < clock_timestamp() - interval '1 day'`
}

const othersSeen = (sql: Sql, owner: string): Promise<RunningProcess[]> => sql<RunningProcess[]>`
  select owner, workshop, host, bucket, secret_check, stopping from server_processes
  where owner <> ${owner} and ${isSeen(sql)} order by seen_at`

/** Three heartbeats are missing. */
const isSeen = (sql: Sql) => sql`seen_at > clock_timestamp() - interval '30 seconds'`
const heartbeatMs = 10_000
