import type { Notice } from '@fellowship/schema/notice'
import { looksLikeAudio } from '@fellowship/schema/uploads/submit-checks'
import { transcriptTexts } from '@fellowship/schema/transcripts/transcripts.texts'
import { uploadQueueTexts } from '@fellowship/schema/uploads/upload-queue.texts'
import { maxUploadBytes } from '@fellowship/schema/uploads/uploads.limits'
import { uploadTexts as texts } from '@fellowship/schema/uploads/uploads.texts'
import { fileSize } from '../../lib/file-size.ts'

/** A chosen file that cannot be uploaded. Its line shows the reason until it is removed. */
export interface RefusedFile {
  id: number
  name: string
  size: number
  why: 'notAudio' | 'empty' | 'tooLarge' | 'captionsAlone' | 'captionsOfWhich' | 'captionsUnreadable'
  /** The fault in a file of captions. */
  fault?: string
}

export function refusalOf(file: File): 'notAudio' | 'empty' | 'tooLarge' | undefined {
  if (!looksLikeAudio(file)) return 'notAudio'
  if (file.size === 0) return 'empty'
  return isTooLarge(file) && !mayBecomeSmaller(file) ? 'tooLarge' : undefined
}

const sentences = {
  notAudio: texts.notAudio,
  empty: uploadQueueTexts.empty,
  tooLarge: texts.tooLarge,
  captionsAlone: texts.captionsAlone,
  captionsOfWhich: texts.captionsOfWhich,
  captionsUnreadable: transcriptTexts.notText,
} as const satisfies Record<RefusedFile['why'], string>

export const wordsOfRefusal = ({ why, fault }: Pick<RefusedFile, 'why' | 'fault'>): string =>
  fault ?? sentences[why]

/** One notice for all rejected files of a choice; it contains a name only if several files were chosen. */
export function noticeOfRefused(refused: readonly RefusedFile[], isOnly: boolean): Notice | undefined {
  const [first, ...others] = refused
  if (!first) return undefined
  if (others.length > 0) return texts.leftOut(refused.map(({ name }) => name))
  if (first.why === 'notAudio') return isOnly ? texts.invalidFileType : texts.invalidFileTypeOf(first.name)
  if (first.why === 'captionsAlone') return texts.chooseFirst
  if (isOnly || first.why !== 'tooLarge') return texts.failed(wordsOfRefusal(first))
  return texts.tooLargeOf(first.name)
}

/** Whether a WAV is large enough that an MP3 made on this device saves nine tenths of it. */
export const mayBecomeSmaller = ({ name, size }: File): boolean =>
  size >= worthMakingSmaller && size < mostOfWav && /\.wave?$/i.test(name)

const worthMakingSmaller = 10_000_000
/** The format counts its bytes in 32 bits. */
const mostOfWav = 2 ** 32

export const isTooLarge = (file: File): boolean => file.size > maxUploadBytes

/** If the same file is dropped twice, it is one draft. */
export const isSameFile = (a: File, b: File) =>
  a.name === b.name && a.size === b.size && a.lastModified === b.lastModified

/** '14.2 MB' in units of 1024² bytes, like the upload limit; '8 kB' if megabytes would round to zero. */
export const sizeOf = (bytes: number): string =>
  bytes < 100_000 ? fileSize(bytes) : `${(bytes / 1024 / 1024).toFixed(1)} MB`
