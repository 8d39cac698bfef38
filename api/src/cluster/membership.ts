import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { Lifecycle } from '../machine/lifecycle.ts'
import type { Log } from '../machine/log.ts'
import type { Database } from '../db/connection.ts'
import type { Locks } from '../db/locks.ts'
import { logLoss } from '../db/log-loss.ts'
import {
  checkPurpose,
  checkText,
  refusalBeside,
  type ProcessFacts,
  type RunningProcess,
} from './process-refusals.ts'
import { noteProcess, othersSeen, removeProcess, takeLease } from './membership.sql.ts'

export { forgetEndedProcesses, isWorkshopServed } from './membership.sql.ts'

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
  context: {
    sql: Database
    locks: Locks
    log: Pick<Log, 'error' | 'warn' | 'info'>
    lifecycle: Pick<Lifecycle, 'draining'>
  },
  facts: ProcessFacts,
  { onBeat, beatMs = heartbeatMs, patience = { stoppingMs: 40_000, endingMs: 3_000 } }: Options = {},
): Promise<Peers> {
  const { sql, locks, log } = context
  const { owner } = locks
  let isOver = false
  let isStopping = false
  await enterWhenAllowed()
  const beats = setInterval(
    () =>
      void note()
        .then(onBeat)
        .catch((error: unknown) => logLoss(context, error, 'a heartbeat failed')),
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
    const secretCheck = secrets.seal(checkPurpose, checkText)
    await noteProcess(sql, { owner, workshop, host: hostname(), bucket, secretCheck, stopping: isStopping })
  }

  return {
    async leads(name) {
      if (isOver) return false
      // One that was frozen for longer is seen again before it takes anything.
      await note()
      return takeLease(sql, name, owner)
    },
    async stopping() {
      isStopping = true
      await note()
    },
    async end() {
      isOver = true
      clearInterval(beats)
      await removeProcess(sql, owner)
    },
  }
}

const heartbeatMs = 10_000
