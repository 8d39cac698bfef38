import { Dexie, liveQuery, type EntityTable, type Observable } from 'dexie'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'

/** What the device remembers about itself and its last conversation with the server. */
export interface MetaRow {
  key: string
  value: unknown
}

/**
 * The device's copy of the public data. Past versions stay listed, with their reasons: an app that was not opened
 * for a year climbs through all of them.
 */
export class AppDatabase extends Dexie {
  declare teachings: EntityTable<Teaching, 'uid'>
  declare meta: EntityTable<MetaRow, 'key'>

  constructor(name = 'app') {
    // Strict: what was said to be kept survives a dead battery.
    super(name, { chromeTransactionDurability: 'strict' })
    this.version(1).stores({ teachings: 'uid, id', meta: 'key' })
  }
}

let opened: AppDatabase | undefined

/** The one `app` database of this page. */
export const appDatabase = (): AppDatabase => (opened ??= new AppDatabase())

export { liveQuery, type Observable }
