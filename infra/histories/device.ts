import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { textOf } from '@fellowship/schema/teachings/teaching-words'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { CallError } from '@fellowship/sync/call/call-error'
import type { Transport } from '@fellowship/sync/call/call'
import { AppDatabase } from '@fellowship/sync/client/database/app-database'
import { UploadDatabase } from '@fellowship/sync/client/database/upload-database'
import type { RequestRate } from '@fellowship/sync/client/engine/rate'
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
import { startUploads, type UploadQueue } from '@fellowship/sync/client/uploads/upload-queue'
import type { Random } from '@fellowship/sync/testing/random'

/** Many faults in little time, each retried at once. */
const unlimited: RequestRate = { transportOf: (_key, transport) => transport, forget: () => undefined }

/** A person's device: the real client code on databases of its own. It lives through all histories. */
export class Device {
  readonly #name: string
  readonly #userId: number
  readonly #transport: Transport
  readonly #db: AppDatabase
  readonly #uploads: UploadDatabase
  readonly #queue: UploadQueue
  readonly #working: Promise<void>[] = []
  readonly #sends: (uid: string, sha256: string) => void
  #made = 0

  /** @param sends called before a recording is queued */
  constructor(
    name: string,
    userId: number,
    transport: Transport,
    sends: (uid: string, sha256: string) => void,
  ) {
    this.#name = name
    this.#userId = userId
    this.#transport = transport
    this.#sends = sends
    this.#db = new AppDatabase(`${name} app`)
    this.#uploads = new UploadDatabase(`${name} uploads`)
    this.#queue = startUploads({
      db: this.#uploads,
      transport,
      now: () => Date.now(),
      random: () => 0.01,
      rate: unlimited,
      userId: () => userId,
      onEvent: () => undefined,
      isCopying: () => Promise.resolve(false),
      copyEnded: () => new Promise(() => {}),
      onRetryNow: () => () => undefined,
      withLeaderLock: (work) => {
        const over = new AbortController()
        this.#working.push(work(over.signal))
        return () => over.abort()
      },
      pause: async (ms, woken) => {
        await Promise.race([delay(Math.min(ms, 2 ** 30), undefined, { ref: false }), woken])
      },
    })
  }

  /** Queues a recording that no other one equals; it is sent while other things go on. */
  async upload(random: Random): Promise<void> {
    const bytes = recording(`${this.#name} ${(this.#made += 1)}`, 1 + random.int(6))
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const fields = {
      title: `Recording ${sha256.slice(0, 12)}`,
      speaker: 'John Smith',
      date: '2026-11-22',
      scriptureReference: '',
    }
    const file = new File([new Uint8Array(bytes)], 'recording.mp3')
    const copying = {
      hold: <T>(uid: string, work: () => Promise<T>) => {
        this.#sends(uid, sha256)
        return work()
      },
      breathe: () => delay(0),
    }
    await addFile(this.#uploads, file, { fields, ownerUserId: this.#userId, now: Date.now() }, copying)
  }

  /** Notes an edit of a teaching on the screen; false where there is none. */
  async edit(random: Random): Promise<boolean> {
    const shown = await this.#screen()
    if (shown.length === 0) return false
    const teaching = random.pick(shown)
    const member = random.pick(['title', 'speaker'] as const)
    const edited = { ...textOf(teaching), [member]: `${this.#name} ${(this.#made += 1)}` }
    await appendEdit(this.#db, teaching, edited, { userId: this.#userId, now: Date.now() })
    return true
  }

  /** Notes a deletion of a teaching on the screen; false where there is none. */
  async remove(random: Random): Promise<boolean> {
    const shown = await this.#screen()
    if (shown.length === 0) return false
    await appendDelete(this.#db, random.pick(shown), { userId: this.#userId, now: Date.now() })
    return true
  }

  /** Sends what is in the outbox. */
  async drain(): Promise<void> {
    await retryNow(this.#db)
    const options = { now: () => Date.now(), userId: () => this.#userId, random: () => 0.01, rate: unlimited }
    await drain(this.#db, this.#transport, options)
  }

  /** One pull, which may fail. */
  async pull(): Promise<void> {
    await pull(this.#db, this.#transport, { now: () => Date.now() }).catch(() => undefined)
  }

  /** The person decides the first conflict, or discards the first refused change. */
  async resolve(random: Random): Promise<void> {
    const entries = await readOutbox(this.#db, this.#userId)
    const entry = entries.find(({ state }) => state === 'conflict' || state === 'rejected')
    if (!entry) return
    const { current, mutationId, op, patch } = entry
    if (!current || random.chance(0.4)) await discard(this.#db, mutationId)
    else if (op === 'delete') await decide(this.#db, mutationId, 'delete')
    else await decide(this.#db, mutationId, { ...textOf(current), ...patch })
  }

  /** Whether uploads are under way; at a person's press they are tried at once. */
  async hasUploads(): Promise<boolean> {
    this.#queue.retryNow()
    const jobs = await this.#uploads.jobs.toArray()
    const ended = jobs.find(({ state }) => ['rejected', 'duplicate', 'lost', 'blocked_auth'].includes(state))
    if (ended) throw new Error(`upload ${ended.id} is ${ended.state}: ${JSON.stringify(ended.lastError)}`)
    return jobs.some(({ state }) => state !== 'done')
  }

  /** Without faults: sends everything, and decides what has to be decided. */
  async settle(random: Random): Promise<void> {
    const until = Date.now() + 60_000
    for (;;) {
      const isSending = await this.hasUploads()
      const entries = await readOutbox(this.#db, this.#userId)
      if (!isSending && entries.length === 0) return
      if (Date.now() > until) throw new Error(`${this.#name} never ends: ${JSON.stringify(entries)}`)
      await this.drain()
      await this.resolve(random)
      if (isSending) await delay(10)
    }
  }

  /**
   * Without faults: pulls, and compares its rows and digests with the server's.
   *
   * @throws Error where they differ
   */
  async converge(rows: readonly Teaching[]): Promise<void> {
    let hasHealed = false
    const options = { now: () => Date.now(), verify: true, onHeal: () => void (hasHealed = true) }
    await untilAnswered(() => pull(this.#db, this.#transport, options))
    if (hasHealed) throw new Error(`${this.#name}: the digests differed`)
    const held = await this.#db.teachings.orderBy('uid').toArray()
    const wanted = rows.toSorted((a, b) => (a.uid < b.uid ? -1 : 1))
    const at = wanted.findIndex((row, index) => !isDeepStrictEqual(row, held[index]))
    if (at !== -1 || held.length !== wanted.length) {
      const pair = JSON.stringify([held[at], wanted[at]])
      throw new Error(`${this.#name} has ${held.length} rows, the server ${wanted.length}: ${pair}`)
    }
  }

  async close(): Promise<void> {
    this.#queue.stop()
    await Promise.all(this.#working)
    await this.#db.delete()
    await this.#uploads.delete()
  }

  async #screen(): Promise<Teaching[]> {
    return applyOutbox(await this.#db.teachings.toArray(), await readOutbox(this.#db, this.#userId))
  }
}

/** Asks again where the server says that it is not available yet, as a device does; for a minute at most. */
export async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof CallError && error.status === 503) || tries === 600) throw error
      await delay(100)
    }
  }
}

const fixture = readFileSync(path.join(import.meta.dirname, '../dev/fixtures/vbr-noxing.mp3'))

/** An MP3 that is unique by its ID3v1 tag (id3.org/ID3v1), the last 128 bytes, which players ignore. */
function recording(name: string, repeats: number): Buffer {
  const tag = Buffer.alloc(128)
  tag.write(`TAG${name}`, 'latin1')
  return Buffer.concat([...Array.from({ length: repeats }, () => fixture), tag])
}
