import { generatedTexts } from '@fellowship/schema/testing/spoken-library'
import type { Sentence } from '@fellowship/schema/transcripts/transcripts.schema'

const wordsOfSentence = 10
const msOfSentence = 6_000

/** Texts of an hour each: 600 sentences of ten words, six seconds apart; and the words they are made of. */
export function hourTexts(count: number): { vocabulary: readonly string[]; texts: Sentence[][] } {
  const { vocabulary, texts } = generatedTexts({ texts: count, wordsOfText: 6_000 })
  return {
    vocabulary,
    texts: texts.map((words) =>
      Array.from({ length: words.length / wordsOfSentence }, (_, at) => ({
        start: at * msOfSentence,
        end: (at + 1) * msOfSentence,
        about: false,
        voice: '',
        text: `${words
          .slice(at * wordsOfSentence, (at + 1) * wordsOfSentence)
          .map((word) => vocabulary[word])
          .join(' ')}.`,
      })),
    ),
  }
}
