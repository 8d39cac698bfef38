import type { EntityTable, Table } from 'dexie'
import { audioDatabaseName } from '../saved-audio/audio-database-name.ts'
import { DeviceDatabase } from './device-database.ts'

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
export class AudioDatabase extends DeviceDatabase {
  declare recordings: EntityTable<SavedRecording, 'key'>
  declare chunks: Table<AudioChunk, [string, number]>
  /** What is to be kept without asking each time. */
  declare wishes: EntityTable<StandingWish, 'kind'>

  constructor(name = audioDatabaseName) {
    super(name)
    this.version(1).stores({ recordings: 'key, teachingUid', chunks: '[key+index]', wishes: 'kind' })
  }
}

let opened: AudioDatabase | undefined

/** The one `audio` database of this page. Never in memory: a recording is saved to be there another day. */
export const audioDatabase = (): AudioDatabase => (opened ??= new AudioDatabase())
