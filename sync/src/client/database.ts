import { Dexie, liveQuery, type EntityTable, type Observable, type Table, type Transaction } from 'dexie'
import type { Elder } from '@fellowship/schema/elders/elders.schema'
import type { Passage } from '@fellowship/schema/passages/passages.schema'
import type { Kind } from '@fellowship/schema/sync/sync.schema'
import type { ListeningPosition } from '@fellowship/schema/audio/listening-position'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'

import { audioDatabaseName } from './audio-database-name.ts'

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
  declare positions: EntityTable<PositionRow, 'uid'>
  declare meta: EntityTable<MetaRow, 'key'>

  constructor(name = 'app') {
    // Strict: what was said to be kept survives a dead battery.
    super(name, { chromeTransactionDurability: 'strict' })
    // Few indexes: each costs every one of ten thousand writes, and lists are sorted in memory.
    this.version(1).stores({
      teachings: 'uid',
      elders: 'uid',
      passages: 'uid, reference',
      positions: 'uid',
      meta: 'key',
    })
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

/** A recording that a member chose to keep. Its bytes are rows of `chunks`. */
export interface SavedRecording {
  /** sha-256 of the bytes, lower-case hex: what the finished copy must hash to. */
  key: string
  teachingUid: string
  /** What it is, kept beside it: the teaching may leave the library one day, the recording stays. */
  title: string
  speaker: string
  date: string
  /** Where it comes from, '/audio/<key>.<ext>'. */
  url: string
  /** Total bytes. */
  size: number
  type: string
  /** Bytes that are safely here, from the start, without a gap. */
  bytes: number
  /**
   * waiting: wanted, not all here · ready: whole and verified · evicted: was ready, but the device took bytes away ·
   * refused: the server says it is not to be had · dropped: a person removed it; only this note is left, so that no
   * standing wish brings it back
   */
  state: 'waiting' | 'ready' | 'evicted' | 'refused' | 'dropped'
  /** Why it does not go on by itself: the device is full, or the server's sentence. */
  problem?: 'device full' | (string & {})
  /** Epoch milliseconds. */
  savedAt: number
  lastPlayedAt?: number
}

/** Bytes of one chunk are at most this many; every chunk but the last has exactly as many. */
export const chunkBytes = 1024 * 1024

/** One MiB of a recording. ArrayBuffers, never Blobs: WebKit loses or refuses those. */
export interface AudioChunk {
  key: string
  index: number
  data: ArrayBuffer
}

/** New teachings are kept as they appear; nothing is ever dropped for it. */
export interface StandingWish {
  kind: 'newest'
  count: number
}

/** Recordings on the device, apart from the catalogue: they are large, and the service worker reads them too. */
export class AudioDatabase extends Dexie {
  declare recordings: EntityTable<SavedRecording, 'key'>
  declare chunks: Table<AudioChunk, [string, number]>
  /** What is to be kept without asking each time. */
  declare wishes: EntityTable<StandingWish, 'kind'>

  constructor(name = audioDatabaseName) {
    super(name, { chromeTransactionDurability: 'strict' })
    this.version(1).stores({ recordings: 'key, teachingUid', chunks: '[key+index]', wishes: 'kind' })
  }
}

let opened: AppDatabase | undefined
let openedAudio: AudioDatabase | undefined

/** The one `app` database of this page. */
export const appDatabase = (): AppDatabase => (opened ??= new AppDatabase())

/** The one `audio` database of this page. */
export const audioDatabase = (): AudioDatabase => (openedAudio ??= new AudioDatabase())

export { liveQuery, type Observable, type Transaction }
