import { formatDate, isFarAhead } from '../dates.ts'
import type { WordName } from '../teachings/teaching-words.ts'
import { fileNameTexts as texts } from './file-name.texts.ts'

/** A reason to ask before a recording is published. */
export interface Doubt {
  /** The field that answers it; `either` is title or scripture, and `name` needs all fields. */
  readonly about: WordName | 'either' | 'name'
  readonly sentence: string
}

/** The doubt about a date, if there is one. */
export const doubtsOfDate = (date: string, today: string): Doubt[] =>
  isFarAhead(date, today) ? [{ about: 'date', sentence: texts.dateAhead(formatDate(date)) }] : []

/** The doubts about a speaker that was parsed from a file name. None if it has no letter: then it is missing. */
export function doubtsOfSpeaker(speaker: string): Doubt[] {
  if (!/\p{L}/u.test(speaker)) return []
  const sentences: string[] = []
  if (/\p{N}/u.test(speaker)) sentences.push(texts.digitsInSpeaker)
  else if (serviceWord.test(speaker)) sentences.push(texts.serviceInSpeaker)
  if (notInNames.test(speaker)) sentences.push(texts.strangeSpeaker)
  return sentences.map((sentence) => ({ about: 'speaker', sentence }))
}

/** The doubt about a text with characters that stand for lost ones. */
export const doubtsOfText = (about: 'title' | 'speaker' | 'scriptureReference', text: string): Doubt[] =>
  damaged.test(text) ? [{ about, sentence: texts.damagedCharacters(partNames[about]) }] : []

const partNames = { title: 'Title', speaker: 'Speaker', scriptureReference: 'Scripture' } as const

/** The replacement character of decoders, and private-use characters, which mean something else on every system. */
const damaged = /[\ufffc\ufffd]|\p{Co}/u

/**
 * Other characters than those of names: letters, marks and spaces, hyphens, apostrophes, points, the comma and '&' between
 * several. Digits, characters that no file name may hold and damaged ones have sentences of their own.
 */
const notInNames = /[^\p{L}\p{M}\p{N}\p{Co}\ufffc\ufffd\u200c\u200d\s\-‐‑'’‘ʻʼ´`.,&+()·・/<>:|?*\\]/u

/** Words of a service or a recorder at the start of the speaker, or of an editor at the end. */
const serviceWord =
  /^(?:(?:sun|mon|tues|wednes|thurs|fri|satur)day|am|pm|morning|evening|afternoon|midday|midweek|service|sermon|message|recording|audio|track|stereo|untitled|unknown|voice|memo|mixdown|session|export|output|test)(?![\p{L}\p{M}'’-])|(?<![\p{L}\p{M}])(?:sermon|service|recording|mixdown|final|edited|master|mastered|normali[sz]ed|mono|stereo|copy)$/iu
