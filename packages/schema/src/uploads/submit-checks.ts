import { isPlainDate } from '../dates.ts'
import type { Notice } from '../notice.ts'
import { parseScripture } from '../scripture.ts'
import type { WordName } from '../teachings/teaching-words.ts'
import { recordingEndings } from './uploads.limits.ts'
import type { EnteredFields } from './uploads.schema.ts'
import { uploadTexts as texts } from './uploads.texts.ts'

/** The submit checks in order: the toast of the first that fails, or null when the upload may start. */
export function firstSubmitProblem({
  file,
  parsedData,
}: {
  /** The chosen recording, of any type. */
  readonly file: object | null
  readonly parsedData: EnteredFields | null
}): Notice | null {
  if (!file) return texts.noFile
  if (!parsedData) return texts.noData
  if (isBlank(parsedData.speaker)) return texts.missingSpeaker
  if (isBlank(parsedData.title) && isBlank(parsedData.scriptureReference))
    return texts.missingTitleOrScripture
  if (!isPlainDate(parsedData.date.trim())) return texts.missingDate
  return null
}

/** A hint below a scripture that was typed but cannot be read. It is stored as typed. */
export const scriptureHint = (scripture: string): string | undefined =>
  isBlank(scripture) || parseScripture(scripture) ? undefined : texts.unreadScripture

/** The field that a failed submit check is about; undefined for one about the file. */
export function fieldOfProblem(problem: Notice): WordName | undefined {
  if (problem === texts.missingSpeaker) return 'speaker'
  if (problem === texts.missingTitleOrScripture) return 'title'
  return problem === texts.missingDate ? 'date' : undefined
}

/**
 * Whether a dropped file may be a recording, by MIME type or name. Systems disagree about the types of m4a and wav, so
 * this is a first check; the server decides by content.
 */
export function looksLikeAudio({ name, type }: { readonly name: string; readonly type: string }): boolean {
  const lower = name.toLowerCase()
  return type.startsWith('audio/') || recordingEndings.some((ending) => lower.endsWith(`.${ending}`))
}

/** Underscores count as spaces. */
const isBlank = (text: string) => /^[\s_]*$/.test(text)
