import { kinds } from '@fellowship/schema/sync/sync.schema'
import { emptyText, textOf } from '@fellowship/schema/teachings/teaching-words'
import { appendEdit, readOutbox } from '@fellowship/sync/client/outbox/outbox'
import { uidOf, type Write } from '@fellowship/sync/testing/memory-server'
import type { SimulatedDevice } from './simulated-device.ts'
import type { SimulatedHistory } from './simulated-history.ts'
import type { SimulatedLine } from './simulated-line.ts'
import { pickRecording, recordings } from './simulated-recordings.ts'
import { sha256Of } from './site-server.ts'

/** Changes on the server by users of other devices, also at the very time of a device's own. */
export class SimulatedOthers {
  readonly #history: SimulatedHistory
  readonly #line: SimulatedLine
  readonly #device: SimulatedDevice

  constructor(history: SimulatedHistory, line: SimulatedLine, device: SimulatedDevice) {
    this.#history = history
    this.#line = line
    this.#device = device
  }

  /** One teaching, or a transaction of several rows: words, deletions, and additions of the server itself. */
  writeSome(): void {
    if (this.#history.random.chance(0.5)) return this.writeTeaching(this.#history.random.int(8))
    const writes = Array.from({ length: 1 + this.#history.random.int(4) }, (): Write => {
      const kind = this.#history.random.pick(kinds)
      const target = { kind, uid: uidOf(this.#history.random.int(8) + (kind === 'series' ? 100 : 0)) }
      if (this.#history.random.chance(0.25)) return { ...target, deleted: true }
      if (kind === 'teaching' && this.#history.random.chance(0.4))
        return { ...target, loudness: -this.#history.random.int(40) }
      const word = this.#history.random.pick(['title', kind === 'series' ? 'description' : 'speaker'])
      return { ...target, text: { [word]: `${word} ${this.#history.random.int(1000)}` } }
    })
    this.#history.site.library.commit(writes)
  }

  writeTeaching(number: number): void {
    const target = { kind: 'teaching' as const, uid: uidOf(number) }
    const { library } = this.#history.site
    if (this.#history.random.chance(0.25)) return library.commit([{ ...target, deleted: true }])
    const isNew = !library.data.rows.has(`teaching:${target.uid}`)
    const free = recordings.filter(
      (bytes) => ![...library.data.rows.values()].some(({ audioUrl }) => audioUrl?.includes(sha256Of(bytes))),
    )
    const audio =
      isNew && free.length > 0
        ? this.#history.site.addRecording(pickRecording(this.#history.random, free))
        : undefined
    library.commit([
      { ...target, text: { title: `title ${this.#history.random.int(1000)}` }, ...(audio && { audio }) },
    ])
  }

  /** Mostly another one than before, which may get the number of one that a restore has lost. */
  writeNewTeaching(): void {
    this.writeTeaching(this.#history.random.int(24))
  }

  async purge(): Promise<void> {
    const { library } = this.#history.site
    const { clock, rows } = library.data
    if (this.#history.random.chance(0.5))
      return library.purgeTombstones(clock.rev - this.#history.random.int(4))
    if (rows.size === 0) return
    // A deletion that the device has not pulled yet.
    const { kind, uid } = this.#history.random.pick([...rows.values()])
    library.commit([{ kind, uid, deleted: true }])
    library.purgeTombstones(clock.rev)
    this.#device.awake()?.tell('hint')
    await this.#history.pass(2_000)
    this.#history.count('a purge of a deletion that the device lacks')
  }

  /**
   * Several tabs pull while the server changes, so that the page of one may come after a later one of another; or a page comes
   * after the acknowledgement of a change that it lacks.
   */
  async race(): Promise<void> {
    if (this.#device.tabs.length < 3) this.#device.openTab()
    if (this.#history.random.chance(0.5)) await this.#holdPage().catch(() => {})
    else {
      for (const tab of this.#device.tabs) {
        this.writeSome()
        tab.tell('hint')
        await this.#history.pass(this.#history.random.pick([100, 400]))
      }
    }
    for (let looks = 0; looks < 8; looks += 1) {
      await this.#history.pass(200)
      await this.#history.invariants.check()
    }
    this.#history.count('a page that several tabs asked for')
  }

  async #holdPage(): Promise<void> {
    const tab = this.#device.awake()
    if (tab?.userId === undefined) return
    this.#history.session = tab.userId
    const waiting = new Set((await readOutbox(tab.app, tab.userId)).map(({ uid }) => uid))
    const teaching = (await this.#device.screen(tab)).find(({ uid }) => !waiting.has(uid))
    if (!teaching) return
    this.#line.heldUntil = this.#history.time.elapsed + 8_000
    // The page brings the row, and the change of its words still meets no conflict.
    this.#history.site.library.commit([
      { kind: 'teaching', uid: teaching.uid, loudness: -1 - this.#history.random.int(1_000_000) },
    ])
    tab.tell('hint')
    await this.#history.pass(1_000)
    const title = `word ${this.#history.random.int(1000)}`
    const author = { userId: tab.userId, now: this.#history.now() }
    this.#history.invariants.written(author.userId, teaching.uid, 'title', title)
    await appendEdit(tab.app, teaching, { ...emptyText, ...textOf(teaching), title }, author)
    await this.#history.pass(6_500)
    this.#history.count('a change during a held page')
  }
}
