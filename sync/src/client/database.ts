import { Dexie, liveQuery, type EntityTable, type Observable, type Table, type Transaction } from 'dexie'
import type { Elder } from '@fellowship/schema/elders/elders.schema'
import type { Passage } from '@fellowship/schema/passages/passages.schema'
import type { Kind } from '@fellowship/schema/sync/sync.schema'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'

/** What the device remembers about itself and its last conversation with the server. */
export interface MetaRow {
  key: string
  value: unknown
}

/** The shape of rows this build writes. Raised when an older build could no longer write without harm. */
export const writerSchema = 1

/** Another tab runs a newer build that changed what rows look like; this page must be reloaded before it writes. */
export class OutdatedPage extends Error {
  override readonly name = 'OutdatedPage'
  constructor() {
    super('The app was updated. Reload this page.')
  }
}

/**
 * The device's copy of the public data. Past versions stay listed, with their reasons: an app that was not opened
 * for a year climbs through all of them.
 */
export class AppDatabase extends Dexie {
  declare teachings: EntityTable<Teaching, 'uid'>
  declare elders: EntityTable<Elder, 'uid'>
  declare passages: EntityTable<Passage, 'uid'>
  declare meta: EntityTable<MetaRow, 'key'>

  constructor(name = 'app') {
    // Strict: what was said to be kept survives a dead battery.
    super(name, { chromeTransactionDurability: 'strict' })
    // Few indexes: each costs every one of ten thousand writes, and lists are sorted in memory.
    this.version(1).stores({ teachings: 'uid, id', meta: 'key' })
    // Elders and passages travel with the same feed; the store that the plain fetch filled is swept by the first snapshot.
    this.version(2).stores({ teachings: 'uid', elders: 'uid', passages: 'uid, reference', meta: 'key' })
  }

  /** The table of a kind. */
  tableOf(kind: Kind): Table<{ uid: string; rev: number }, string> {
    return { teaching: this.teachings, elder: this.elders, passage: this.passages }[kind] as unknown as Table<
      { uid: string; rev: number },
      string
    >
  }

  /** Every table a page of changes may touch, for one transaction. */
  get replicaTables(): Table[] {
    return [this.teachings, this.elders, this.passages, this.meta]
  }
}

let opened: AppDatabase | undefined

/** The one `app` database of this page. */
export const appDatabase = (): AppDatabase => (opened ??= new AppDatabase())

export { liveQuery, type Observable, type Transaction }
