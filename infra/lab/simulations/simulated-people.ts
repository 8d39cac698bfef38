import { emptySeries, seriesFields, seriesTextOf } from '@fellowship/schema/series/series-words'
import { emptyText, textOf } from '@fellowship/schema/teachings/teaching-words'
import { chunkBytes } from '@fellowship/sync/client/database/stored-files'
import { isUnchanged, wordsOf } from '@fellowship/sync/client/outbox/entry-words'
import { appendDelete, appendEdit, decide, discard, readOutbox } from '@fellowship/sync/client/outbox/outbox'
import {
  appendNewSeries,
  appendSeriesDelete,
  appendSeriesEdit,
  applySeriesOutbox,
} from '@fellowship/sync/client/outbox/series-entries'
import { dropRecording, findEvicted, saveRecording } from '@fellowship/sync/client/saved-audio/audio-store'
import { rebaseReplacement, seenOf } from '@fellowship/sync/client/uploads/replacement'
import { addFile, chooseAgain } from '@fellowship/sync/client/uploads/upload-copy'
import {
  cancelUpload,
  pauseUpload,
  resumeUpload,
  retryUpload,
  takeOffList,
} from '@fellowship/sync/client/uploads/upload-jobs'
import { uidOf, type MemoryServer } from '@fellowship/sync/testing/memory-server'
import { inTab } from '@fellowship/sync/testing/virtual-time'
import type { SimulatedDevice } from './simulated-device.ts'
import type { SimulatedHistory } from './simulated-history.ts'
import { fileOf, pickRecording, recordings, unreadable } from './simulated-recordings.ts'
import type { SimulatedTab } from './simulated-tab.ts'

/** The actions of the users of a device: edits, decisions, uploads, and recordings that they save. */
export class SimulatedPeople {
  readonly #history: SimulatedHistory
  readonly #device: SimulatedDevice

  constructor(history: SimulatedHistory, device: SimulatedDevice) {
    this.#history = history
    this.#device = device
  }

  async act(tab: SimulatedTab, roll: number): Promise<void> {
    if (roll < 68) await this.edit(tab)
    else if (roll < 74) await this.resolve(tab)
    else if (roll < 86) await this.#upload(tab)
    else if (roll < 92) await this.#handleUpload(tab)
    else await this.#save(tab)
  }

  async edit(tab: SimulatedTab): Promise<void> {
    const shown = await this.#device.screen(tab)
    if (tab.userId === undefined || shown.length === 0) return
    const waiting = (await readOutbox(tab.app, tab.userId)).map(({ uid }) => uid)
    // Often one that waits already, also in a conflict.
    const again = this.#history.random.chance(0.4)
      ? shown.find(({ uid }) => waiting.includes(uid))
      : undefined
    const teaching = again ?? this.#history.random.pick(shown)
    const author = { userId: tab.userId, now: this.#history.now() }
    if (this.#history.random.chance(0.3)) return this.#editSeries(tab, author)
    if (this.#history.random.chance(0.35)) return void (await appendDelete(tab.app, teaching, author))
    const text = { ...emptyText, ...textOf(teaching) }
    const field = this.#history.random.pick(['title', 'speaker'] as const)
    const changed = { [field]: `word ${this.#history.random.int(1000)}` }
    await appendEdit(tab.app, teaching, { ...text, ...changed }, author)
    const { uid } = teaching
    const now = (await this.#device.screen(tab)).find((each) => each.uid === uid)
    this.#history.invariants.edited(tab.userId, uid, field, changed[field], now)
    // Another user has deleted it at the same time.
    if (this.#history.random.chance(0.2))
      this.#history.site.library.commit([{ kind: 'teaching', uid: teaching.uid, deleted: true }])
  }

  async #editSeries(tab: SimulatedTab, author: { userId: number; now: number }): Promise<void> {
    const entries = await readOutbox(tab.app, tab.userId)
    const shown = applySeriesOutbox(await tab.app.series.toArray(), entries)
    const word = () => `word ${this.#history.random.int(1000)}`
    if (shown.length < 3)
      return void (await appendNewSeries(tab.app, { ...emptySeries, title: word() }, author))
    const row = this.#history.random.pick(shown)
    if (this.#history.random.chance(0.2)) return void (await appendSeriesDelete(tab.app, row, author))
    const field = this.#history.random.pick(seriesFields)
    const uids = Array.from({ length: this.#history.random.int(4) }, (_, at) => uidOf(at)).reverse()
    const changed = { [field]: field === 'teachings' ? uids : word() }
    await appendSeriesEdit(tab.app, row, { ...seriesTextOf(row), ...changed }, author)
    const later = applySeriesOutbox(await tab.app.series.toArray(), await readOutbox(tab.app, tab.userId))
    const now = later.find(({ uid }) => uid === row.uid)
    this.#history.invariants.edited(author.userId, row.uid, field, changed[field], now)
    // Another user has changed it at the same time.
    if (row.rev > 0 && this.#history.random.chance(0.3))
      this.#history.site.library.commit([{ kind: 'series', uid: row.uid, text: { title: word() } }])
  }

  async beginSeries(count: number): Promise<void> {
    const tab = this.#device.awake()
    if (tab?.userId === undefined) return
    const author = { userId: tab.userId, now: this.#history.now() }
    for (let begun = 0; begun < count; begun += 1)
      await appendNewSeries(
        tab.app,
        { ...emptySeries, title: `word ${this.#history.random.int(1000)}` },
        author,
      )
  }

  async resolve(tab: SimulatedTab): Promise<void> {
    const entries = await readOutbox(tab.app, tab.userId)
    const entry = entries.find(({ state }) => state === 'conflict' || state === 'rejected')
    if (!entry) return
    const { current, mutationId } = entry
    if (!current || this.#history.random.chance(0.3)) {
      this.#history.invariants.discarded(entry, entries)
      return discard(tab.app, mutationId)
    }
    if (entry.op === 'delete') return decide(tab.app, mutationId, 'delete')
    const theirs = wordsOf(entry, current)
    const decided = this.#history.random.chance(0.4) ? theirs : { ...theirs, ...entry.patch }
    if (isUnchanged(theirs, decided)) this.#history.invariants.release(entry)
    await decide(tab.app, mutationId, decided)
  }

  async #upload(tab: SimulatedTab): Promise<void> {
    const bytes = pickRecording(this.#history.random, recordings)
    const teaching = this.#history.random.chance(0.25) ? (await this.#device.screen(tab))[0] : undefined
    if (tab.userId === undefined) return
    const { id: teachingId = 0, uid, rev = 0 } = teaching ?? {}
    const fields = {
      ...emptyText,
      ...(teaching && textOf(teaching)),
      title: `upload ${this.#history.random.int(1000)}`,
    }
    const upload = {
      fields,
      ownerUserId: tab.userId,
      now: this.#history.now(),
      ...(teaching && uid && { replace: { teachingId, baseRev: rev, uid }, seen: seenOf(teaching) }),
    }
    inTab(
      tab,
      () =>
        void addFile(
          tab.uploads,
          this.#history.random.chance(0.25) ? unreadable : fileOf(bytes),
          upload,
          this.#device.copying(),
        ).catch(() => {}),
    )
  }

  async #handleUpload(tab: SimulatedTab): Promise<void> {
    const jobs = await tab.uploads.jobs.filter(({ ownerUserId }) => ownerUserId === tab.userId).toArray()
    if (jobs.length === 0) return
    const job = this.#history.random.pick(jobs)
    const { id, state, replace, lastError, asked } = job
    // One that the server may know has to be deleted there.
    if (this.#history.random.chance(asked ? 0.6 : 0.3)) {
      this.#history.givenUp.add(id)
      return state === 'done' ? takeOffList(tab.uploads, id) : cancelUpload(tab.uploads, id)
    }
    if (state === 'rejected' || state === 'duplicate') {
      const current = replace && lastError?.current
      return retryUpload(tab.uploads, id, current ? rebaseReplacement(job, current) : {}, this.#history.now())
    }
    if (state === 'lost') {
      const file = fileOf(pickRecording(this.#history.random, recordings))
      const again = () => chooseAgain(tab.uploads, id, file, this.#history.now(), this.#device.copying())
      return inTab(tab, () => void again().catch(() => {}))
    }
    if (this.#history.random.chance(0.5)) await pauseUpload(tab.uploads, id)
    else await resumeUpload(tab.uploads, id, this.#history.now())
  }

  async #save(tab: SimulatedTab): Promise<void> {
    const teachings = await tab.app.teachings.toArray()
    const large = teachings.find(({ audioBytes }) => (audioBytes ?? 0) > chunkBytes)
    const teaching = large && this.#history.random.chance(0.4) ? large : this.#history.random.pick(teachings)
    if (!teaching) return
    const saved = await tab.audio.recordings.toArray()
    if (saved.length > 2 && this.#history.random.chance(0.5)) return dropRecording(saved[0]!.key, tab.audio)
    // The browser deletes bytes by itself, which the next start finds out.
    if (
      saved.length > 0 &&
      saved.every(({ state }) => state === 'ready') &&
      this.#history.random.chance(0.2)
    ) {
      await this.#history.reader.audio.chunks.clear()
      return void (await findEvicted(this.#history.reader.audio))
    }
    await saveRecording(teaching, this.#history.now(), tab.audio)
  }

  /** The user edits the first teaching that the backup lacks. After a copy, the next new one gets its number. */
  async editLost(backup: ReturnType<MemoryServer['backup']>): Promise<void> {
    const tab = this.#device.awake()
    if (tab?.userId === undefined) return
    const lost = (await this.#device.screen(tab))
      .filter(({ uid }) => !backup.rows.has(`teaching:${uid}`))
      .sort((one, other) => one.id - other.id)[0]
    if (!lost) return
    const author = { userId: tab.userId, now: this.#history.now() }
    const text = { ...emptyText, ...textOf(lost), title: `word ${this.#history.random.int(1000)}` }
    this.#history.invariants.written(author.userId, lost.uid, 'title', text.title)
    await appendEdit(tab.app, lost, text, author)
    this.#history.count('an edit of a teaching that a restore has lost')
  }
}
