import { describe, expect, test } from 'vitest'
import { truePeakMeter } from './true-peak.ts'

/** Numbers between -1 and 1, the same for each seed. */
function noise(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return (state / 2 ** 30 - 1) * 0.9
  }
}

const measured = (sampleRate: number, ...parts: readonly Float32Array[]): number => {
  const meter = truePeakMeter(sampleRate)
  for (const part of parts) meter.add(part)
  return meter.peak
}

const sine = (frequency: number, sampleRate: number, phase: number, length = 4_096): Float32Array =>
  Float32Array.from({ length }, (_, at) => Math.sin((2 * Math.PI * frequency * at) / sampleRate + phase) / 2)

test('silence has no peak', () => {
  expect(measured(44_100, new Float32Array(1_000))).toBe(0)
})

test.each([
  [11_025, 44_100],
  [12_000, 48_000],
  [5_512.5, 22_050],
])('finds the true peak of %i Hz at %i Hz', (frequency, sampleRate) => {
  const tone = sine(frequency, sampleRate, Math.PI / 4)
  expect(Math.max(...tone.map(Math.abs))).toBeLessThan(0.36)
  // Within 0.2 dB, and a little more when the tone begins.
  expect(measured(sampleRate, tone)).toBeGreaterThan(0.49)
  expect(measured(sampleRate, tone)).toBeLessThan(0.53)
})

/** Every moment between all samples, by the sum over a sinc under a Blackman window of 24 samples. */
function everyMoment(sampleRate: number, samples: Float32Array): number {
  const times = sampleRate < 40_000 ? 8 : 4
  let highest = 0
  for (let at = -23; at <= samples.length - 24; at++) {
    highest = Math.max(highest, Math.abs(samples[at + 23]!))
    for (let part = 1; part < times; part++) {
      let [value, sum] = [0, 0]
      for (let tap = 0; tap < 24; tap++) {
        const x = tap - 11 - part / times
        const turn = Math.PI * (1 + x / 12)
        const weight =
          (Math.sin(Math.PI * x) / (Math.PI * x)) * (0.42 - 0.5 * Math.cos(turn) + 0.08 * Math.cos(2 * turn))
        value += weight * (samples[at + tap] ?? 0)
        sum += weight
      }
      highest = Math.max(highest, Math.abs(value / sum))
    }
  }
  return highest
}

describe('passes over no moment that is higher than all before it', () => {
  const random = noise(7)
  test.each([
    ['noise', Float32Array.from({ length: 600 }, random)],
    ['a low voice', Float32Array.from({ length: 900 }, (_, at) => Math.sin(at / 25) * 0.5 + random() * 0.02)],
    ['single clicks', Float32Array.from({ length: 600 }, (_, at) => (at % 97 === 0 ? random() : 0))],
    ['an edge in silence', Float32Array.from({ length: 300 }, (_, at) => (at > 150 && at < 154 ? 0.7 : 0))],
    [
      'every second sample turned',
      Float32Array.from({ length: 300 }, (_, at) => (at % 2 ? 0.4 : -0.4) * random()),
    ],
    ['what grows slowly', Float32Array.from({ length: 900 }, (_, at) => Math.sin(at / 3) * (at / 1_000))],
  ])('%s', (_name, samples) => {
    for (const sampleRate of [44_100, 22_050]) {
      expect(measured(sampleRate, samples)).toBeCloseTo(everyMoment(sampleRate, samples), 9)
      // The same in pieces.
      expect(measured(sampleRate, samples.slice(0, 101), samples.slice(101, 110), samples.slice(110))).toBe(
        measured(sampleRate, samples),
      )
    }
  })
})
