import { AsyncLocalStorage } from 'node:async_hooks'

/** A tab of a simulated device: its timers, channels and locks end and freeze with it. */
export interface TabLife {
  isClosed: boolean
  /** As the system freezes a page in the background: nothing of it runs. */
  isFrozen: boolean
}

const tabs = new AsyncLocalStorage<TabLife>()

/** Runs code as a tab's; its later timers belong to the tab too. */
export const inTab = <T>(tab: TabLife, work: () => T): T => tabs.run(tab, work)
/** The tab whose code is running; undefined for the simulation itself. */
export const currentTab = (): TabLife | undefined => tabs.getStore()

interface Timer {
  id: number
  at: number
  run: () => void
  everyMs: number | undefined
  tab: TabLife | undefined
}

const real = { setImmediate: globalThis.setImmediate, setTimeout: globalThis.setTimeout }

/**
 * Time that passes only when nothing else is to be done, so that hours of waiting take no time and every run with the same
 * seed is the same. While it is installed, timers and `performance.now` are its own.
 */
export class VirtualTime {
  /** Milliseconds since it began; never set back. */
  elapsed = 0
  #timers: Timer[] = []
  #ids = 0
  /** Steps of the database and of others that are about to run. */
  #immediates = 0

  /** Runs `work` under this time until it ends. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const restore = this.#install()
    try {
      return await this.#until(work())
    } finally {
      restore()
    }
  }

  /** A closed tab's timers never fire. */
  dropTimersOf(tab: TabLife): void {
    this.#timers = this.#timers.filter((timer) => timer.tab !== tab)
  }

  async #until<T>(work: Promise<T>): Promise<T> {
    let isOver = false
    const end = () => void (isOver = true)
    work.then(end, end)
    for (;;) {
      await this.#idle()
      if (isOver) return work
      if (!this.#fireNext()) throw new Error('Nothing is left that could happen.')
    }
  }

  async #idle(): Promise<void> {
    do {
      await new Promise<void>((resolve) => real.setImmediate(resolve))
    } while (this.#immediates > 0)
  }

  #fireNext(): boolean {
    let next: Timer | undefined
    for (const timer of this.#timers) {
      if (!timer.tab?.isFrozen && (!next || timer.at < next.at)) next = timer
    }
    if (!next) return false
    // One of a tab that was frozen meanwhile is late.
    this.elapsed = Math.max(this.elapsed, next.at)
    if (next.everyMs === undefined) this.#timers = this.#timers.filter((timer) => timer !== next)
    else next.at = this.elapsed + next.everyMs
    next.run()
    return true
  }

  #start(run: () => void, ms: number, everyMs?: number): number {
    // Dexie tells all live queries of the process by one such timer, which the end of a tab must not stop.
    const tab = ms === 0 ? undefined : currentTab()
    this.#ids += 1
    if (!tab?.isClosed) this.#timers.push({ id: this.#ids, at: this.elapsed + ms, run, everyMs, tab })
    return this.#ids
  }

  #install(): () => void {
    const start =
      (everyMs: (ms: number) => number | undefined) =>
      (run: () => void, ms = 0) => {
        const tab = currentTab()
        return this.#start(tab ? () => inTab(tab, run) : run, ms, everyMs(ms))
      }
    const clear = (id: number | undefined) => {
      this.#timers = this.#timers.filter((timer) => timer.id !== id)
    }
    const once = start(() => undefined)
    return replaceGlobals([
      [globalThis, 'setTimeout', once],
      [globalThis, 'setInterval', start((ms) => ms)],
      [globalThis, 'clearTimeout', clear],
      [globalThis, 'clearInterval', clear],
      [performance, 'now', () => this.elapsed],
      [
        globalThis,
        'setImmediate',
        (run: (...args: unknown[]) => void, ...args: unknown[]) => {
          this.#immediates += 1
          return real.setImmediate(() => {
            this.#immediates -= 1
            run(...args)
          })
        },
      ],
    ])
  }
}

/** Replaces members of global objects; returns the way back. */
export function replaceGlobals(replacements: readonly [object, string, unknown][]): () => void {
  const before = replacements.map(([owner, name]) => Object.getOwnPropertyDescriptor(owner, name))
  for (const [owner, name, value] of replacements)
    Object.defineProperty(owner, name, { value, configurable: true, writable: true })
  return () =>
    replacements.forEach(([owner, name], at) => {
      const descriptor = before[at]
      if (descriptor) Object.defineProperty(owner, name, descriptor)
      else Reflect.deleteProperty(owner, name)
    })
}
