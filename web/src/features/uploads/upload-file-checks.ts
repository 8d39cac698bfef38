import type { Notice } from '@fellowship/schema/notice'
import { maxUploadBytes } from '@fellowship/schema/uploads/uploads.limits'
import { looksLikeAudio } from '@fellowship/schema/uploads/submit-checks'
import { uploadQueueTexts } from '@fellowship/schema/uploads/upload-queue.texts'
import { uploadTexts as texts } from '@fellowship/schema/uploads/uploads.texts'

/** A chosen file that cannot be uploaded. Its line tells so until it is taken away. */
export interface RefusedFile {
  id: number
  name: string
  size: number
  why: 'notAudio' | 'empty' | 'tooLarge'
}

/** Why a chosen file cannot be uploaded. */
export function refusalOf(file: File): RefusedFile['why'] | undefined {
  if (!looksLikeAudio(file)) return 'notAudio'
  if (file.size === 0) return 'empty'
  return isTooLarge(file) && !mayBecomeSmaller(file) ? 'tooLarge' : undefined
}

/** The reason in words, beside the file's name. */
export const wordsOfRefusal = {
  notAudio: texts.notAudio,
  empty: uploadQueueTexts.empty,
  tooLarge: texts.tooLarge,
} as const satisfies Record<RefusedFile['why'], string>

/** What is said about the refused of the files that were chosen together; a name only where there is a choice of files. */
export function noticeOfRefused(refused: readonly RefusedFile[], isOnly: boolean): Notice | undefined {
  const [first, ...others] = refused
  if (!first) return undefined
  if (others.length > 0) return texts.leftOut(refused.map(({ name }) => name))
  if (first.why === 'notAudio') return isOnly ? texts.invalidFileType : texts.invalidFileTypeOf(first.name)
  if (isOnly || first.why === 'empty') return texts.failed(wordsOfRefusal[first.why])
  return texts.tooLargeOf(first.name)
}

/** A WAV of some size, of which this device can make an MP3 that is a tenth of it. */
export const mayBecomeSmaller = ({ name, size }: File): boolean =>
  size >= worthMakingSmaller && size < mostOfWav && /\.wave?$/i.test(name)

const worthMakingSmaller = 10_000_000
/** The format counts its bytes in 32 bits. */
const mostOfWav = 2 ** 32

export const isTooLarge = (file: File): boolean => file.size > maxUploadBytes

/** The same file dropped twice is one draft. */
export const isSameFile = (a: File, b: File) =>
  a.name === b.name && a.size === b.size && a.lastModified === b.lastModified
