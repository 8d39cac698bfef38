import type { Sentence } from './transcripts.schema.ts'

/** Sentences that are read as one paragraph. */
export interface Paragraph {
  /** Milliseconds; null if nothing is known of its time. */
  start: number | null
  /** Who speaks; empty if that is the speaker of the teaching, or unknown. */
  voice: string
  text: string
}

/** A paragraph ends with a sentence after so many characters, or at a long pause after fewer. */
const length = { whole: 600, beforePause: 150, most: 1_200 }
const pauseMs = 2_000

/** The indexes of the first sentences of paragraphs: a new one begins with another voice, after a pause, or when it is long. */
export function paragraphStarts(sentences: readonly Sentence[]): number[] {
  const starts: number[] = []
  let characters = 0
  for (const [at, { voice, start, text }] of sentences.entries()) {
    const before = sentences[at - 1]
    const hasEnded = before !== undefined && /[.!?…]["'”’)\]]{0,2}$/.test(before.text)
    const end = before?.end ?? null
    const isPause = end !== null && start !== null && start - end >= pauseMs
    const isLong =
      (hasEnded && characters >= length.whole) ||
      (isPause && characters >= length.beforePause) ||
      characters >= length.most
    if (!before || before.voice !== voice || isLong) {
      starts.push(at)
      characters = 0
    }
    characters += text.length + 1
  }
  return starts
}

export function paragraphsOf(sentences: readonly Sentence[]): Paragraph[] {
  const starts = paragraphStarts(sentences)
  return starts.map((from, at) => {
    const within = sentences.slice(from, starts[at + 1])
    return {
      start: within.find(({ start }) => start !== null)?.start ?? null,
      voice: within[0]!.voice,
      text: within.map(({ text }) => text).join(' '),
    }
  })
}
