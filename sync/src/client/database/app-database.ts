import type { EntityTable, Table } from 'dexie'
import type { Elder } from '@fellowship/schema/elders/elders.schema'
import type { ListeningPosition } from '@fellowship/schema/listening/listening-position'
import type { Passage } from '@fellowship/schema/passages/passages.schema'
import type { Kind } from '@fellowship/schema/sync/sync.schema'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { TeachingPatch, TeachingText } from '@fellowship/schema/teachings/teaching-words'
import { DeviceDatabase } from './device-database.ts'
import { memoryFallback, type MemoryFallback } from './memory-fallback.ts'

/** What the device remembers about itself and its last conversation with the server. */
export interface MetaRow {
  key: string
  value: unknown
}

/** Where this device stopped in a teaching. */
export interface PositionRow extends ListeningPosition {
  /** The teaching's. */
  uid: string
}

/** An edit or a deletion of a teaching that waits for the server's yes. */
export interface OutboxEntry {
  /** The order in which they were made. */
  seq: number
  /** The server does it once, however often it hears of it. */
  mutationId: string
  /** The REST address; entries of one teaching are sent one after another. */
  teachingId: number
  uid: string
  /** What the person knows it by. */
  title: string
  op: 'edit' | 'delete'
  /** What the person saw. */
  base: TeachingText
  /** What the person changed. */
  patch: TeachingPatch
  baseRev: number
  ownerUserId: number
  /**
   * queued: will be sent · sending: under way · blocked_auth: the person must sign in · conflict: the person must
   * decide · rejected: the server says no, and why
   */
  state: 'queued' | 'sending' | 'blocked_auth' | 'conflict' | 'rejected'
  attempts: number
  /** Epoch milliseconds. */
  nextAttemptAt: number
  createdAt: number
  /** What the server said last. */
  lastError?: { code: string; sentence: string }
  /** What stands on the server, for a conflict. */
  current?: Teaching
}

/** The shape of rows this build writes. Raised when an older build could no longer write without harm. */
export const writerSchema = 1

/**
 * The device's copy of the public data. Past versions stay listed, with their reasons: an app that was not opened
 * for a year climbs through all of them.
 */
export class AppDatabase extends DeviceDatabase {
  declare teachings: EntityTable<Teaching, 'uid'>
  declare elders: EntityTable<Elder, 'uid'>
  declare passages: EntityTable<Passage, 'uid'>
  declare positions: EntityTable<PositionRow, 'uid'>
  declare outbox: EntityTable<OutboxEntry, 'seq'>
  declare meta: EntityTable<MetaRow, 'key'>

  constructor(name = 'app', fallback?: MemoryFallback) {
    super(name, fallback)
    // Few indexes: each costs every one of ten thousand writes, and lists are sorted in memory.
    this.version(1).stores({
      teachings: 'uid',
      elders: 'uid',
      passages: 'uid, reference',
      positions: 'uid',
      outbox: '++seq, mutationId, uid',
      meta: 'key',
    })
    // The newest teachings by an index: the first screen does not wait for ten thousand rows.
    this.version(2).stores({ teachings: 'uid, [date+id]' })
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

/** The one `app` database of this page; in memory where the browser cannot open its own. */
export const appDatabase = (): AppDatabase => (opened ??= new AppDatabase('app', memoryFallback()))
