import { walkMp3 } from '@fellowship/sound/read/mp3-frames'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { Transport } from '@fellowship/sync/call/call'
import type { Random } from '@fellowship/sync/testing/random'
import { openDeviceClient, type DeviceClient, type PendingChange } from './device-client.ts'
import { openDeviceClient as openEarlierClient } from './fixtures/earlier-client.mjs'

/** Which release of the client a device runs. */
export type Release = 'this' | 'earlier'
const clients = { this: openDeviceClient, earlier: openEarlierClient }

export interface DeviceOptions {
  name: string
  userId: number
  transport: Transport
  release: Release
  /** Called before a recording is queued. */
  sends: (uid: string, sha256: string) => void
}

/** A person's device: client code on databases of its own. It lives through all histories. */
export class Device {
  readonly #options: DeviceOptions
  #release: Release
  #client: DeviceClient
  #made = 0

  constructor(options: DeviceOptions) {
    this.#options = options
    this.#release = options.release
    this.#client = clients[options.release](options)
  }

  get release(): Release {
    return this.#release
  }

  /** This release is installed over an earlier one, with all pending entries. */
  async update(): Promise<void> {
    await this.#client.close({ keep: true })
    this.#release = 'this'
    this.#client = clients.this(this.#options)
  }

  /** Queues a unique recording; it is sent during later steps. */
  async upload(random: Random): Promise<void> {
    const bytes = recording(`${this.#options.name} ${(this.#made += 1)}`, 1 + random.int(6))
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const fields = {
      title: `Recording ${sha256.slice(0, 12)}`,
      speaker: 'John Smith',
      date: '2026-11-22',
      scriptureReference: '',
    }
    const file = new File([new Uint8Array(bytes)], 'recording.mp3')
    await this.#client.upload(file, fields, (uid) => this.#options.sends(uid, sha256))
  }

  /** Edits a teaching of the screen; false if there is none. */
  async edit(random: Random): Promise<boolean> {
    const shown = await this.#client.shown()
    if (shown.length === 0) return false
    const teaching = random.pick(shown)
    const member = random.pick(['title', 'speaker'] as const)
    await this.#client.edit(teaching, { [member]: `${this.#options.name} ${(this.#made += 1)}` })
    return true
  }

  /** Deletes a teaching of the screen; false if there is none. */
  async remove(random: Random): Promise<boolean> {
    const shown = await this.#client.shown()
    if (shown.length === 0) return false
    await this.#client.remove(random.pick(shown))
    return true
  }

  /** Sends the outbox. */
  drain(): Promise<void> {
    return this.#client.drain()
  }

  /** One pull, which may fail. */
  async pull(): Promise<void> {
    await this.#client.pull().catch(() => undefined)
  }

  /** The teaching that a change in the outbox is about: earlier releases do not name it in the request. */
  async uidOf(mutationId: string): Promise<string | undefined> {
    const change = (await this.#client.changes()).find((each) => each.mutationId === mutationId)
    return change?.uid
  }

  /** The person decides the first conflict, or discards the first refused change. */
  async resolve(random: Random): Promise<void> {
    const change = (await this.#client.changes()).find(isStuck)
    if (!change) return
    if (!change.isDecidable || random.chance(0.4)) await this.#client.discard(change.mutationId)
    else await this.#client.insist(change.mutationId)
  }

  /** Whether uploads are under way; at a person's press they are tried at once. */
  async hasUploads(): Promise<boolean> {
    const jobs = await this.#client.uploads()
    const ended = jobs.find(({ state }) => ['rejected', 'duplicate', 'lost', 'blocked_auth'].includes(state))
    if (ended) throw new Error(`upload ${ended.id} is ${ended.state}: ${ended.lastError}`)
    return jobs.some(({ state }) => state !== 'done')
  }

  /** Without faults: sends everything and decides every conflict. */
  async settle(random: Random): Promise<void> {
    const until = Date.now() + 60_000
    for (;;) {
      const isSending = await this.hasUploads()
      const changes = await this.#client.changes()
      if (!isSending && changes.length === 0) return
      if (Date.now() > until) throw new Error(`${this.#options.name} never ends: ${JSON.stringify(changes)}`)
      if (changes.length > 0) await this.drain()
      await this.resolve(random)
      // Each look reads the databases of twelve devices in one process.
      if (isSending) await delay(50)
    }
  }

  /**
   * Without faults: pulls, and compares its rows and digests with the server's.
   *
   * @throws Error if they differ
   */
  async converge(rows: readonly Teaching[]): Promise<void> {
    const { name } = this.#options
    const hasHealed = await untilAnswered(() => this.#client.pull({ verify: true }))
    if (hasHealed) throw new Error(`${name}: the digests differed`)
    const held = await this.#client.rows()
    const wanted = rows.toSorted((a, b) => (a.uid < b.uid ? -1 : 1))
    const at = wanted.findIndex((row, index) => !isDeepStrictEqual(row, held[index]))
    if (at !== -1 || held.length !== wanted.length) {
      const pair = JSON.stringify([held[at], wanted[at]])
      throw new Error(`${name} has ${held.length} rows, the server ${wanted.length}: ${pair}`)
    }
  }

  close(): Promise<void> {
    return this.#client.close()
  }
}

const isStuck = ({ state }: PendingChange) => state === 'conflict' || state === 'rejected'

/** Retries as a device does if no answer comes, or one that asks to wait; for a minute at most. */
export async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask()
    } catch (error) {
      // Each release of the client has error classes of its own. A kept connection may end as it is used again.
      const { status, name } = error as { status?: number; name?: string }
      if ((status !== 503 && name !== 'NetworkError') || tries === 600) throw error
      await delay(100)
    }
  }
}

/** The frames of one bitrate without the encoder's header, so that the recording is published as it is. */
const fixture = framesOf(readFileSync(path.join(import.meta.dirname, '../../dev/fixtures/cbr.mp3')))

function framesOf(bytes: Buffer): Buffer {
  const starts: number[] = []
  const window = {
    size: bytes.length,
    read: (at: number, length: number) => bytes.subarray(at, at + length),
    memory: () => ({ bytes, start: 0, end: bytes.length }),
  }
  walkMp3(window, (at, _, isInfo) => isInfo || starts.push(at))
  return bytes.subarray(starts[0], starts[60])
}

/** An MP3 that is unique by its ID3v1 tag (id3.org/ID3v1), the last 128 bytes, which players ignore. */
function recording(name: string, repeats: number): Buffer {
  const tag = Buffer.alloc(128)
  tag.write(`TAG${name}`, 'latin1')
  return Buffer.concat([...Array.from({ length: repeats }, () => fixture), tag])
}
