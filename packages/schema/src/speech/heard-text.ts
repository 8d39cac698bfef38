import type { Sentence } from '../transcripts/transcripts.schema.ts'
import { speechLimits as limits } from './speech.limits.ts'

/** What a machine heard between two times of a recording, in seconds. */
export interface HeardPiece {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** A part of a recording that was sent without its silences: stretches of the recording in seconds, in turn. */
export type SpeechPart = readonly { readonly from: number; readonly to: number }[]

export const lengthOf = (part: SpeechPart): number => part.reduce((sum, { from, to }) => sum + to - from, 0)

/**
 * The parts of a recording to send: its silences are left out, since machines invent words in them, and each part ends in a
 * silence if it can.
 *
 * @param silences in seconds, in the order of time
 */
export function speechParts(
  seconds: number,
  silences: readonly { readonly start: number; readonly end: number }[],
): SpeechPart[] {
  const parts: { from: number; to: number }[][] = [[]]
  let room: number = limits.partSeconds
  const add = (from: number, to: number) => {
    if (to - from < 0.1) return
    const fits = from + room
    if (to <= fits) {
      parts.at(-1)!.push({ from, to })
      room -= to - from
      return
    }
    // A short silence in the last third of the part, else in the middle of a word.
    const pause = silences.findLast(
      ({ start, end }) => (start + end) / 2 < fits && (start + end) / 2 > from + room * (2 / 3),
    )
    const cut = pause ? (pause.start + pause.end) / 2 : fits
    if (cut > from) parts.at(-1)!.push({ from, to: cut })
    parts.push([])
    room = limits.partSeconds
    add(Math.max(from, cut), to)
  }
  let from = 0
  for (const { start, end } of silences) {
    if (end - start < limits.silence) continue
    add(from, Math.min(seconds, start + (start > 0 ? limits.margin : 0)))
    from = Math.max(from, end - limits.margin)
  }
  add(from, seconds)
  return parts.filter((part) => part.length > 0)
}

/** The time in the recording of a time in a part. */
export function timeInRecording(part: SpeechPart, at: number): number {
  let left = Math.max(0, at)
  for (const { from, to } of part) {
    if (left <= to - from) return from + left
    left -= to - from
  }
  return part.at(-1)!.to
}

/**
 * Sentences of the recognised speech: pieces are joined until a full stop, or a pause after a long one; words are corrected by
 * the list; a sentence that is repeated again and again, as machines do in noise, stands twice at most.
 *
 * @param pieces in seconds of the recording
 * @param words names and words of the church, one per line; `heard = right` replaces words that are often misheard
 */
export function sentencesOfHeard(pieces: readonly HeardPiece[], words: string): Sentence[] {
  const correct = correctionsOf(words)
  const sentences: Sentence[] = []
  let open: { start: number; end: number; text: string } | undefined
  const close = () => {
    if (!open) return
    const { start, end, text } = open
    open = undefined
    const [last, before] = [sentences.at(-1), sentences.at(-2)]
    if (last?.text === text && before?.text === text) return
    const from = Math.max(Math.round(start * 1000), last?.start ?? 0)
    sentences.push({
      start: from,
      end: Math.max(from, Math.round(end * 1000)),
      about: false,
      voice: '',
      text: text.slice(0, 1_000),
    })
  }
  for (const { start, end, text } of [...pieces].sort((a, b) => a.start - b.start)) {
    const plain = correct(text.replaceAll(/\s+/g, ' ').trim())
    if (plain === '') continue
    if (open && (open.text.length > limits.sentence || start - open.end > limits.silence)) close()
    open = open
      ? { start: open.start, end: Math.max(open.end, end), text: `${open.text} ${plain}` }
      : { start, end: Math.max(start, end), text: plain }
    if (/[.!?…]["”’)]*$/.test(plain)) close()
  }
  close()
  return sentences
}

/** The beginning of the list as a hint for the machine: the right words alone. */
export function hintOf(words: string): string {
  const right = linesOf(words).map(({ right: word }) => word)
  let hint = ''
  for (const word of right) {
    if (hint.length + word.length + 2 > limits.hint) break
    hint += hint === '' ? word : `, ${word}`
  }
  return hint
}

/** The lines of the list: the recognised words, and the right ones, which may be the same. */
export function linesOf(words: string): { heard: string; right: string }[] {
  return words
    .split(/\r?\n/)
    .map((line) => {
      const [heard = '', right = heard] = line.split('=').map((part) => part.trim())
      return { heard, right }
    })
    .filter(({ heard, right }) => heard !== '' && right !== '')
}

/** Replaces whole words, in whatever case they were heard. */
function correctionsOf(words: string): (text: string) => string {
  const rules = linesOf(words)
  if (rules.length === 0) return (text) => text
  const rights = new Map(rules.map(({ heard, right }) => [heard.toLowerCase(), right]))
  // Longer ones first, so that "St Mary" wins over "Mary".
  const heard = [...rights.keys()]
    .sort((a, b) => b.length - a.length)
    .map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  const pattern = new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${heard.join('|')})(?![\p{L}\p{N}])`, 'giu')
  return (text) => text.replaceAll(pattern, (found) => rights.get(found.toLowerCase()) ?? found)
}
