import type { TaggedTeaching, TagPicture } from './id3.ts'
import type { IndexJob } from './mp4-index.ts'

/** A recording's bytes, wherever they lie. */
export interface RecordingBytes {
  readonly size: number
  /** Fewer bytes only at the end. */
  readonly read: (from: number, length: number) => Promise<Uint8Array>
}

/** What is sent, in its order: new bytes, or a stretch of the recording, `to` excluded. */
export type Part = Uint8Array<ArrayBuffer> | { readonly from: number; readonly to: number }

/** What a recording is given to carry. */
export interface Tags {
  readonly teaching: TaggedTeaching
  readonly picture?: TagPicture | undefined
  /** Where the index of an MP4 is read; here, where it is not said. */
  readonly tagIndex?: IndexTagging
}

/** Gives tags to an index; undefined where it is not built as it should be. */
type IndexTagging = (job: IndexJob) => Promise<Uint8Array<ArrayBuffer> | undefined>
