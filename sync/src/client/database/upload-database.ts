import type { EntityTable, Table } from 'dexie'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { EnteredFields } from '@fellowship/schema/uploads/uploads.schema'
import { DeviceDatabase } from './device-database.ts'
import { memoryFallback, type MemoryFallback } from './memory-fallback.ts'

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

type UploadState =
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
export class UploadDatabase extends DeviceDatabase {
  declare jobs: EntityTable<UploadJob, 'id'>
  declare chunks: Table<UploadChunk, [string, number]>

  constructor(name = 'uploads', fallback?: MemoryFallback) {
    super(name, fallback)
    this.version(1).stores({ jobs: 'id', chunks: '[jobId+index]' })
  }
}

let opened: UploadDatabase | undefined

/** The one `uploads` database of this page; in memory where the browser cannot open its own. */
export const uploadDatabase = (): UploadDatabase =>
  (opened ??= new UploadDatabase('uploads', memoryFallback()))
