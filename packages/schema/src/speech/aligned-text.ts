import { foldText } from '../text-folding.ts'
import type { Sentence } from '../transcripts/transcripts.schema.ts'
import { timeInRecording, type HeardPiece, type SpeechPart } from './heard-text.ts'

/** A word of the text or of the recognised speech. */
interface Word {
  readonly word: string
  /** In the text: characters before it. In the recognised speech: seconds of the recording. */
  readonly at: number
}

/**
 * Gives the sentences of a plain text their times. Words that a machine heard are matched with those of the text; a sentence
 * that begins with a matched word begins at its time, and the others are spread over the speech between the matches, and
 * marked as approximate.
 *
 * @param speech the stretches of the recording that are not silent, in seconds
 * @param heard nothing if there is no machine: all times are about then
 */
export function alignedText(
  sentences: readonly Sentence[],
  speech: SpeechPart,
  heard: readonly HeardPiece[] = [],
): Sentence[] {
  const { words, starts, characters } = wordsOfText(sentences)
  const spoken = wordsHeard(heard)
  const matches = matchedWords(words, spoken)
  const timeAt = timesBetween(
    matches.map(([ours, theirs]) => [words[ours]!.at, spoken[theirs]!.at] as const),
    speech,
    characters,
  )
  const timeOf = new Map(matches.map(([ours, theirs]) => [ours, spoken[theirs]!.at]))
  const times: { start: number; about: boolean }[] = []
  for (const [index, first] of starts.entries()) {
    const known = timeOf.get(first)
    const earliest = times.at(-1)?.start ?? 0
    const start = Math.round(1000 * (known ?? timeAt(words[first]?.at ?? characters)))
    times.push({ start: Math.max(earliest, start), about: known === undefined })
    if (index === 0 && known === undefined) times[0]!.start = Math.round(1000 * (speech[0]?.from ?? 0))
  }
  const last = Math.round(1000 * (speech.at(-1)?.to ?? 0))
  return sentences.map((sentence, index) => {
    const { start, about } = times[index]!
    return { ...sentence, start, about, end: Math.max(start, times[index + 1]?.start ?? last) }
  })
}

/** Words without case, accents and marks, as the library's search compares them. */
const wordsOf = (text: string) => [...foldText(text).matchAll(/[\p{L}\p{N}]+/gu)]

/** All words of the text, and the number of the first one of each sentence. */
function wordsOfText(sentences: readonly Sentence[]): {
  words: Word[]
  starts: number[]
  characters: number
} {
  const words: Word[] = []
  const starts: number[] = []
  let characters = 0
  for (const { text } of sentences) {
    starts.push(words.length)
    for (const { 0: word, index } of wordsOf(text)) words.push({ word, at: characters + index })
    characters += text.length + 1
  }
  return { words, starts, characters }
}

/** Within a piece the words are spread by their characters. */
function wordsHeard(heard: readonly HeardPiece[]): Word[] {
  return heard.flatMap(({ start, end, text }) =>
    wordsOf(text).map(({ 0: word, index }) => ({
      word,
      at: start + ((end - start) * index) / Math.max(1, text.length),
    })),
  )
}

/** Words in a row that have to match: fewer are believed only between longer matches. */
const rowsOfWords = [4, 3, 2, 1] as const

/** Between two matches with more words than this, a single equal word is chance. */
const nearWords = 12

/**
 * Pairs of equal words in the order of both: rows of words that occur once on each side are matched first, and what lies
 * between them in turn with shorter rows, as in a patience diff.
 */
function matchedWords(ours: readonly Word[], theirs: readonly Word[]): [ours: number, theirs: number][] {
  const pairs: [number, number][] = []
  const match = (a: number, aEnd: number, b: number, bEnd: number, level: number): void => {
    const length = rowsOfWords[level]
    if (length === undefined || a >= aEnd || b >= bEnd) return
    if (length === 1 && Math.max(aEnd - a, bEnd - b) > nearWords) return
    const found = inOrder(uniqueRows(ours, a, aEnd, length), uniqueRows(theirs, b, bEnd, length))
    let [fromA, fromB] = [a, b]
    for (const [atA, atB] of found) {
      // Rows overlap: the words of an earlier one are taken.
      if (atA < fromA || atB < fromB) continue
      match(fromA, atA, fromB, atB, level + 1)
      for (let word = 0; word < length; word++) pairs.push([atA + word, atB + word])
      fromA = atA + length
      fromB = atB + length
    }
    match(fromA, aEnd, fromB, bEnd, level + 1)
  }
  match(0, ours.length, 0, theirs.length, 0)
  return pairs
}

/** Places of the rows of words that occur once in a range. */
function uniqueRows(words: readonly Word[], from: number, to: number, length: number): Map<string, number> {
  const places = new Map<string, number>()
  const repeated = new Set<string>()
  for (let at = from; at + length <= to; at++) {
    let row = words[at]!.word
    for (let next = 1; next < length; next++) row += ` ${words[at + next]!.word}`
    if (places.has(row)) repeated.add(row)
    places.set(row, at)
  }
  for (const row of repeated) places.delete(row)
  return places
}

/** The longest list of common rows that are in the same order on both sides. */
function inOrder(ours: Map<string, number>, theirs: Map<string, number>): [number, number][] {
  const common: [number, number][] = []
  for (const [row, at] of ours) {
    const other = theirs.get(row)
    if (other !== undefined) common.push([at, other])
  }
  common.sort(([a], [b]) => a - b)
  // Longest increasing subsequence by patience sorting: the smallest last element of each length, and its predecessor.
  const tops: number[] = []
  const before = common.map(() => -1)
  for (const [index, [, at]] of common.entries()) {
    let [low, high] = [0, tops.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (common[tops[middle]!]![1] < at) low = middle + 1
      else high = middle
    }
    before[index] = low > 0 ? tops[low - 1]! : -1
    tops[low] = index
  }
  const result: [number, number][] = []
  for (let index = tops.at(-1) ?? -1; index !== -1; index = before[index]!) result.push(common[index]!)
  return result.toReversed()
}

/** The time of a character of the text: between two matches the characters are spread evenly over the speech. */
function timesBetween(
  matches: readonly (readonly [character: number, seconds: number])[],
  speech: SpeechPart,
  characters: number,
): (character: number) => number {
  const total = speech.reduce((sum, { from, to }) => sum + to - from, 0)
  const marks: (readonly [character: number, spoken: number])[] = [
    [0, 0],
    ...matches.map(([character, seconds]) => [character, spokenUntil(speech, seconds)] as const),
    [characters, total],
  ]
  return (character) => {
    let after = marks.findIndex(([at], index) => index > 0 && at >= character)
    if (after === -1) after = marks.length - 1
    const [[fromCharacter, from], [toCharacter, to]] = [marks[after - 1]!, marks[after]!]
    const share =
      toCharacter > fromCharacter ? (character - fromCharacter) / (toCharacter - fromCharacter) : 0
    return speech.length === 0 ? 0 : timeInRecording(speech, from + share * Math.max(0, to - from))
  }
}

/** Seconds of speech before a time of the recording. */
const spokenUntil = (speech: SpeechPart, seconds: number): number =>
  speech.reduce((sum, { from, to }) => sum + Math.max(0, Math.min(seconds, to) - from), 0)
