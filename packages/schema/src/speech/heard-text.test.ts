import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hintOf, lengthOf, sentencesOfHeard, speechParts, timeInRecording } from './heard-text.ts'
import { speechLimits } from './speech.limits.ts'

const texts = (pieces: Parameters<typeof sentencesOfHeard>[0], words = '') =>
  sentencesOfHeard(pieces, words).map(({ text }) => text)

describe('parts of a recording', () => {
  test('long silences are left out, with a margin', () => {
    expect(
      speechParts(100, [
        { start: 0, end: 5 },
        { start: 50, end: 51 },
        { start: 60, end: 70 },
      ]),
    ).toEqual([
      [
        { from: 4.7, to: 60.3 },
        { from: 69.7, to: 100 },
      ],
    ])
  })

  test('a silent recording has no part', () => {
    expect(speechParts(30, [{ start: 0, end: 30 }]).map(lengthOf)).toEqual([expect.closeTo(0.3)])
  })

  test('a part ends in a pause near its end', () => {
    const [first, second] = speechParts(1000, [{ start: 550, end: 551 }])
    expect([first, second]).toEqual([[{ from: 0, to: 550.5 }], [{ from: 550.5, to: 1000 }]])
  })

  test('parts cover all speech, in order and within the limit', () => {
    const recording = fc.record({
      seconds: fc.double({ min: 1, max: 15_000, noNaN: true }),
      marks: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 40 }),
    })
    fc.assert(
      fc.property(recording, ({ seconds, marks }) => {
        const at = marks.map((mark) => mark * seconds).sort((a, b) => a - b)
        const silences = Array.from({ length: Math.floor(at.length / 2) }, (_, pair) => ({
          start: at[2 * pair]!,
          end: at[2 * pair + 1]!,
        }))
        const parts = speechParts(seconds, silences)
        const stretches = parts.flat()
        for (const part of parts) expect(lengthOf(part)).toBeLessThanOrEqual(speechLimits.partSeconds + 0.001)
        for (const [place, { from, to }] of stretches.entries()) {
          expect(to).toBeGreaterThan(from)
          expect(from).toBeGreaterThanOrEqual(stretches[place - 1]?.to ?? 0)
        }
        const silent = silences
          .filter(({ start, end }) => end - start >= speechLimits.silence)
          .reduce((sum, { start, end }) => sum + end - start, 0)
        const kept = stretches.reduce((sum, { from, to }) => sum + to - from, 0)
        // Stretches below a tenth of a second are not sent.
        expect(kept).toBeGreaterThanOrEqual(seconds - silent - 0.1 * (silences.length + 1) - 0.001)
      }),
      { numRuns: 200 },
    )
  })

  test('times in a part are those of the recording', () => {
    const part = [
      { from: 10, to: 20 },
      { from: 50, to: 60 },
    ]
    expect([-1, 0, 10, 10.5, 19, 99].map((at) => timeInRecording(part, at))).toEqual([
      10, 10, 20, 50.5, 59, 60,
    ])
  })
})

describe('sentences of what was heard', () => {
  test('pieces are joined up to a full stop', () => {
    const pieces = [
      { start: 0, end: 2, text: ' Grace to you' },
      { start: 2, end: 3.5, text: ' and peace.' },
      { start: 4, end: 5, text: 'Amen.' },
    ]
    expect(sentencesOfHeard(pieces, '')).toEqual([
      { start: 0, end: 3500, about: false, voice: '', text: 'Grace to you and peace.' },
      { start: 4000, end: 5000, about: false, voice: '', text: 'Amen.' },
    ])
  })

  test('a pause ends a sentence without a full stop', () => {
    const pieces = [
      { start: 0, end: 1, text: 'so then' },
      { start: 5, end: 6, text: 'let us pray' },
    ]
    expect(texts(pieces)).toEqual(['so then', 'let us pray'])
  })

  test('a repeated sentence stands twice at most', () => {
    const pieces = Array.from({ length: 50 }, (_, at) => ({ start: at, end: at + 1, text: 'Thank you.' }))
    expect(texts(pieces)).toEqual(['Thank you.', 'Thank you.'])
  })

  test('names of the list are written as in the list', () => {
    const words = 'Habakkuk\nhaber cook = Habakkuk\nSt Mary = Saint Mary\n = nothing\n'
    expect(
      texts([{ start: 0, end: 1, text: 'HABAKKUK and haber cook at st mary, not rehabakkuk' }], words),
    ).toEqual(['Habakkuk and Habakkuk at Saint Mary, not rehabakkuk'])
  })

  test('the hint has the right words, up to its limit', () => {
    expect(hintOf('Habakkuk\nhaber cook = Nahum')).toBe('Habakkuk, Nahum')
    expect(hintOf('word\n'.repeat(800)).length).toBeLessThanOrEqual(speechLimits.hint)
  })

  test('answers out of order give sentences in order', () => {
    const piece = fc.record({
      start: fc.double({ min: 0, max: 4000, noNaN: true }),
      end: fc.double({ min: 0, max: 4000, noNaN: true }),
      text: fc.string({ maxLength: 40 }),
    })
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        let latest = 0
        for (const { start, end, text } of sentencesOfHeard(pieces, '')) {
          expect(start!).toBeGreaterThanOrEqual(latest)
          expect(end!).toBeGreaterThanOrEqual(start!)
          expect(text.trim()).not.toBe('')
          latest = start!
        }
      }),
      { numRuns: 200 },
    )
  })
})
