import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Sentence } from '../transcripts/transcripts.schema.ts'
import { alignedText } from './aligned-text.ts'
import type { HeardPiece } from './heard-text.ts'

const untimed = (text: string): Sentence => ({ start: null, end: null, about: false, voice: '', text })
const random = (seed: number) => () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
  return seed / 2_147_483_648
}

/** A sermon of made-up words: its sentences, and each word with its time. */
function sermon(seed: number, count: number) {
  const next = random(seed)
  const vocabulary = Array.from({ length: 400 }, (_, at) => `w${at}`)
  let time = 3
  const spoken: { word: string; at: number; sentence: number }[] = []
  const sentences = Array.from({ length: count }, (_, sentence) => {
    const words = Array.from({ length: 4 + Math.floor(next() * 16) }, () => {
      // Some words are much more frequent than others.
      const word = vocabulary[Math.floor(400 * next() ** 3)]!
      spoken.push({ word, at: time, sentence })
      time += 0.2 + 0.3 * next()
      return word
    })
    time += next() < 0.2 ? 3 : 0.4
    return untimed(`${words.join(' ')}.`)
  })
  return { sentences, spoken, seconds: time }
}

const starts = (spoken: ReturnType<typeof sermon>['spoken'], count: number) =>
  Array.from({ length: count }, (_, at) => spoken.find(({ sentence }) => sentence === at)!.at)

/** The share of sentences that begin within half a second of their true time. */
function hits(aligned: readonly Sentence[], truth: readonly number[]): number {
  return aligned.filter(({ start }, at) => Math.abs(start! / 1000 - truth[at]!) <= 0.5).length / truth.length
}

describe('a text with what a machine heard', () => {
  test('well heard sentences have their times', () => {
    const { sentences, spoken, seconds } = sermon(1, 60)
    const heard: HeardPiece[] = spoken.map(({ word, at }) => ({ start: at, end: at + 0.2, text: word }))
    const aligned = alignedText(sentences, [{ from: 0, to: seconds }], heard)
    expect(hits(aligned, starts(spoken, 60))).toBe(1)
    expect(aligned.filter(({ about }) => about).length).toBeLessThan(3)
  })

  test.each([2, 3, 4])('a third of the words misheard leaves most within half a second (seed %i)', (seed) => {
    const { sentences, spoken, seconds } = sermon(seed, 200)
    const next = random(seed + 100)
    const heard = spoken.flatMap(({ word, at }) => {
      const luck = next()
      if (luck < 0.1) return []
      return [{ start: at, end: at + 0.2, text: luck < 0.33 ? `x${Math.floor(next() * 50)}` : word }]
    })
    const aligned = alignedText(sentences, [{ from: 0, to: seconds }], heard)
    const truth = starts(spoken, 200)
    expect(hits(aligned, truth)).toBeGreaterThan(0.85)
    // Times that are not marked as approximate are right.
    const sure = aligned.flatMap((sentence, at) => (sentence.about ? [] : [{ sentence, time: truth[at]! }]))
    const right = sure.filter(({ sentence, time }) => Math.abs(sentence.start! / 1000 - time) <= 0.5)
    expect(right.length / sure.length).toBeGreaterThan(0.99)
  })

  test('words of another sermon match nothing', () => {
    const { sentences, seconds } = sermon(5, 20)
    const heard = Array.from({ length: 200 }, (_, at) => ({ start: at, end: at + 1, text: `other${at}` }))
    expect(alignedText(sentences, [{ from: 0, to: seconds }], heard).every(({ about }) => about)).toBe(true)
  })

  test('a heard word is matched once, if rows of words overlap', () => {
    const heard = ['a', 'b', 'c', 'd', 'e'].map((text, at) => ({ start: at, end: at + 1, text }))
    const sentences = ['a b c d.', 'q w r b c d e.'].map(untimed)
    // Between "d" at 3 and "e" at 4 seconds.
    expect(alignedText(sentences, [{ from: 0, to: 100 }], heard)[1]!.start).toBeGreaterThan(3_050)
  })
})

describe('a text alone', () => {
  test('sentences are spread over the speech by their length', () => {
    const sentences = ['aaaa', 'aaaa', 'aaaaaaaaa'].map(untimed)
    const speech = [
      { from: 10, to: 20 },
      { from: 50, to: 60 },
    ]
    expect(alignedText(sentences, speech)).toEqual([
      { ...sentences[0], start: 10_000, end: 15_000, about: true },
      { ...sentences[1], start: 15_000, end: 20_000, about: true },
      { ...sentences[2], start: 20_000, end: 60_000, about: true },
    ])
  })

  test('a silent recording has all sentences at its beginning', () => {
    expect(alignedText([untimed('a')], []).map(({ start, end }) => [start, end])).toEqual([[0, 0]])
  })
})

test('times are in order for any text and any answer', () => {
  const word = fc.constantFrom('a', 'b', 'c', 'dé', '12', '—')
  const text = fc.array(word, { minLength: 1, maxLength: 8 }).map((words) => words.join(' '))
  const time = fc.double({ min: 0, max: 100, noNaN: true })
  const piece = fc.record({ start: time, end: time, text })
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 20 }), fc.array(piece), (texts, pieces) => {
      const aligned = alignedText(texts.map(untimed), [{ from: 5, to: 90 }], pieces)
      let latest = 0
      for (const { start, end } of aligned) {
        expect(start!).toBeGreaterThanOrEqual(latest)
        expect(end!).toBeGreaterThanOrEqual(start!)
        latest = start!
      }
    }),
    { numRuns: 300 },
  )
})
