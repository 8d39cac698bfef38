import type { UploadJob } from '@fellowship/sync/client/database/upload-database'
import type { SimulatedHistory } from './simulated-history.ts'
import { areWhole, recordingsBySha256 } from './simulated-recordings.ts'
import { sha256Of } from './site-server.ts'

/** Checks the invariants 17 to 20 that `runDeviceHistory` lists: uploads, saved recordings, and those of the library. */
export class RecordingInvariants {
  readonly #history: SimulatedHistory
  readonly #knownJobs = new Map<string, UploadJob>()

  constructor(history: SimulatedHistory) {
    this.#history = history
  }

  /** @throws Error naming the violated invariant */
  async check({ bytes }: { bytes: boolean }): Promise<void> {
    await this.#checkUploads()
    if (bytes) {
      await this.#checkUploadBytes()
      await this.#checkSaved()
    }
    this.#checkLibrary()
  }

  async #checkUploads(): Promise<void> {
    const { uploads } = this.#history.reader
    const jobs = new Map((await uploads.jobs.toArray()).map((job) => [job.id, job]))
    for (const job of this.#knownJobs.values()) {
      const now = jobs.get(job.id)
      const hasLeft = now === undefined || now.state === 'done'
      if (hasLeft && !this.#history.givenUp.has(job.id)) this.#checkPublished(now ?? job)
    }
    for (const job of jobs.values()) if (job.sha256 !== undefined) this.#knownJobs.set(job.id, job)
  }

  /** Invariant 17, of unfinished uploads. */
  async #checkUploadBytes(): Promise<void> {
    const { uploads } = this.#history.reader
    for (const { id, state, sha256 = '' } of await uploads.jobs.toArray()) {
      if (['copying', 'done', 'lost', 'cancelled'].includes(state)) continue
      const chunks = await uploads.chunks.where('[jobId+index]').between([id, 0], [id, Infinity]).toArray()
      if (!areWhole(chunks, sha256)) throw new Error(`17: bytes of an upload ${state} are missing`)
    }
  }

  #checkPublished({ id, uploadId, sha256, ownerUserId }: UploadJob): void {
    this.#knownJobs.delete(id)
    const published = this.#history.site.published.find((each) => each.uploadId === uploadId)
    if (published?.userId !== ownerUserId || published.sha256 !== sha256)
      throw new Error(`17: an upload left the device, and is ${published ? 'another’s' : 'not published'}`)
  }

  /** Invariant 20. */
  async #checkSaved(): Promise<void> {
    const { audio } = this.#history.reader
    for (const { key, state } of await audio.recordings.toArray()) {
      if (state !== 'ready') continue
      const chunks = await audio.chunks.where('[key+index]').between([key, 0], [key, Infinity]).toArray()
      if (!areWhole(chunks, key)) throw new Error('20: a saved recording is not whole')
    }
  }

  /** Invariants 18 and 19. */
  #checkLibrary(): void {
    const { library, published } = this.#history.site
    const keys = published.map(({ uploadId, restores }) => `${uploadId} ${restores}`)
    if (new Set(keys).size < keys.length) throw new Error('18: an upload was published twice')
    for (const row of library.data.rows.values()) {
      if (!row.audioUrl) continue
      const bytes = this.#history.site.bytesOf(row)
      // The simulation has no other recordings than these.
      if (!bytes || !recordingsBySha256.has(sha256Of(bytes)))
        throw new Error('19: a recording of the library is not whole')
    }
  }
}
