import { Dexie } from 'dexie'
import { closeOnNewerVersion, OutdatedPage, reportTrouble } from './database-trouble.ts'
import type { MemoryFallback } from './memory-fallback.ts'
import { rereadAll, whenCleared } from './storage-cleared.ts'

/** A database of this site in the browser. */
export class DeviceDatabase extends Dexie {
  readonly fallback: MemoryFallback | undefined
  readonly #outdated = new AbortController()
  readonly #cleared = new EventTarget()

  /** @param fallback opens it in memory if the browser cannot */
  constructor(name: string, fallback?: MemoryFallback) {
    // Strict: changes that the screen calls saved survive a dead battery.
    super(name, { chromeTransactionDurability: 'strict', ...fallback?.options })
    this.fallback = fallback
    closeOnNewerVersion(this, () => this.becomeOutdated('outdated'))
    whenCleared(this, () => {
      rereadAll()
      this.#cleared.dispatchEvent(new Event('cleared'))
    })
  }

  /** Aborts when a newer build has outdated this page, which cannot store anything here any more. */
  get outdated(): AbortSignal {
    return this.#outdated.signal
  }

  /** Calls back when its rows may have been deleted by the browser or by another tab; returns the way to stop listening. */
  onCleared(listener: () => void): () => void {
    this.#cleared.addEventListener('cleared', listener)
    return () => this.#cleared.removeEventListener('cleared', listener)
  }

  /** Records that this page may not write any more; returns the error for the caller of the write. */
  becomeOutdated(trouble: 'outdated' | 'older'): OutdatedPage {
    // The listeners may read the database, and the report may come from within a transaction, which ends with the error.
    Dexie.ignoreTransaction(() => {
      this.#outdated.abort()
      reportTrouble(trouble)
    })
    return new OutdatedPage(trouble)
  }

  /** Opens it, and returns whether its rows are in the memory of this page, in which case tabs do not share them. */
  async isInMemory(): Promise<boolean> {
    // Opening would undo the closing for a newer build.
    if (!this.fallback || this.outdated.aborted) return false
    await this.open()
    return this.fallback.isInUse()
  }
}

export { liveQuery } from 'dexie'
