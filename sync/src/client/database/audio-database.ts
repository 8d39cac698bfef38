import type { EntityTable, Table } from 'dexie'
import { audioDatabaseName } from './stored-files.ts'
import type { Backoff } from '../engine/backoff.ts'
import { DeviceDatabase } from './device-database.ts'

/**
 * A recording of which this device has bytes, or will have: saved for offline listening, or held ahead of playback. Its
 * bytes are rows of `chunks`.
 */
export interface SavedRecording extends Partial<Backoff> {
  /** sha-256 of the bytes, lower-case hex; a finished download is verified against it. */
  key: string
  teachingUid: string
  /** Stored here because the recording stays when the teaching is deleted from the library. */
  title: string
  speaker: string
  date: string
  /** '/audio/<key>.<ext>' */
  url: string
  /** Total bytes. */
  size: number
  type: string
  /** Bytes stored so far, from the start without a gap. */
  bytes: number
  /**
   * waiting: to be downloaded · ready: complete and verified · evicted: was ready, but the browser deleted bytes ·
   * refused: the server has no such recording · dropped: removed by a person; the row remains, so that the standing request
   * does not download it again
   */
  state: 'waiting' | 'ready' | 'evicted' | 'refused' | 'dropped'
  /** Why the download stopped: the device is full, or the server's sentence. */
  problem?: 'device full' | (string & {})
  /** Saved by the standing request: what a person asked for is downloaded first. */
  automatic?: boolean
  /** The recording of the other size that goes once this one is whole. */
  replaces?: string
  /** Complete downloads in a row whose hash was wrong. */
  damaged?: number
  /** Only held for playing, not saved. Rows of earlier builds have no such field, and are saved. */
  ahead?: HeldAhead
  /** Epoch milliseconds. */
  savedAt: number
  lastPlayedAt?: number
}

/** A recording that is fetched while it plays. An earlier build, as after a rollback, shows it as a saved one. */
interface HeldAhead {
  /** Id of the user who played it; missing if nobody was signed in. */
  owner?: number
  /** Chunk of the position at which it was opened: those before it are not fetched. */
  from: number
  /** All its wanted chunks are here, or cannot be: nothing more is fetched. */
  isHeld?: boolean
  /** A person has removed it from the saved recordings, so the standing request does not save it again. */
  removed?: boolean
}

/** One MiB of a recording. ArrayBuffers, never Blobs: WebKit loses or refuses those. */
export interface AudioChunk {
  key: string
  index: number
  data: ArrayBuffer
}

/** The newest teachings are saved as they appear; nothing is removed for them. */
export interface StandingRequest {
  kind: 'newest'
  count: number
  /** Whether the smaller recordings are saved, if there are any. */
  small?: boolean
}

/** Saved recordings, apart from the replica: they are large, and the service worker reads them too. */
export class AudioDatabase extends DeviceDatabase {
  declare recordings: EntityTable<SavedRecording, 'key'>
  declare chunks: Table<AudioChunk, [string, number]>
  /** The recordings that are saved without a press for each. */
  declare wishes: EntityTable<StandingRequest, 'kind'>

  constructor(name = audioDatabaseName) {
    super(name)
    this.version(1).stores({ recordings: 'key, teachingUid', chunks: '[key+index]', wishes: 'kind' })
  }
}

let opened: AudioDatabase | undefined

/** The one `audio` database of this page. Never in memory: a recording is saved to be there another day. */
export const audioDatabase = (): AudioDatabase => (opened ??= new AudioDatabase())
