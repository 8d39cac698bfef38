import { emptyText, textOf } from '@fellowship/schema/teachings/teaching-words'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { appendEdit, readOutbox } from '@fellowship/sync/client/outbox/outbox'
import { saveRecording } from '@fellowship/sync/client/saved-audio/audio-store'
import type { SimulatedDevice } from './simulated-device.ts'
import type { SimulatedHistory } from './simulated-history.ts'
import type { SimulatedLine } from './simulated-line.ts'

/** An open form over a teaching: the row as it was shown then, and the word that was typed. */
interface Dialog {
  userId: number
  row: Teaching
  field: 'title' | 'speaker'
  word: string
}

/**
 * What happens in wider histories besides: forms that stay open while rows, sessions and tabs change, a device without room,
 * recordings that fail while the rest of the server answers, and an earlier release after a newer one.
 */
export class WiderEvents {
  readonly #history: SimulatedHistory
  readonly #line: SimulatedLine
  readonly #device: SimulatedDevice
  #dialogs: Dialog[] = []

  constructor(history: SimulatedHistory, parts: { line: SimulatedLine; device: SimulatedDevice }) {
    this.#history = history
    this.#line = parts.line
    this.#device = parts.device
  }

  async act(): Promise<void> {
    const all = {
      'an open dialog': () => this.#open(),
      'a dialog that is saved late': () => this.#save(),
      'a device without room for an hour': () => this.#haveNoRoom(),
      'recordings that fail beside a server that answers': () => this.#failRecordings(),
      'a rollback of the release': () => this.#rollBack(),
    }
    const name = this.#history.nextOf('wider', turns)
    if (await all[name]()) this.#history.count(name)
  }

  async #open(): Promise<boolean> {
    const tab = this.#device.awake()
    if (tab?.userId === undefined) return false
    const shown = await this.#device.screen(tab)
    if (shown.length === 0) return false
    const field = this.#history.random.pick(['title', 'speaker'] as const)
    const word = `word ${this.#history.random.int(1000)}`
    this.#dialogs.push({ userId: tab.userId, row: this.#history.random.pick(shown), field, word })
    return true
  }

  /** Saves the oldest form of the signed-in person, in whichever tab is open. */
  async #save(): Promise<boolean> {
    const tab = this.#device.awake()
    const dialog = this.#dialogs.find(({ userId }) => userId === tab?.userId)
    if (!tab || !dialog) return false
    this.#dialogs = this.#dialogs.filter((each) => each !== dialog)
    const { userId, row, field, word } = dialog
    const text = { ...emptyText, ...textOf(row), [field]: word }
    if (this.#history.random.chance(0.6)) {
      const other = field === 'title' ? 'speaker' : 'title'
      const theirs = { [other]: `${other} ${this.#history.random.int(1000)}` }
      this.#history.site.library.commit([{ kind: 'teaching', uid: row.uid, text: theirs }])
      tab.tell('hint')
      await this.#history.pass(5_000)
    }
    this.#history.invariants.written(userId, row.uid, field, word)
    // On a full device it fails as a whole, and the form stays open.
    const write = appendEdit(tab.app, row, text, { userId, now: this.#history.now() })
    const entry = await write.catch(() => void this.#dialogs.push(dialog))
    if (entry) this.#history.invariants.savedLate(entry)
    return true
  }

  /** Invariant 24. */
  async #haveNoRoom(): Promise<boolean> {
    const tab = this.#device.awake()
    if (!tab) return false
    this.#history.isFull = true
    await this.#saveSome(3)
    await this.#history.pass(10_000)
    const before = this.#history.recordingRequests
    await this.#history.pass(3_600_000)
    const asked = this.#history.recordingRequests - before
    this.#history.isFull = false
    if (asked > 5) throw new Error(`24: ${asked} requests of recordings in an hour without room`)
    return true
  }

  /** Invariant 23. */
  async #failRecordings(): Promise<boolean> {
    for (const tab of this.#device.tabs) if (tab.isFrozen) tab.thaw()
    const tab = this.#device.awake()
    if (tab?.userId === undefined || tab.userId !== this.#history.session) return false
    this.#line.failRecordings(600_000)
    const before = this.#line.failedRecordings
    const { audio } = this.#history.reader
    const wanted = Array.from({ length: 60 }, (_, at) => ({
      ...unheard,
      audioUrl: `/audio/${keyOf(at)}.mp3`,
    }))
    for (const teaching of wanted) await saveRecording(teaching, this.#history.now(), audio)
    await this.#history.pass(120_000)
    const asked = this.#line.failedRecordings - before
    if (asked > 45) throw new Error(`23: ${asked} requests of recordings in two minutes while they fail`)
    const [row] = await this.#device.screen(tab)
    if (!row || tab.isClosed) return false
    const word = `word ${this.#history.random.int(1000)}`
    this.#history.invariants.written(tab.userId, row.uid, 'title', word)
    for (const each of this.#device.tabs) each.tell('online')
    const author = { userId: tab.userId, now: this.#history.now() }
    const entry = await appendEdit(tab.app, row, { ...emptyText, ...textOf(row), title: word }, author)
    await this.#history.pass(15_000)
    const entries = await readOutbox(this.#history.reader.app, tab.userId)
    await audio.recordings.bulkDelete(wanted.map((_, at) => keyOf(at)))
    const own = entries.find(({ seq }) => seq === entry?.seq)
    const isFirst = !entries.some(({ uid, seq }) => uid === own?.uid && seq < own.seq)
    if (own && isFirst && (own.state === 'queued' || own.state === 'sending'))
      throw new Error(`23: an edit waits for ${own.attempts} attempts while recordings fail`)
    return true
  }

  /** An earlier release is opened on the databases of a newer one: it reads, and writes nothing. */
  async #rollBack(): Promise<boolean> {
    const { app } = this.#history.reader
    const key = 'minWriterSchema'
    const before = await app.meta.get(key)
    this.#device.closeTabs()
    await app.meta.put({ key, value: 99 })
    const rows = async () => JSON.stringify([await app.teachings.toArray(), await app.outbox.toArray()])
    const then = await rows()
    const tab = this.#device.openTab()
    tab.tell('online')
    await this.#history.pass(this.#history.random.pick([1_000, 70_000]))
    if ((await rows()) !== then) throw new Error('25: an earlier release has written')
    this.#device.closeTabs()
    if (before) await app.meta.put(before)
    else await app.meta.delete(key)
    return true
  }

  async #saveSome(count: number): Promise<void> {
    const tab = this.#device.awake()
    const teachings = (await tab?.app.teachings.toArray()) ?? []
    for (const teaching of teachings.slice(0, count))
      await saveRecording(teaching, this.#history.now(), tab!.audio).catch(() => {})
  }
}

/** Of recordings that no server has. */
const unheard = {
  uid: 'unheard',
  title: 'unheard',
  speaker: '',
  date: '2026-11-15',
  audioBytes: 3_000_000,
  audioMime: 'audio/mpeg',
}
const keyOf = (at: number): string => at.toString(16).padStart(64, '0')

/** In turn; most are dialogs, as they need others to happen in between. */
const turns = [
  'an open dialog',
  'a device without room for an hour',
  'a dialog that is saved late',
  'an open dialog',
  'recordings that fail beside a server that answers',
  'a dialog that is saved late',
  'an open dialog',
  'a rollback of the release',
  'a dialog that is saved late',
] as const

/** Each has to occur in a run of wider histories. */
export const widerOccurrences: readonly string[] = [...new Set(turns)]
