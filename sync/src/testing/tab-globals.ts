import { currentTab, inTab, replaceGlobals, type TabLife } from './virtual-time.ts'

interface Lock {
  tab: TabLife | undefined
  /** Takes the lock from its holder. */
  lose: () => void
}

interface Waiting {
  tab: TabLife | undefined
  grant: () => void
}

interface LockOptions {
  signal?: AbortSignal
  steal?: boolean
}

/** The Web Locks of a device, as far as the leader lock uses them: a queue for each name, a signal, stealing. */
export class TabLocks {
  readonly #held = new Map<string, Lock>()
  #waiting = new Map<string, Waiting[]>()

  readonly request = (
    name: string,
    optionsOrWork: LockOptions | (() => unknown),
    maybeWork?: () => unknown,
  ): Promise<unknown> => {
    const options = typeof optionsOrWork === 'function' ? {} : optionsOrWork
    const work = typeof optionsOrWork === 'function' ? optionsOrWork : maybeWork!
    const tab = currentTab()
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        tab,
        grant: () => {
          const lock: Lock = { tab, lose: () => reject(aborted('The lock was taken.')) }
          this.#held.set(name, lock)
          const release = () => {
            if (this.#held.get(name) !== lock) return
            this.#held.delete(name)
            this.#grantNext(name)
          }
          const run = async () => work()
          void (tab ? inTab(tab, run) : run()).finally(release).then(resolve, reject)
        },
      }
      options.signal?.addEventListener('abort', () => {
        this.#waiting.set(
          name,
          this.#queue(name).filter((each) => each !== waiting),
        )
        reject(aborted('Waiting was ended.'))
      })
      if (options.steal) {
        this.#held.get(name)?.lose()
        this.#held.delete(name)
        waiting.grant()
      } else {
        this.#waiting.set(name, [...this.#queue(name), waiting])
        this.#grantNext(name)
      }
    })
  }

  /** A closed tab holds nothing and waits for nothing. */
  closeTab(tab: TabLife): void {
    for (const [name, queue] of this.#waiting)
      this.#waiting.set(
        name,
        queue.filter((waiting) => waiting.tab !== tab),
      )
    for (const [name, lock] of this.#held) {
      if (lock.tab !== tab) continue
      this.#held.delete(name)
      this.#grantNext(name)
    }
  }

  isHeld(name: string): boolean {
    return this.#held.has(name)
  }

  #queue(name: string): Waiting[] {
    return this.#waiting.get(name) ?? []
  }

  #grantNext(name: string): void {
    if (this.#held.has(name)) return
    const [next, ...rest] = this.#queue(name)
    if (!next) return
    this.#waiting.set(name, rest)
    next.grant()
  }
}

const aborted = (what: string) => new DOMException(what, 'AbortError')

/** The channels of a device by name; a frozen tab hears nothing until it runs again. */
class TabChannel {
  static open = new Set<TabChannel>()
  readonly name: string
  readonly #tab = currentTab()
  readonly #listeners = new Set<(event: { data: unknown }) => void>()

  constructor(name: string) {
    this.name = name
    TabChannel.open.add(this)
  }

  addEventListener(_type: string, listener: (event: { data: unknown }) => void): void {
    this.#listeners.add(listener)
  }

  postMessage(data: unknown): void {
    for (const channel of TabChannel.open) {
      const tab = channel.#tab
      if (channel === this || channel.name !== this.name || tab?.isClosed) continue
      const deliver = () => {
        if (!tab?.isClosed) for (const listener of channel.#listeners) listener({ data })
      }
      // Behind a timer of the tab's own, which waits while it is frozen.
      const later = () => void setTimeout(deliver, 1)
      if (tab) inTab(tab, later)
      else later()
    }
  }

  close(): void {
    TabChannel.open.delete(this)
  }
}

/** Installs the browser globals of the leader lock for the tabs; returns a function that restores them. */
export function installTabGlobals(locks: TabLocks): () => void {
  TabChannel.open.clear()
  return replaceGlobals([
    [globalThis, 'navigator', { locks }],
    [globalThis, 'document', { visibilityState: 'visible' }],
    [globalThis, 'BroadcastChannel', TabChannel],
  ])
}
