import type { AppDatabase } from '@fellowship/sync/client/database/app-database'
import { discardAll, readOutbox } from '@fellowship/sync/client/outbox/outbox'
import { cutPowerAt, fillDeviceAt } from '@fellowship/sync/testing/crash'
import type { Fault } from '@fellowship/sync/testing/faults'
import type { MemoryServer } from '@fellowship/sync/testing/memory-server'
import { asOlderDevice, type ServerRelease } from './releases.ts'
import type { SimulatedDevice } from './simulated-device.ts'
import { people, type SimulatedHistory } from './simulated-history.ts'
import type { SimulatedLine } from './simulated-line.ts'
import type { SimulatedOthers } from './simulated-others.ts'
import type { SimulatedPeople } from './simulated-people.ts'

/** Events of a device, besides the faults of single requests. */
export const events: Record<string, (device: DeviceEvents) => Promise<void>> = {
  'closed tab': (device) => device.killTab(),
  'power cut': (device) => device.cutPower(),
  'frozen tab': (device) => device.freezeTab(),
  'full device': (device) => device.fillUp(),
  'captive portal': (device) => device.loseLine('foreign page'),
  'no connection': (device) => device.loseLine('lost request'),
  'silent connection': (device) => device.loseLine('hanging request'),
  'other person': (device) => device.changePerson(),
  'other session': (device) => device.changeSession(),
  'clock set back': (device) => device.setClock(-7_200_000),
  'clock set ahead': (device) => device.setClock(86_400_000),
  'newer build': (device) => device.openNewerBuild(),
  'older device': (device) => device.becomeOlder(),
  'newer server': (device) => device.replaceServer('newer'),
  'older server': (device) => device.replaceServer('older'),
  restore: (device) => device.restoreServer(),
}

/** What happens to a device and its server. */
export class DeviceEvents {
  /** Of the server, oldest first; restores take any of them. */
  readonly backups: ReturnType<MemoryServer['backup']>[] = []
  readonly #history: SimulatedHistory
  readonly #line: SimulatedLine
  readonly #device: SimulatedDevice
  readonly #people: SimulatedPeople
  readonly #others: SimulatedOthers

  constructor(
    history: SimulatedHistory,
    parts: { line: SimulatedLine; device: SimulatedDevice; people: SimulatedPeople; others: SimulatedOthers },
  ) {
    this.#history = history
    this.#line = parts.line
    this.#device = parts.device
    this.#people = parts.people
    this.#others = parts.others
  }

  async killTab(): Promise<void> {
    this.#history.random.pick(this.#device.tabs).close()
    this.#device.forgetClosed()
  }

  /** At a random write of one of its databases. */
  async cutPower(): Promise<void> {
    const tab = this.#history.random.pick(this.#device.tabs)
    cutPowerAt(this.#history.random.pick(tab.databases), this.#history.random.int(6))
    tab.tell('online')
    await this.#history.pass(this.#history.random.pick([0, 1_000, 5_000]))
    this.#device.closeTabs()
  }

  async freezeTab(): Promise<void> {
    const tab = this.#history.random.pick(this.#device.tabs)
    if (tab.isFrozen) tab.thaw()
    else tab.freeze()
  }

  async fillUp(): Promise<void> {
    const tab = this.#history.random.pick(this.#device.tabs)
    fillDeviceAt(
      this.#history.random.pick(tab.databases),
      this.#history.random.int(6),
      1 + this.#history.random.int(3),
    )
  }

  async loseLine(fault: Fault): Promise<void> {
    const isHasty = this.#history.random.chance(0.5)
    this.#line.lose(fault, isHasty)
    // Six things more to send than one minute has requests for.
    if (isHasty && this.#history.random.chance(0.4)) await this.#people.beginSeries(6).catch(() => {})
  }

  /** Signs out, with or without the outbox, or in: the page knows it at once. */
  async changePerson(): Promise<void> {
    const tab = this.#device.awake()
    if (!tab) return
    if (this.#history.session !== undefined && this.#history.random.chance(0.5)) {
      if (this.#history.random.chance(0.2) && tab.userId !== undefined) {
        this.#history.invariants.withdraw(await readOutbox(tab.app, tab.userId))
        await discardAll(tab.app, tab.userId).catch(() => {})
      }
      this.#history.session = undefined
    } else this.#history.session = this.#history.random.pick(people)
    for (const each of this.#device.tabs) each.setUser(this.#history.session)
  }

  /** Changes the session in another window, without an event for this page. */
  async changeSession(): Promise<void> {
    this.#history.session = this.#history.random.pick([undefined, ...people])
  }

  async setClock(by: number): Promise<void> {
    this.#history.clockSkew += by
  }

  /** A newer build has changed the shape of the rows: the open pages may not write any more, until they are reloaded. */
  async openNewerBuild(): Promise<void> {
    const { app } = this.#history.reader
    const before = await app.meta.get(writerKey)
    await app.meta.put({ key: writerKey, value: 99 })
    const rows = await rowsOf(app)
    await this.#history.pass(this.#history.random.pick([1_000, 70_000]))
    if ((await rowsOf(app)) !== rows) throw new Error('an outdated page has written')
    this.#device.closeTabs()
    if (before) await app.meta.put(before)
    else await app.meta.delete(writerKey)
  }

  /** The rows, entries, uploads and recordings of the last release; this one is opened on them. */
  async becomeOlder(): Promise<void> {
    this.#device.closeTabs()
    await asOlderDevice(this.#history.reader)
    this.#history.invariants.becameOlder()
  }

  async replaceServer(release: ServerRelease): Promise<void> {
    this.#line.server = this.#line.server === release ? 'same' : release
    if (this.#line.server === 'older') this.#history.invariants.becameOlder()
  }

  async restoreServer(): Promise<void> {
    if (this.backups.length === 0) return
    const backup = this.#history.random.pick(this.backups)
    const from = this.#history.random.pick(['backup', 'copy'] as const)
    if (from === 'copy') await this.#people.editLost(backup).catch(() => {})
    this.#history.site.restore(backup, from)
    for (let writes = this.#history.random.int(4); writes > 0; writes -= 1) this.#others.writeNewTeaching()
    if (from === 'copy' && this.#history.random.chance(0.5)) {
      // The same copy again assigns the revisions that the device has pulled since the first.
      for (const tab of this.#device.tabs) tab.tell('online')
      await this.#history.pass(5_000)
      this.#history.site.restore(backup, from)
      for (let writes = 6; writes > 0; writes -= 1) this.#others.writeNewTeaching()
      this.#history.count('a second restore of a copy')
    }
    // Sessions are in no backup.
    this.#history.session = undefined
  }

  async cutPowerAtSnapshot(write: number): Promise<void> {
    const [tab] = this.#device.tabs
    cutPowerAt(tab!.app, write)
    tab!.tell('online')
    await this.#history.pass(5_000)
    tab!.close()
    this.#device.forgetClosed()
    this.#history.count('a power cut during the first snapshot')
    await this.#history.invariants.check()
  }
}

const writerKey = 'minWriterSchema'

const rowsOf = async (app: AppDatabase) =>
  JSON.stringify([await app.teachings.toArray(), await app.series.toArray(), await app.outbox.toArray()])
