import { uploadQueueTexts } from '@fellowship/schema/uploads/upload-queue.texts'
import type { UploadJob } from '@fellowship/sync/client/database/upload-database'
import { readSyncState } from '@fellowship/sync/client/replica/sync-state'
import {
  recordingWords,
  saveButtonState,
  savedWords,
} from '../../../web/src/features/audio/saved/saved-status.ts'
import { standingOf, statusWords } from '../../../web/src/features/sync/status-words.ts'
import { queueWords, stateWords } from '../../../web/src/features/uploads/queue-words.ts'
import type { SimulatedHistory } from './simulated-history.ts'
import { areWhole } from './simulated-recordings.ts'
import type { SimulatedTab } from './simulated-tab.ts'

/** Checks invariant 26 that `runDeviceHistory` lists: what the pages would show, by the functions that they show it with. */
export class SentenceInvariants {
  readonly #history: SimulatedHistory

  constructor(history: SimulatedHistory) {
    this.#history = history
  }

  /** @throws Error naming the sentence that is not so */
  async check(tabs: readonly SimulatedTab[]): Promise<void> {
    await this.#checkUploads()
    await this.#checkSaved()
    const { syncedAt, cursor } = await readSyncState(this.#history.reader.app)
    for (const { sync, isFrozen } of tabs) {
      if (isFrozen) continue
      const now = { status: sync.status(), syncedAt, cursor, trouble: undefined, inMemory: false }
      const words = statusWords(now, this.#history.now())
      if (words.startsWith('Up to date')) this.#holds(cursor !== undefined, words, 'nothing was pulled')
    }
  }

  /** After minutes without faults, in which the server answered everything. */
  async checkAtRest({ sync, app, uploads, userId }: SimulatedTab): Promise<void> {
    const { syncedAt, cursor } = await readSyncState(app)
    const now = { status: sync.status(), syncedAt, cursor, trouble: undefined, inMemory: false }
    const isTrue = ['fresh', 'updating'].includes(standingOf(now))
    this.#holds(isTrue, statusWords(now, this.#history.now()), 'the server answers')
    for (const job of await uploads.jobs.toArray()) {
      const words = stateWords(job, true)
      const isWaiting: boolean = [
        uploadQueueTexts.waitingForConnection,
        uploadQueueTexts.waitingForServer,
      ].includes(words as never)
      if (job.ownerUserId === userId) this.#holds(!isWaiting, words, 'the server answers')
    }
  }

  async #checkUploads(): Promise<void> {
    const { reader, site } = this.#history
    const jobs = await reader.uploads.jobs.toArray()
    for (const job of jobs) {
      const words = stateWords(job, true)
      if (words !== uploadQueueTexts.done && words !== uploadQueueTexts.replaced) continue
      const isPublished = site.published.some(({ uploadId }) => uploadId === job.uploadId)
      this.#holds(isPublished, words, 'it is not published')
    }
    if (queueWords(jobs, false) !== uploadQueueTexts.mayClose) return
    for (const job of jobs)
      if (!['done', 'lost', 'cancelled'].includes(job.state))
        this.#holds(
          await this.#hasBytes(job),
          uploadQueueTexts.mayClose,
          `bytes of one ${job.state} are missing`,
        )
  }

  async #hasBytes({ id, sha256 = '' }: UploadJob): Promise<boolean> {
    const { chunks } = this.#history.reader.uploads
    return areWhole(await chunks.where('[jobId+index]').between([id, 0], [id, Infinity]).toArray(), sha256)
  }

  async #checkSaved(): Promise<void> {
    const { audio } = this.#history.reader
    const stored = await audio.transaction('r', [audio.recordings, audio.chunks], async () => {
      const recordings = await audio.recordings.toArray()
      return Promise.all(
        recordings.map(async (recording) => {
          const { key } = recording
          const chunks = await audio.chunks.where('[key+index]').between([key, 0], [key, Infinity]).toArray()
          return { recording, chunks }
        }),
      )
    })
    let whole = 0
    for (const { recording, chunks } of stored) {
      const { key, size } = recording
      const isWhole = areWhole(chunks, key)
      if (isWhole && recording.state === 'ready') whole += 1
      const { words } = saveButtonState(recording, size)
      if (words === 'Saved') this.#holds(isWhole, words, 'it is not whole')
      const here = chunks.reduce((sum, { data }) => sum + data.byteLength, 0)
      if (words === 'Waiting') this.#holds(here === 0, words, `${here} bytes are here`)
      for (const shown of [words, recordingWords(recording).words]) {
        const [, percent] = /(\d+) %$/.exec(shown) ?? []
        if (percent === undefined) continue
        const share = Math.min(99, Math.floor((here / size) * 100))
        this.#holds(Number(percent) === share, shown, `${share} % are here`)
      }
    }
    const byKey = new Map(stored.map(({ recording }) => [recording.key, recording]))
    const words = savedWords({ status: 'known', byKey, newest: 0 })
    this.#holds(words === `Saved (${whole})`, words, `${whole} are whole`)
  }

  #holds(isTrue: boolean, sentence: string, truth: string): void {
    if (!isTrue) throw new Error(`26: "${sentence}", but ${truth}`)
  }
}
