import { randomUUID } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Database, Transaction } from '../db/connection.ts'
import type { Locks } from '../db/locks.ts'
import type { SettlementNotes } from '../machine/storage/storage.ts'
import {
  assignUpload,
  claimUpload,
  deleteSettlement,
  forgetEndedProcesses,
  insertSettlement,
  isOpenAt,
  processesWith,
  recordTakeoverRequest,
  settlements,
} from './cluster.sql.ts'
import {
  joinProcesses,
  type ClusterContext,
  type Duty,
  type JoinOptions,
  type Membership,
  type ProcessFacts,
} from './membership.ts'

/** This process among those that serve the same database, each with a data folder of its own. */
export interface Node {
  /** Names the data folder; stored with each upload and Inbox item whose bytes are in it. */
  readonly id: string
  /** Names this process until it ends; stored with work that it has begun. */
  readonly process: string
  /** Whether a process of that name still runs, also on another machine. */
  isRunning(process: string): Promise<boolean>
  /** Whether the bytes of an upload or of an Inbox item are in this data folder, or nowhere yet. */
  owns(item: Owned): boolean
  /** Whether the bytes are in the data folder of another process that runs. */
  isOwnedElsewhere(item: Owned): Promise<boolean>
  /** Records that the bytes of an upload come here. False if they are elsewhere. Call it under the lock, before writing. */
  claimUpload(id: string): Promise<boolean>
  /**
   * An upload continues only at the process that has its bytes. While that process runs, its client should reach it with
   * the next try. If the process has ended, or the client reaches only others for a minute, the upload starts again here,
   * with its first byte: the client still has the file.
   *
   * @returns false if the client should try again to reach the process that has the bytes
   */
  takeOverUpload(upload: Owned & { id: string }, options: TakeOver): Promise<boolean>
  /** Whether this process alone performs the duty now: it has the lease, or takes it from a process that has ended. */
  leads(duty: Duty): Promise<boolean>
  /** Runs the work unless a process is running work of that name. Returns undefined if one is. */
  runAlone<T>(name: SoloWork, work: () => Promise<T>): Promise<T | undefined>
  /**
   * Announces a change to all processes, this one included.
   *
   * @param about details for the listeners
   * @param tx announces it when this transaction commits; without one, call it after the commit
   */
  tell(change: Change, about?: string, tx?: Transaction): Promise<void>
  /**
   * Listens for announced changes of all processes.
   *
   * @param onConnected called when listening begins, and when it resumes after a lost connection: changes may be missed
   * @returns stops listening
   */
  listen(
    change: Change,
    onChange: (about: string) => void,
    onConnected?: () => void,
  ): Promise<() => Promise<void>>
  /**
   * Handles the files that ended processes stored in a bucket without confirming their rows.
   *
   * @param removeUnreferenced removes the file unless a row refers to it; returns whether it did
   * @returns the number of removed files
   */
  clearSettlements(removeUnreferenced: (kind: string, name: string) => Promise<boolean>): Promise<number>
}

/** The node for the start and the end of this process. */
export interface ClusterNode extends Node {
  /**
   * Notes this process in the database and sends heartbeats from then on.
   *
   * @throws Error with a sentence if it may not serve beside a running process
   */
  join(facts: ProcessFacts, options?: JoinOptions): Promise<void>
  /** Allows a successor to wait for the end of this process, which finishes its requests. */
  announceEnd(): Promise<void>
  /** Gives up the leases. */
  leave(): Promise<void>
  /** Deletes the rows of processes that ended long ago without leaving. */
  forgetEndedProcesses(): Promise<void>
}

interface Owned {
  /** The data folder that has the bytes; null if nothing arrived, or arrived before there were several. */
  nodeId: string | null
}

interface TakeOver {
  /** Without waiting: the client cancels the upload. */
  atOnce: boolean
  /** Removes bytes that this data folder still has from before another process took the upload over. */
  removeStale: () => Promise<void>
}

/** Work for the whole database that one process does at a time. */
type SoloWork =
  | 'daily backup'
  | 'imports'
  | 'machine drafts'
  | 'push messages'
  | 'small copies'
  | 'weekly backup'

/** Changes that are announced to all processes, by their PostgreSQL channels. Triggers notify 'sync' when synced rows change. */
type Change = 'imports' | 'listening' | 'sftp' | 'sync'

export function clusterNode(context: ClusterContext, id: string): ClusterNode {
  const { sql, locks, log } = context
  let membership: Membership | undefined

  const owns = ({ nodeId }: Owned) => nodeId === null || nodeId === id
  async function isOwnedElsewhere(item: Owned): Promise<boolean> {
    if (owns(item)) return false
    // A killed process still has a young heartbeat, but no longer holds its key.
    for (const { owner } of await processesWith(sql, item.nodeId!))
      if (await locks.isAlive(owner)) return true
    return false
  }

  return {
    id,
    process: locks.owner,
    isRunning: (process) => locks.isAlive(process),
    owns,
    isOwnedElsewhere,
    claimUpload: (upload) => claimUpload(sql, upload, id),
    async takeOverUpload(upload, { atOnce, removeStale }) {
      if (owns(upload)) return true
      const mayResume = !atOnce && (await isOwnedElsewhere(upload))
      if (mayResume && (await recordTakeoverRequest(sql, upload.id)) < patienceSeconds) return false
      await withUploadLock({ locks }, upload.id, async () => {
        if (!(await isOpenAt(sql, upload.id, upload.nodeId!))) return
        await removeStale()
        await assignUpload(sql, upload.id, id)
        log.warn({ id: upload.id }, 'an upload of another process begins anew here')
      })
      return true
    },
    leads: async (duty) => (await membership?.leads(duty)) ?? false,
    runAlone: (name, work) => locks.tryRun(name, work),
    async tell(change, about = '', tx) {
      await (tx ?? sql)`select pg_notify(${change}, ${about})`
    },
    async listen(change, onChange, onConnected) {
      const listening = await sql.listen(change, onChange, onConnected)
      return () => listening.unlisten()
    },
    async clearSettlements(removeUnreferenced) {
      let removed = 0
      for (const { id: note, kind, name, owner } of await settlements(sql)) {
        if (owner === locks.owner || (await locks.isAlive(owner))) continue
        if (await removeUnreferenced(kind, name)) removed += 1
        await deleteSettlement(sql, note)
      }
      return removed
    },
    async join(facts, options) {
      membership = await joinProcesses(context, { ...facts, nodeId: id }, options)
    },
    announceEnd: async () => membership?.announceEnd(),
    leave: async () => membership?.leave(),
    forgetEndedProcesses: () => forgetEndedProcesses(sql),
  }
}

/** How long the client of an upload may reach only other processes before it starts again. */
const patienceSeconds = 60

/** The key of the lock that serializes the work on one upload: requests of its client, finalizing, sweeping. */
export const uploadKey = (id: string): string => `upload ${id}`

/** Runs the work while holding the lock of an upload. */
export const withUploadLock = <T>(
  { locks }: { locks: Pick<Locks, 'run'> },
  id: string,
  work: () => Promise<T>,
): Promise<T> => locks.run(uploadKey(id), work)

/** Notes in the database, for a bucket that several processes share: any of them can clear up after one that crashed. */
export const settlementNotes = (sql: Database, owner: string): SettlementNotes => ({
  async note(kind, name) {
    const id = randomUUID()
    await insertSettlement(sql, { id, kind, name, owner })
    // If that fails, another process compares the note with the rows after this one has ended.
    return () => deleteSettlement(sql, id).catch(() => undefined)
  },
})

/** The name of a data folder among those of one database: made at the first start and kept in the file `workshop`. */
export function nodeIdOf(dataDir: string): string {
  const file = path.join(dataDir, 'workshop')
  const kept = idIn(file)
  if (kept !== undefined) return kept
  const aside = `${file}.${randomUUID()}`
  writeFileSync(aside, `${randomUUID()}\n`, { mode: 0o644, flush: true })
  try {
    // A link, not a rename: when two processes start at once, both use the file of the first one.
    linkSync(aside, file)
    rmSync(aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const known = idIn(file)
    if (known === undefined) renameSync(aside, file)
    else rmSync(aside)
  }
  return idIn(file)!
}

/** Undefined if there is no such file, or if a power cut left it empty. */
function idIn(file: string): string | undefined {
  try {
    return /^[0-9a-f-]{36}$/.exec(readFileSync(file, 'utf8').trim())?.[0]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
