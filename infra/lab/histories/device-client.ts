import { setTimeout as delay } from 'node:timers/promises'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { textOf } from '@fellowship/schema/teachings/teaching-words'
import type { EnteredFields } from '@fellowship/schema/uploads/uploads.schema'
import type { Transport } from '@fellowship/sync/call/call'
import { AppDatabase } from '@fellowship/sync/client/database/app-database'
import { UploadDatabase } from '@fellowship/sync/client/database/upload-database'
import { isOfTeaching } from '@fellowship/sync/client/outbox/entry-words'
import { drain, retryNow } from '@fellowship/sync/client/outbox/outbox-drain'
import {
  appendDelete,
  appendEdit,
  applyOutbox,
  decide,
  discard,
  readOutbox,
} from '@fellowship/sync/client/outbox/outbox'
import { pull } from '@fellowship/sync/client/replica/pull'
import { addFile } from '@fellowship/sync/client/uploads/upload-copy'
import { startUploads } from '@fellowship/sync/client/uploads/upload-queue'
import { hurriedUploads, unlimitedRate } from '@fellowship/sync/testing/hurried-uploads'

export interface DeviceClientOptions {
  /** Prefix of its databases; a later client with the same name continues with them. */
  name: string
  userId: number
  transport: Transport
}

/** An edit or a deletion in the outbox. */
export interface PendingChange {
  mutationId: string
  uid: string
  state: string
  op: 'edit' | 'delete' | 'restore'
  /** Whether the server has sent its row, so that a person can decide. */
  isDecidable: boolean
}

/**
 * The client code of one release on databases of its own, as the histories drive it. A release bundles this file, and
 * the histories of later ones drive that bundle against their server: the interface changes only by additions.
 */
export interface DeviceClient {
  /** Queues a recording; `onStart` receives the uid of its teaching before anything is stored. */
  upload(file: File, fields: EnteredFields, onStart: (uid: string) => void): Promise<void>
  /** Tries all uploads at once, and returns their states. */
  uploads(): Promise<{ id: string; state: string; lastError: string }[]>
  /** The teachings on the screen: the replica with the outbox applied. */
  shown(): Promise<Teaching[]>
  edit(shown: Teaching, words: Partial<Pick<Teaching, 'title' | 'speaker'>>): Promise<void>
  remove(shown: Teaching): Promise<void>
  changes(): Promise<PendingChange[]>
  discard(mutationId: string): Promise<void>
  /** Decides a conflict for this person’s change. */
  insist(mutationId: string): Promise<void>
  /** Sends the outbox. */
  drain(): Promise<void>
  /**
   * Pulls; `verify` compares the digests.
   *
   * @returns whether the digests differed, so that a snapshot replaced the rows
   */
  pull(options?: { verify?: boolean }): Promise<boolean>
  /** The replica, by uid. */
  rows(): Promise<Teaching[]>
  /** Stops; the databases stay for the next client if `keep` is set. */
  close(options?: { keep?: boolean }): Promise<void>
}

export function openDeviceClient({ name, userId, transport }: DeviceClientOptions): DeviceClient {
  const db = new AppDatabase(`${name} app`)
  const uploadDb = new UploadDatabase(`${name} uploads`)
  const queue = backgroundUploads(uploadDb, { userId, transport })
  const author = () => ({ userId, now: Date.now() })
  // It changes teachings only.
  const entriesHere = async () => (await readOutbox(db, userId)).filter(isOfTeaching)
  const find = async (id: string) => (await entriesHere()).find(({ mutationId }) => mutationId === id)
  return {
    async upload(file, fields, onStart) {
      const hold = <T>(uid: string, work: () => Promise<T>) => {
        onStart(uid)
        return work()
      }
      const upload = { fields, ownerUserId: userId, now: Date.now() }
      await addFile(uploadDb, file, upload, { hold, yieldToMain: () => delay(0) })
    },
    async uploads() {
      queue.retryNow()
      const jobs = await uploadDb.jobs.toArray()
      return jobs.map(({ id, state, lastError }) => ({ id, state, lastError: JSON.stringify(lastError) }))
    },
    shown: async () => applyOutbox(await db.teachings.toArray(), await readOutbox(db, userId)),
    async edit(shown, words) {
      await appendEdit(db, shown, { ...textOf(shown), ...words }, author())
    },
    async remove(shown) {
      await appendDelete(db, shown, author())
    },
    async changes() {
      const entries = await entriesHere()
      return entries.map((entry) => ({ ...entry, isDecidable: entry.current !== undefined }))
    },
    discard: (mutationId) => discard(db, mutationId),
    async insist(mutationId) {
      const { op, current, patch } = (await find(mutationId))!
      await decide(db, mutationId, op === 'delete' ? 'delete' : { ...textOf(current!), ...patch })
    },
    async drain() {
      await retryNow(db)
      const options = { now: () => Date.now(), userId: () => userId, random: () => 0.01, rate: unlimitedRate }
      await drain(db, transport, options)
    },
    async pull({ verify = false } = {}) {
      let hasHealed = false
      const onHeal = () => void (hasHealed = true)
      await pull(db, transport, { now: () => Date.now(), verify, onHeal })
      return hasHealed
    },
    rows: () => db.teachings.orderBy('uid').toArray(),
    async close({ keep = false } = {}) {
      await queue.stop()
      for (const each of [db, uploadDb]) if (keep) each.close()
      for (const each of [db, uploadDb]) if (!keep) await each.delete()
    },
  }
}

function backgroundUploads(
  db: UploadDatabase,
  { userId, transport }: { userId: number; transport: Transport },
) {
  const working: Promise<void>[] = []
  const queue = startUploads({
    ...hurriedUploads,
    db,
    transport,
    userId: () => userId,
    withLeaderLock: (work) => {
      const over = new AbortController()
      working.push(work(over.signal))
      return () => over.abort()
    },
  })
  return {
    retryNow: () => queue.retryNow(),
    async stop() {
      queue.stop()
      await Promise.all(working)
    },
  }
}
