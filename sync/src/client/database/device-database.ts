import { Dexie } from 'dexie'
import { closeOnNewerVersion, OutdatedPage, reportTrouble } from './database-trouble.ts'
import type { MemoryFallback } from './memory-fallback.ts'

/** A database of this site in the browser. */
export class DeviceDatabase extends Dexie {
  readonly fallback: MemoryFallback | undefined
  readonly #outdated = new AbortController()

  /** @param fallback opens it in memory if the browser cannot */
  constructor(name: string, fallback?: MemoryFallback) {
    // Strict: changes that the screen calls saved survive a dead battery.
    super(name, { chromeTransactionDurability: 'strict', ...fallback?.options })
    this.fallback = fallback
    closeOnNewerVersion(this, () => this.becomeOutdated())
  }

  /** Aborts when a newer build has outdated this page, which cannot store anything here any more. */
  get outdated(): AbortSignal {
    return this.#outdated.signal
  }

  /** Records that a newer build has outdated this page; returns the error for the caller of the write. */
  becomeOutdated(): OutdatedPage {
    // The listeners may read the database, and the report may come from within a transaction, which ends with the error.
    Dexie.ignoreTransaction(() => {
      this.#outdated.abort()
      reportTrouble('outdated')
    })
    return new OutdatedPage()
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
