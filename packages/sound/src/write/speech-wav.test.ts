import { expect, test } from 'vitest'
import { pcm16, speechRate, speechSamples } from './speech-wav.ts'

/** A tone of half the full level in chunks of odd lengths. */
async function* tone(sampleRate: number, hertz: number, seconds: number, channels = 1) {
  const all = Float32Array.from(
    { length: Math.round(sampleRate * seconds) },
    (_, at) => 0.5 * Math.sin((2 * Math.PI * hertz * at) / sampleRate),
  )
  for (let at = 0; at < all.length; at += 1013) {
    await Promise.resolve()
    const part = all.subarray(at, at + 1013)
    yield { sampleRate, channels: Array.from({ length: channels }, () => part) }
  }
}

async function made(...given: Parameters<typeof tone>): Promise<Float32Array> {
  const parts: number[] = []
  for await (const samples of speechSamples(tone(...given))) parts.push(...samples)
  return Float32Array.from(parts)
}

const levelOf = (samples: Float32Array) =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample ** 2, 0) / samples.length) * Math.SQRT2

test.each([8_000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 96_000])(
  'a tone at %i Hz keeps its level, length and time',
  async (rate) => {
    const samples = await made(rate, 1_000, 1, 2)
    expect(Math.abs(samples.length - speechRate)).toBeLessThanOrEqual(2)
    expect(levelOf(samples)).toBeCloseTo(0.5, 2)
    const middle = samples.subarray(8_000, 8_016)
    for (const [at, sample] of middle.entries()) {
      expect(sample).toBeCloseTo(0.5 * Math.sin((2 * Math.PI * 1_000 * (8_000 + at)) / speechRate), 2)
    }
  },
)

test('a tone above half the new rate is filtered out', async () => {
  expect(levelOf(await made(44_100, 12_000, 0.5))).toBeLessThan(0.01)
})

test('samples beyond the full level are limited', () => {
  expect([...new Int16Array(pcm16(Float32Array.of(-2, -1, 0, 1, 2)).buffer)]).toEqual([
    -32_767, -32_767, 0, 32_767, 32_767,
  ])
})
