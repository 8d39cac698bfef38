import 'fake-indexeddb/auto'
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { call, type Transport } from '@fellowship/sync/call/call'
import { UploadDatabase, type UploadJob } from '@fellowship/sync/client/database/upload-database'
import { addFile } from '@fellowship/sync/client/uploads/upload-copy'
import { cancelUpload, unblockUploads } from '@fellowship/sync/client/uploads/upload-jobs'
import { startUploads, type UploadDeps, type UploadQueue } from '@fellowship/sync/client/uploads/upload-queue'
import { hurriedUploads } from '@fellowship/sync/testing/hurried-uploads'
import { seededRandom, type Random } from '@fellowship/sync/testing/random'
import { faultProxy, type ProxyFault, type FaultProxy } from '@fellowship/api/testing/fault-proxy'
import { longWav, storedFiles } from '@fellowship/api/testing/multipart'
import { expectNoLeaks } from '@fellowship/api/testing/no-leaks'
import { holdWriters } from '@fellowship/api/testing/server-database'
import { startServer, type ServerProcess } from '@fellowship/api/testing/server-process'
import { copyStarted } from '@fellowship/api/testing/started-folder'
import type { TestClient } from '@fellowship/api/testing/test-app'

// The soak sets UPLOAD_HISTORIES.
const histories = Number(process.env['UPLOAD_HISTORIES'] ?? 0)
const firstSeed = Number(process.env['UPLOAD_SEED'] ?? 0)
/** In every run: two pages, a kill in a PATCH, a cancelled upload, another page, and a kill before the commit. */
const seedsOfARun = [2, 3, 4, 5, 7]
const seeds = histories > 0 ? Array.from({ length: histories }, (_, at) => firstSeed + at) : seedsOfARun

let dataDir: string
let server: ServerProcess
let person: TestClient
let userId: number

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'histories-'))
  await copyStarted(dataDir)
  server = await startServer(dataDir)
  person = await server.signIn()
  userId = (await call(auth.currentUser, {}, person)).user!.id
}, 180_000)
afterAll(async () => {
  await server.stop()
  await rm(dataDir, { recursive: true, force: true })
}, 60_000)

test(`each upload ends once and whole (${seeds.length} histories)`, { timeout: 0 }, async () => {
  const counts = new Map<string, number>()
  const run = async (seed: number) => {
    try {
      await history(seed, (what) => counts.set(what, (counts.get(what) ?? 0) + 1))
    } catch (error) {
      const { message } = error as Error
      throw new Error(`UPLOAD_SEED=${seed} UPLOAD_HISTORIES=1: ${message}`, { cause: error })
    }
  }
  // A killed server affects all histories, so those that kill it run one after another.
  for (const seed of seeds.filter(killsServer)) await run(seed)
  const rest = seeds.filter((seed) => !killsServer(seed))
  // As many at once as one user may have open.
  await Promise.all(
    [1, 2, 3].map(async () => {
      for (let seed = rest.shift(); seed !== undefined; seed = rest.shift()) await run(seed)
    }),
  )
  console.log(
    [...counts]
      .map(([what, times]) => `${what} ${times}`)
      .sort()
      .join(', '),
  )
  if (histories >= 16) for (const what of inEveryRun) expect(counts.get(what) ?? 0, what).toBeGreaterThan(0)
  await server.stop()
  await expectNoLeaks(dataDir)
  server = await startServer(dataDir)
})

/** Events of the first sixteen seeds at any timing. */
const inEveryRun = [
  'cancelled',
  'page closed, another opened',
  'server killed between rename and commit',
  'two pages',
  'two pages without locks',
]

const killsInPatch = (seed: number) => seed % 12 === 3
const killsBeforeCommit = (seed: number) => seed % 20 === 7
const killsServer = (seed: number) => killsInPatch(seed) || killsBeforeCommit(seed)

async function history(seed: number, note: (what: string) => void): Promise<void> {
  const random = seededRandom(seed)
  const bytes = recording(seed, 100_000 + random.int(3_500_000))
  const proxy = await faultProxy(() => server.url)
  const device = new Device(seed, random, note, proxy)
  await device.add(bytes)
  const isCancelled = seed % 9 === 4
  const faultsUntil = Date.now() + 1_500 + random.int(1_500)
  let kills = killsInPatch(seed) ? 1 : 0
  proxy.fault = ({ method }) => {
    if (Date.now() > faultsUntil && kills === 0) return { kind: 'none' }
    if (kills > 0 && method === 'PATCH' && random.chance(0.5)) {
      kills -= 1
      note('server killed in a PATCH')
      return { kind: 'interrupt', after: random.int(800_000), run: restart }
    }
    const fault = faultOf(random, method)
    note(`${fault.kind}${fault.kind === 'status' ? ` ${fault.status}` : ''} on ${method}`)
    return fault
  }
  if (killsBeforeCommit(seed)) {
    note('server killed between rename and commit')
    const faulty = proxy.fault
    await killBeforeCommit(device, proxy)
    proxy.fault = faulty
  } else device.open(seed % 5 === 2 ? 2 : 1)
  if (seed % 7 === 5) {
    await delay(random.int(1_200))
    note('page closed, another opened')
    device.closeOne()
  }
  if (isCancelled) {
    await delay(random.int(1_500))
    note('cancelled')
    await device.cancel()
  }
  const job = await device.settled()
  const rows = (await call(teachings.list, {}, { fetch, base: server.url })).filter(
    ({ uid }) => uid === device.id,
  )
  if (job) {
    expect(job).toMatchObject({ state: 'done', acknowledged: bytes.length })
    expect(rows).toHaveLength(1)
    const stored = await readFile(path.join(dataDir, rows[0]!.audioUrl!.slice(1)))
    expect(sha256(stored)).toBe(sha256(bytes))
  } else {
    expect(isCancelled).toBe(true)
    expect(rows).toEqual([])
  }
  await device.remove()
  await proxy.close()
}

/** A browser with one database, several pages, and a lock that one page holds. */
class Device {
  readonly #db: UploadDatabase
  readonly #random: Random
  readonly #note: (what: string) => void
  readonly #base: string
  readonly #pages: UploadQueue[] = []
  readonly #lockQueue: (() => void)[] = []
  readonly #working: Promise<void>[] = []
  #isLocked = false
  #mayLower = false
  #mayDelete = false
  id = ''
  #fault: Error | undefined

  constructor(seed: number, random: Random, note: (what: string) => void, proxy: FaultProxy) {
    this.#base = proxy.url
    this.#db = new UploadDatabase(`history-${seed}`)
    this.#random = random
    this.#note = note
    this.#db.jobs.hook('updating', (changes, _key, before) => {
      const { acknowledged } = changes as Partial<UploadJob>
      if (acknowledged !== undefined && acknowledged < before.acknowledged && !this.#mayLower)
        this.#fault ??= new Error(`progress fell from ${before.acknowledged} to ${acknowledged}`)
      this.#mayLower = false
    })
    this.#db.chunks.hook('deleting', () => {
      if (!this.#mayDelete) this.#fault ??= new Error('bytes were deleted before the library had them')
    })
    proxy.onAnswer = ({ method, path: address }, status) => {
      if ([404, 410].includes(status)) this.#mayLower = true
      if (status === 200 && address.endsWith('/finalize')) this.#mayDelete = true
      if (method === 'DELETE') this.#mayDelete = true
    }
  }

  async add(bytes: Buffer): Promise<void> {
    const file = new File([new Uint8Array(bytes)], 'recording.wav')
    const fields = {
      title: `Recording ${sha256(bytes).slice(0, 12)}`,
      speaker: 'John Smith',
      date: '2026-11-22',
      scriptureReference: '',
    }
    const copying = { hold: <T>(_: string, work: () => Promise<T>) => work(), yieldToMain: () => delay(0) }
    this.id = (await addFile(this.#db, file, { fields, ownerUserId: userId, now: Date.now() }, copying))!
  }

  open(pages: number): void {
    // Without Web Locks two pages send the same file at once.
    const hasLocks = this.#random.chance(0.5)
    if (pages > 1) this.#note(hasLocks ? 'two pages' : 'two pages without locks')
    for (let page = 0; page < pages; page += 1) this.#pages.push(startUploads(this.#deps(hasLocks)))
  }

  closeOne(): void {
    this.#pages.shift()?.stop()
    this.open(1)
  }

  async cancel(): Promise<void> {
    // The person gives them up; only the server still hears of it.
    this.#mayDelete = true
    await cancelUpload(this.#db, this.id)
  }

  /** Waits for the end of the job; undefined if it was cancelled. */
  async settled(): Promise<UploadJob | undefined> {
    for (let tries = 0; tries < 3_000; tries += 1) {
      if (this.#fault) throw this.#fault
      const job = await this.#db.jobs.get(this.id)
      if (!job || job.state === 'done') return job
      if (job.state === 'blocked_auth') {
        this.#note('signed in again')
        await unblockUploads(this.#db, userId, Date.now())
      }
      if (['rejected', 'duplicate', 'lost'].includes(job.state))
        throw new Error(`${job.state}: ${JSON.stringify(job.lastError)}`)
      await delay(20)
    }
    throw new Error(`no end: ${JSON.stringify(await this.#db.jobs.get(this.id))}`)
  }

  async remove(): Promise<void> {
    for (const page of this.#pages) page.stop()
    // A page that is still reading its jobs must not find the database deleted.
    await Promise.all(this.#working)
    await this.#db.delete()
  }

  #deps(hasLocks: boolean): UploadDeps {
    return {
      ...hurriedUploads,
      db: this.#db,
      transport: withShortTimeout({ base: this.#base, fetch: person.fetch }),
      userId: () => userId,
      withLeaderLock: (work) => {
        const over = new AbortController()
        this.#working.push(
          hasLocks ? this.#withLock(over.signal, () => work(over.signal)) : work(over.signal),
        )
        return () => over.abort()
      },
    }
  }

  async #withLock(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    if (this.#isLocked) await new Promise<void>((resolve) => this.#lockQueue.push(resolve))
    this.#isLocked = true
    if (!signal.aborted) await work()
    this.#isLocked = false
    this.#lockQueue.shift()?.()
  }
}

/** Times requests out after four seconds, so that the test ends soon. */
const withShortTimeout = ({ base, fetch: ask }: Transport): Transport => ({
  base,
  async fetch(input, init) {
    const over = new AbortController()
    const abort = () => over.abort()
    const timer = setTimeout(abort, 4_000)
    init?.signal?.addEventListener('abort', abort)
    if (init?.signal?.aborted) abort()
    try {
      return await ask(input, { ...init, signal: over.signal })
    } finally {
      clearTimeout(timer)
    }
  },
})

function faultOf(random: Random, method: string): ProxyFault {
  const dice = random.int(100)
  const after = 1 + random.int(1_200_000)
  if (dice < 40) return { kind: 'none' }
  if (dice < 55) return { kind: 'cut', after }
  if (dice < 58) return { kind: 'stall', after }
  if (dice < 70) return { kind: 'lost answer' }
  if (dice < 78) return { kind: 'status', status: 502 }
  if (dice < 83) return { kind: 'status', status: 401, body: { code: 'unauthorized', error: 'Unauthorized' } }
  if (dice < 86) return { kind: 'status', status: 507, body: { code: 'disk_full', error: 'No room' } }
  if (dice < 89) return { kind: 'status', status: 429, body: { code: 'rate_limited', error: 'Later' } }
  return method === 'POST' || method === 'DELETE' ? { kind: 'twice' } : { kind: 'none' }
}

async function restart(): Promise<void> {
  await server.kill()
  server = await startServer(dataDir)
}

/** Blocks all writers until the recording is stored, then kills the server. */
async function killBeforeCommit(device: Device, proxy: FaultProxy): Promise<void> {
  const holder = await holdWriters(dataDir)
  proxy.fault = () => ({ kind: 'none' })
  device.open(1)
  const before = (await storedFiles(dataDir)).audio.length
  for (let tries = 0; tries < 4_000 && (await storedFiles(dataDir)).audio.length === before; tries += 1)
    await delay(20)
  const { audio, staging } = await storedFiles(dataDir)
  await server.kill()
  await holder.end()
  expect(audio).toHaveLength(before + 1)
  expect(staging).toContainEqual(expect.stringMatching(/\.note$/))
  server = await startServer(dataDir)
}

/** A playable recording that is unique to its seed. */
function recording(seed: number, bytes: number): Buffer {
  const wav = Buffer.concat([...longWav(bytes, seed & 0xff)])
  wav.writeUInt32LE(seed, wav.length - 8)
  for (let at = 44; at + 4 < wav.length; at += 4_099) wav.writeUInt32LE(at ^ seed, at)
  return wav
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
