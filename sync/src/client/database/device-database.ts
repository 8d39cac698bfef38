import { Dexie } from 'dexie'
import { closeOnNewerVersion, databaseTrouble } from './database-trouble.ts'
import type { MemoryFallback } from './memory-fallback.ts'

/** A database of this site in the browser. */
export class DeviceDatabase extends Dexie {
  readonly fallback: MemoryFallback | undefined

  /** @param fallback opens it in memory where the browser cannot */
  constructor(name: string, fallback?: MemoryFallback) {
    // Strict: what the screen calls saved survives a dead battery.
    super(name, { chromeTransactionDurability: 'strict', ...fallback?.options })
    this.fallback = fallback
    closeOnNewerVersion(this)
  }

  /** Opens it, and says whether its rows are in the memory of this page: other tabs have others then. */
  async isInMemory(): Promise<boolean> {
    // Opening would undo the closing for a newer build.
    if (!this.fallback || databaseTrouble()) return false
    await this.open()
    return this.fallback.isInUse()
  }
}
