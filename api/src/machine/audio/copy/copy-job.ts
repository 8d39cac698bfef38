import type { AudioExtension } from '@fellowship/schema/uploads/uploads.limits'
import type { MeasuredSound } from '@fellowship/schema/audio/measure/measure-sound'
import type { SmallCopy } from './small-copy.ts'

/** What the process that makes copies is asked for. */
export interface CopyJob {
  readonly path: string
  readonly extension: AudioExtension
  /** Bytes of the recording. */
  readonly bytes: number
  /** An empty file that the copy is written into. */
  readonly target: string
  readonly ffmpeg?: string | undefined
}

/** A measured recording and its small copy; null where a copy would save too little. */
export interface CopyResult {
  readonly sound: Omit<MeasuredSound, 'mono'>
  readonly copy: SmallCopy | null
}

/** What that process says: that it is alive, or how a job ended. `unreadable` is the recording's own fault. */
export type CopyMessage =
  | { readonly kind: 'progress' }
  | { readonly kind: 'done'; readonly result: CopyResult }
  | { readonly kind: 'failed'; readonly unreadable: boolean; readonly why: string }
