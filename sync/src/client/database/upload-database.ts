import type { EntityTable, Table } from 'dexie'
import type { TeachingText } from '@fellowship/schema/teachings/teaching-words'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { EnteredFields } from '@fellowship/schema/uploads/uploads.schema'
import type { Backoff } from '../engine/backoff.ts'
import { DeviceDatabase } from './device-database.ts'
import { memoryFallback, type MemoryFallback } from './memory-fallback.ts'

/** An upload job: a recording to be uploaded. Its bytes are rows of `chunks`. */
export interface UploadJob extends Backoff {
  /** Also the uid of the teaching that it becomes. */
  id: string
  /** The id on the server; another one than `id` only after the server has refused that. */
  uploadId: string
  /** Null if it was added while signed out: it belongs to the next user who signs in. */
  ownerUserId: number | null
  filename: string
  /** Total bytes. */
  size: number
  /** Of all bytes, lower-case hex; known when all are copied. */
  sha256?: string
  fields: EnteredFields
  /** The teaching whose recording it replaces, at the revision that the person saw; jobs of earlier builds have no uid. */
  replace?: { teachingId: number; baseRev: number; uid?: string }
  /** The words that the person saw of it; jobs of earlier builds do not have them. */
  seen?: { text: TeachingText; audioUrl: string | null }
  /**
   * copying: a page is copying the file and must stay open · queued: copied, not being sent · creating, uploading,
   * finalizing: being sent · done · blocked_auth: needs a sign-in · duplicate: in the library already · rejected: refused
   * by the server, see `lastError` · cancelled: to be deleted on the server · lost: the copying was interrupted, the file
   * must be chosen again
   */
  state: UploadState
  /** A person's answer to 'cut_off': the part that arrived is published. */
  acceptCutOff?: true
  /** A person's answer to 'sounds_wrong', or given beforehand by one who saw how it sounds. */
  acceptSound?: true
  /** A file with the text of the recording, which becomes the draft of the teaching. */
  captions?: ArrayBuffer
  /** Names of files that become handouts of the teaching; their bytes are rows of `chunks` by `handoutsOf` and their order. */
  handouts?: readonly string[]
  /** Those that the server refused, once the job is done. */
  refusedHandouts?: readonly { name: string; sentence: string }[]
  /** Shared from another app and not confirmed by a person yet; paused until then. */
  unconfirmed?: true
  /** By a person. */
  paused: boolean
  /** The part that the server has for certain: nothing · the upload · all of its bytes. */
  phase: 'new' | 'begun' | 'arrived'
  /** The upload was requested, so the server may have it although no answer came. */
  asked?: true
  /** Bytes stored on this device. */
  copied: number
  /** Bytes that the server has acknowledged. */
  acknowledged: number
  /** Bytes per second, smoothed; 0 if unknown. */
  rate: number
  /** The number of failed attempts since a person last retried it. */
  sends?: number
  /** Whether the server has begun it; if so, beginning it again counts as an attempt. */
  wasBegun?: boolean
  /** The most bytes that the server ever had. */
  furthest?: number
  /** The time of the last progress, and whether the lack of it was reported. */
  movedAt: number
  timeoutTold: boolean
  createdAt: number
  finishedAt?: number
  /** The last failure, 'network' if no answer came; of a job that is done, why the server refused its text. */
  lastError?: {
    code: string
    sentence: string
    current?: Teaching
    /** With 'duplicate': the path of the teaching in the library, and whether it has this very recording. */
    existing?: { path: string; sameRecording: boolean }
    /** With 'cut_off': the length of the part that arrived, such as '0:36'. */
    present?: string
  }
  /** Known once the recording is in the library; the text may still have to be sent. */
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

/** The `jobId` by which `chunks` has the handouts of a job: each is one row. */
export const handoutsOf = (id: string): string => `${id} handouts`

/** One MiB of a recording to be uploaded. */
export interface UploadChunk {
  jobId: string
  index: number
  data: ArrayBuffer
}

/** The upload queue of this device. */
export class UploadDatabase extends DeviceDatabase {
  declare jobs: EntityTable<UploadJob, 'id'>
  declare chunks: Table<UploadChunk, [string, number]>

  constructor(name = 'uploads', fallback?: MemoryFallback) {
    super(name, fallback)
    this.version(1).stores({ jobs: 'id', chunks: '[jobId+index]' })
  }
}

let opened: UploadDatabase | undefined

/** The one `uploads` database of this page; in memory if the browser cannot open its own. */
export const uploadDatabase = (): UploadDatabase =>
  (opened ??= new UploadDatabase('uploads', memoryFallback()))
