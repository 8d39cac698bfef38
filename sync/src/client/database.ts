import { Dexie, liveQuery, type EntityTable, type Observable, type Table, type Transaction } from 'dexie'
import type { Elder } from '@fellowship/schema/elders/elders.schema'
import type { Passage } from '@fellowship/schema/passages/passages.schema'
import type { Kind } from '@fellowship/schema/sync/sync.schema'
import type { ListeningPosition } from '@fellowship/schema/listening/listening-position'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { EnteredFields } from '@fellowship/schema/uploads/uploads.schema'

import type { TeachingPatch, TeachingText } from '@fellowship/schema/teachings/teaching-words'
import { audioDatabaseName } from './saved-audio/audio-database-name.ts'

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

/** Another tab runs a newer build that changed what rows look like; this page must be reloaded before it writes. */
export class OutdatedPage extends Error {
  override readonly name = 'OutdatedPage'
  constructor() {
    super('The app was updated. Reload this page.')
  }
}

/**
 * outdated: a newer build, open in another tab, changed the databases; this page let go of them and can only be
 * reloaded · blocked: this page is the newer one and waits for others to let go
 */
export type DatabaseTrouble = 'outdated' | 'blocked'

const troubleListeners = new Set<(trouble: DatabaseTrouble) => void>()
let trouble: DatabaseTrouble | undefined

/** Calls back at trouble, at once where it came before; returns the way to stop listening. */
export function onDatabaseTrouble(listener: (trouble: DatabaseTrouble) => void): () => void {
  troubleListeners.add(listener)
  if (trouble) listener(trouble)
  return () => troubleListeners.delete(listener)
}

/** For whoever finds out that this page is outdated otherwise than by the database's own event. */
export function reportTrouble(next: DatabaseTrouble): void {
  trouble = next
  for (const listener of troubleListeners) listener(next)
}

/**
 * Dexie would open again by itself at whatever version there is then, and this build would go on writing into a
 * shape that it does not know.
 */
function closeOnNewerVersion(db: Dexie): void {
  db.on('versionchange', ({ newVersion }) => {
    // Somebody clears the site's data: that begins anew when it is needed.
    const cleared = !newVersion
    db.close({ disableAutoOpen: !cleared })
    if (!cleared) reportTrouble('outdated')
    return false
  })
  db.on('blocked', () => {
    reportTrouble('blocked')
    return false
  })
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
  declare outbox: EntityTable<OutboxEntry, 'seq'>
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
      outbox: '++seq, mutationId, uid',
      meta: 'key',
    })
    // The newest teachings by an index: the first screen does not wait for ten thousand rows.
    this.version(2).stores({ teachings: 'uid, [date+id]' })
    closeOnNewerVersion(this)
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
  /** How many times in a row it came whole and was not what the library names. */
  damaged?: number
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
    closeOnNewerVersion(this)
  }
}

/** A recording that a person gave to this device to bring to the library. Its bytes are rows of `chunks`. */
export interface UploadJob {
  /** Also the upload's id on the server and the uid of the teaching to come. */
  id: string
  /** Another one than `id` only where the server does not take that any more. */
  uploadId: string
  /** Who sends it; null where nobody was signed in: whoever signs in takes it over. */
  ownerUserId: number | null
  filename: string
  /** Total bytes. */
  size: number
  /** Of all bytes, lower-case hex; known when they are all here. */
  sha256?: string
  fields: EnteredFields
  /** The teaching whose recording it replaces, as the person saw it. */
  replace?: { teachingId: number; baseRev: number }
  /**
   * copying: on its way to this device, by a page that must not close · queued: all here, waits for its turn ·
   * creating, uploading, finalizing: under way · done · blocked_auth: the person must sign in · duplicate: the library
   * has it · rejected: the server says no, and why · cancelled: given up, the server hears of it · lost: the copying
   * broke off, the file must be chosen again
   */
  state: UploadState
  /** It came from another app; nobody has looked at what it is called yet. Such ones are paused. */
  unconfirmed?: true
  /** A person stopped it for now. */
  paused: boolean
  /** What the server is known to know of it: nothing · that it was begun · all of its bytes. */
  phase: 'new' | 'begun' | 'arrived'
  /** It was asked to begin, so it may know of it all the same: the answer can be lost. */
  asked?: true
  /** Bytes that are safely here. */
  copied: number
  /** Bytes that the server has said to have. */
  acknowledged: number
  /** Bytes per second, smoothed; 0 where it is not known. */
  rate: number
  /** Failures in a row. */
  attempts: number
  /** Epoch milliseconds. */
  nextAttemptAt: number
  /** When it last came forward, and whether the person was told that it has not for long. */
  movedAt: number
  timeoutTold: boolean
  createdAt: number
  finishedAt?: number
  /** What stopped it last; 'network' where no answer came. */
  lastError?: { code: string; sentence: string; current?: Teaching }
  teaching?: Teaching
}

export type UploadState =
  | 'copying'
  | 'queued'
  | 'creating'
  | 'uploading'
  | 'finalizing'
  | 'done'
  | 'blocked_auth'
  | 'duplicate'
  | 'rejected'
  | 'cancelled'
  | 'lost'

/** One MiB of a recording on its way to the library. */
export interface UploadChunk {
  jobId: string
  index: number
  data: ArrayBuffer
}

/** Recordings that wait on this device for the library. */
export class UploadDatabase extends Dexie {
  declare jobs: EntityTable<UploadJob, 'id'>
  declare chunks: Table<UploadChunk, [string, number]>

  constructor(name = 'uploads') {
    // Strict: 'you can close this page' is said when the last byte is on the disk.
    super(name, { chromeTransactionDurability: 'strict' })
    this.version(1).stores({ jobs: 'id', chunks: '[jobId+index]' })
    closeOnNewerVersion(this)
  }
}

let opened: AppDatabase | undefined
let openedAudio: AudioDatabase | undefined
let openedUploads: UploadDatabase | undefined

/** The one `app` database of this page. */
export const appDatabase = (): AppDatabase => (opened ??= new AppDatabase())

/** The one `audio` database of this page. */
export const audioDatabase = (): AudioDatabase => (openedAudio ??= new AudioDatabase())

/** The one `uploads` database of this page. */
export const uploadDatabase = (): UploadDatabase => (openedUploads ??= new UploadDatabase())

/**
 * Whether this browser keeps a database for the site: some private windows and broken profiles do not. One that a newer
 * build holds is kept all the same; what to do about that the trouble itself says.
 */
export async function hasStorage(db: Dexie): Promise<boolean> {
  if (trouble) return true
  return db.open().then(
    () => true,
    () => trouble !== undefined,
  )
}

export { liveQuery, type Observable, type Transaction }
