import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { sentInMemory } from '@fellowship/sync/client/engine/rate'
import { applyOutbox, readOutbox } from '@fellowship/sync/client/outbox/outbox'
import { copyLock } from '@fellowship/sync/client/uploads/upload-copying'
import type { SimulatedHistory } from './simulated-history.ts'
import type { SimulatedLine } from './simulated-line.ts'
import { SimulatedTab, type TabHost } from './simulated-tab.ts'

/** The open tabs of a device. */
export class SimulatedDevice {
  tabs: SimulatedTab[] = []
  readonly #history: SimulatedHistory
  readonly #host: TabHost

  constructor(history: SimulatedHistory, line: SimulatedLine) {
    const { name, random, time, locks, invariants } = history
    this.#history = history
    this.#host = {
      name,
      random,
      time,
      locks,
      now: () => history.now(),
      isFull: () => history.isFull,
      faultOf: (kind) => line.faultOf(kind),
      handle: (address, init) => line.handle(address, init),
      onOutbox: ({ kind, entry }) => {
        if (kind !== 'done') return
        history.count('an acknowledged entry')
        invariants.acknowledged(entry)
      },
      onUpload: () => {},
      onViolation: (violation) => history.report(violation),
      jitter: () => (line.isHasty() ? 0 : random.int(100) / 100),
      sent: sentInMemory(),
      asked: [],
    }
  }

  openTab(): SimulatedTab {
    const tab = new SimulatedTab(this.#host)
    tab.setUser(this.#history.session)
    this.tabs.push(tab)
    return tab
  }

  forgetClosed(): void {
    this.tabs = this.tabs.filter(({ isClosed }) => !isClosed)
  }

  awake(): SimulatedTab | undefined {
    return this.tabs.find(({ isFrozen }) => !isFrozen)
  }

  /** Copying holds the lock of its job until it ends, or its page is closed. */
  copying() {
    return {
      hold: async <T>(id: string, work: () => Promise<T>): Promise<T> =>
        (await this.#history.locks.request(copyLock(id), work)) as T,
      yieldToMain: () => new Promise<void>((resolve) => setTimeout(resolve)),
    }
  }

  async screen(tab: SimulatedTab): Promise<Teaching[]> {
    return applyOutbox(await tab.app.teachings.toArray(), await readOutbox(tab.app, tab.userId))
  }

  /** Closes all its tabs, but for one that stays. */
  closeTabs(kept?: SimulatedTab): void {
    for (const tab of this.tabs) if (tab !== kept) tab.close()
    this.forgetClosed()
  }
}
