import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../db/connection.ts'
import type { Locks } from '../db/locks.ts'
import { logLoss } from '../db/log-loss.ts'
import type { Lifecycle } from '../machine/lifecycle.ts'
import type { Log } from '../machine/log.ts'
import type { Secrets } from '../machine/secrets.ts'
import { othersSeen, removeProcess, takeLease, writeHeartbeat, type RunningProcess } from './cluster.sql.ts'

export interface ClusterContext {
  sql: Database
  locks: Locks
  log: Pick<Log, 'error' | 'warn' | 'info'>
  lifecycle: Pick<Lifecycle, 'draining'>
}

/** The membership of this process, from its first heartbeat to its end. */
export interface Membership {
  leads(duty: Duty): Promise<boolean>
  announceEnd(): Promise<void>
  leave(): Promise<void>
}

/** 'schedule': the chores about the database or the bucket, which are not about one data folder. */
export type Duty = 'schedule'

/** Facts that have to match between the processes of one database. */
export interface ProcessFacts {
  /** The bucket of finished recordings; null if they are on the disk of this process. */
  bucket: string | null
  secrets: Secrets
}

type NodeFacts = ProcessFacts & Pick<RunningProcess, 'nodeId'>

export interface JoinOptions {
  beatMs?: number
  /** How long a start waits for a process that is stopping, or that may just have been killed. */
  patience?: { stoppingMs: number; endingMs: number }
}

/**
 * Notes this process in the database and sends heartbeats from then on.
 *
 * @throws Error with a sentence if it may not serve beside a running process
 */
export async function joinProcesses(
  context: ClusterContext,
  facts: NodeFacts,
  { beatMs = heartbeatMs, patience = { stoppingMs: 40_000, endingMs: 3_000 } }: JoinOptions = {},
): Promise<Membership> {
  const { sql, locks, log } = context
  const { owner } = locks
  let isOver = false
  let isStopping = false
  await enterWhenAllowed()
  const beats = setInterval(
    () => void beat().catch((error: unknown) => logLoss(context, error, 'a heartbeat failed')),
    beatMs,
  )

  async function enterWhenAllowed(): Promise<void> {
    const began = performance.now()
    let isLogged = false
    for (;;) {
      const refusal = await enter()
      if (!refusal) return
      const waitMs = refusal.other.stopping ? patience.stoppingMs : patience.endingMs
      if (performance.now() - began > waitMs) throw new Error(refusal.sentence)
      if (!isLogged) log.info({ host: refusal.other.host }, 'waiting for another process to end')
      isLogged = true
      await delay(250)
    }
  }
  /** One process enters at a time: if two start at once, the second one sees the first. */
  function enter(): Promise<{ other: RunningProcess; sentence: string } | undefined> {
    return locks.run('server processes', async () => {
      for (const other of await othersSeen(sql, owner)) {
        const sentence = refusalBeside(facts, other)
        // A process holds its own key until it ends, so that the key is free before the heartbeats grow old.
        if (sentence !== undefined && (await locks.isAlive(other.owner))) return { other, sentence }
      }
      await beat()
      return undefined
    })
  }
  async function beat(): Promise<void> {
    if (isOver) return
    const { nodeId, bucket, secrets } = facts
    const secretCheck = secrets.seal(checkPurpose, checkText)
    await writeHeartbeat(sql, { owner, nodeId, host: hostname(), bucket, secretCheck, stopping: isStopping })
  }

  return {
    async leads(duty) {
      if (isOver) return false
      // A process that was frozen for longer than its heartbeats last is seen again before it takes a lease.
      await beat()
      return takeLease(sql, duty, owner)
    },
    async announceEnd() {
      isStopping = true
      await beat()
    },
    async leave() {
      isOver = true
      clearInterval(beats)
      await removeProcess(sql, owner)
    },
  }
}

const heartbeatMs = 10_000

/** Why a process may not start beside another one, and the way out; undefined if it may. */
export function refusalBeside(
  { nodeId, bucket, secrets }: NodeFacts,
  other: RunningProcess,
): string | undefined {
  const beside = `Another process of the product (on ${other.host}) serves this database`
  if (other.nodeId === nodeId)
    return `${beside} with this DATA_DIR, or with the folder it was copied from. Stop that one, or give each process an empty DATA_DIR of its own.`
  if (bucket === null || other.bucket === null)
    return `${beside}, and ${bucket === null ? 'this one keeps' : 'that one keeps'} recordings on its own disk. Stop that one, or set S3_ENDPOINT and the same S3_BUCKET for each process.`
  if (bucket !== other.bucket)
    return `${beside} with another place for recordings (${other.bucket}, here ${bucket}). Set the same S3_ENDPOINT and S3_BUCKET for each process.`
  if (secrets.open(checkPurpose, other.secretCheck) !== checkText)
    return `${beside} with another APP_SECRET. Set the same APP_SECRET for each process: the one in the file app-secret of the first one's DATA_DIR.`
  return undefined
}

/** A known text, sealed for the comparison of secrets. */
export const checkPurpose = 'processes'
export const checkText = 'the same secret'
