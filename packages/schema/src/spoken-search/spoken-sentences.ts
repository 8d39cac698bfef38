import { foldedWords } from '../text-folding.ts'
import type { MeantPart } from './spoken-index.ts'
import { longestWord } from './spoken-words.ts'

/** A sentence of a text, as far as the search needs it. */
interface SaidSentence {
  readonly text: string
  /** Milliseconds; null if its time is unknown. */
  readonly start: number | null
}

/** A sentence with the places of the matching words in it. */
export interface MarkedSentence {
  readonly text: string
  readonly marks: [from: number, to: number][]
}

/** A sentence that was found. */
export interface FoundSentence extends MarkedSentence {
  /** Its place in the text. */
  readonly at: number
  /** Milliseconds: its own, else the last known before it; null if no time is known. */
  readonly start: number | null
  readonly before: MarkedSentence | null
  readonly after: MarkedSentence | null
}

/** A text whose words are folded, for several searches. */
export interface SearchedText {
  /**
   * The sentences with the most parts of a query, in the order in which they were said. Quoted words may go on into the next
   * sentence. Empty if a part is nowhere in the text.
   */
  find(parts: readonly MeantPart[], most: number): FoundSentence[]
}

/** Folds a text for searches. */
export function searchedText(sentences: readonly SaidSentence[]): SearchedText {
  const { words, sentenceOf, from, to } = placeWords(sentences)

  /** The first and the last word of each place that has the words of a part in a row. */
  function placesOf(part: MeantPart): [first: number, last: number][] {
    const places: [number, number][] = []
    for (let first = 0; first + part.length <= words.length; first++)
      if (part.every((meant, at) => isMeant(words[first + at]!, meant)))
        places.push([first, first + part.length - 1])
    return places
  }

  return {
    find(parts, most) {
      const places = parts.map(placesOf)
      if (parts.length === 0 || places.some((each) => each.length === 0)) return []
      const counts = new Map<number, number>()
      const marked = new Set<number>()
      for (const each of places) {
        const own = new Set(each.map(([first]) => sentenceOf[first]!))
        for (const sentence of own) counts.set(sentence, (counts.get(sentence) ?? 0) + 1)
        for (const [first, last] of each) for (let word = first; word <= last; word++) marked.add(word)
      }
      const best = Math.max(...counts.values())
      const found = [...counts.keys()].filter((sentence) => counts.get(sentence) === best)
      return found
        .sort((a, b) => a - b)
        .slice(0, most)
        .map((at) => ({
          ...withMarks(at, marked)!,
          at,
          start: startOf(at),
          before: withMarks(at - 1, marked),
          after: withMarks(at + 1, marked),
        }))
    },
  }

  function withMarks(at: number, marked: ReadonlySet<number>): MarkedSentence | null {
    const sentence = sentences[at]
    if (!sentence) return null
    const marks: [number, number][] = []
    for (let word = firstWordOf(at); sentenceOf[word] === at; word++) {
      const last = marks.at(-1)
      // Two words of one written word have one mark.
      if (marked.has(word) && last?.[0] !== from[word]) marks.push([from[word]!, to[word]!])
    }
    return { text: sentence.text, marks }
  }

  function firstWordOf(sentence: number): number {
    let low = 0
    let high = sentenceOf.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (sentenceOf[middle]! < sentence) low = middle + 1
      else high = middle
    }
    return low
  }

  function startOf(at: number): number | null {
    for (let before = at; before >= 0; before--) {
      const { start } = sentences[before]!
      if (start !== null) return start
    }
    return null
  }
}

const isMeant = (word: string, { whole, beginnings }: MeantPart[number]): boolean =>
  beginnings.some((beginning) => (whole ? word === beginning : word.startsWith(beginning)))

/** The folded words of all sentences in a row, each with its sentence and the place of its letters in it. */
function placeWords(sentences: readonly SaidSentence[]) {
  const words: string[] = []
  const sentenceOf: number[] = []
  const from: number[] = []
  const to: number[] = []
  const put = (folded: readonly string[], sentence: number, start: number, end: number) => {
    for (const word of folded) {
      words.push(word.slice(0, longestWord))
      sentenceOf.push(sentence)
      from.push(start)
      to.push(end)
    }
  }
  sentences.forEach(({ text }, sentence) => {
    for (const chunk of text.matchAll(/\S+/g)) {
      const folded = foldedWords(chunk[0])
      const runs = [...chunk[0].matchAll(letters)]
      const apart = runs.map((run) => foldedWords(run[0]))
      // Some characters fold into several words, or only together with their neighbours: then the whole chunk is marked.
      if (apart.every((each) => each.length === 1) && apart.length === folded.length)
        runs.forEach((run, at) => {
          const start = chunk.index + run.index
          put([folded[at]!], sentence, start, start + run[0].length)
        })
      else put(folded, sentence, chunk.index, chunk.index + chunk[0].length)
    }
  })
  return { words, sentenceOf, from, to }
}

/** A written word with the apostrophes in it. */
const letters = /[\p{L}\p{N}\p{M}](?:[\p{L}\p{N}\p{M}'`’‘ʻʼ´]*[\p{L}\p{N}\p{M}])?/gu
