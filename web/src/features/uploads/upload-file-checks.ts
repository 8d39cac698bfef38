import type { Notice } from '@fellowship/schema/notice'
import { problems } from '@fellowship/schema/problem'
import { maxUploadBytes } from '@fellowship/schema/uploads/uploads.limits'
import { looksLikeAudio } from '@fellowship/schema/uploads/submit-checks'
import { uploadTexts as texts } from '@fellowship/schema/uploads/uploads.texts'

/** Why a chosen file cannot be uploaded. Of several files, the message names the one it is about. */
export function fileProblem(file: File, isOnly: boolean): Notice | undefined {
  if (!looksLikeAudio(file)) return isOnly ? texts.invalidFileType : texts.invalidFileTypeOf(file.name)
  return file.size > maxUploadBytes && !mayBecomeSmaller(file)
    ? texts.failed(problems.too_large.sentence)
    : undefined
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
