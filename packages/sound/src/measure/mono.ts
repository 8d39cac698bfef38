import type { PcmChunk } from '../read/pcm.ts'
import type { Float64List } from './loudness.ts'

/** The source of the mono channel: the mean of both, or one side if the other is silent or cancels it. */
export interface MonoPlan {
  readonly from: 'both' | 'left' | 'right'
  /** LUFS of the mono channel. */
  readonly loudness: number | null
  /** Its power per tenth of a second and its peaks per fiftieth, from which its loudness at another gain follows. */
  readonly tenths: Float64List
  readonly windows: Float64List
}

/** Converts samples to the rate of a small copy. */
export function halver(sampleRate: number): (samples: Float32Array) => Float32Array {
  const stages = Array.from({ length: halvings(sampleRate) }, rateHalver)
  return (samples) => stages.reduce((rest, stage) => stage.add(rest), samples)
}

/** One channel of a chunk, by a plan. */
export function monoOf({ channels: [left, right] }: PcmChunk, from: MonoPlan['from']): Float32Array {
  if (!right || from === 'left') return left!
  if (from === 'right') return right
  const mean = new Float32Array(left!.length)
  for (let at = 0; at < mean.length; at++) mean[at] = (left![at]! + right[at]!) / 2
  return mean
}

/** Halves a sample rate: filters consecutive samples with a half-band filter and returns every second one. */
interface RateHalver {
  add(samples: Float32Array): Float32Array
}

/** Half of the filter's length; its even coefficients are zero but for the middle one. */
const reach = 31

function rateHalver(): RateHalver {
  let before = new Float32Array(reach)
  let skipped = 0
  return {
    add(samples) {
      const joined = new Float32Array(before.length + samples.length)
      joined.set(before)
      joined.set(samples, before.length)
      const places = Math.max(0, joined.length - 2 * reach)
      const out = filtered(joined, skipped, Math.max(0, Math.ceil((places - skipped) / 2)))
      skipped = skipped + 2 * out.length - places
      before = joined.slice(places)
      return out
    },
  }
}

/** How often to halve a rate for a small copy of 22.05 to 24 kHz. The encoder resamples other rates. */
export function halvings(sampleRate: number): number {
  for (const [times, rates] of [
    [1, [44_100, 48_000]],
    [2, [88_200, 96_000]],
    [3, [176_400, 192_000]],
  ] as const) {
    if ((rates as readonly number[]).includes(sampleRate)) return times
  }
  return 0
}

function filtered(samples: Float32Array, from: number, count: number): Float32Array {
  const out = new Float32Array(count)
  for (let at = 0; at < count; at++) {
    const middle = from + 2 * at + reach
    let value = samples[middle]! * 0.5
    for (let pair = 0; pair < coefficients.length; pair++) {
      const distance = 2 * pair + 1
      value += (samples[middle - distance]! + samples[middle + distance]!) * coefficients[pair]!
    }
    out[at] = value
  }
  return out
}

/** A sinc at half the rate under a Blackman window, for the odd distances from the middle. */
const coefficients = (() => {
  const sides = Array.from({ length: (reach + 1) / 2 }, (_, pair) => {
    const distance = 2 * pair + 1
    const turn = Math.PI * (1 + distance / (reach + 1))
    const window = 0.42 - 0.5 * Math.cos(turn) + 0.08 * Math.cos(2 * turn)
    return (Math.sin((Math.PI * distance) / 2) / (Math.PI * distance)) * window
  })
  // The sides sum up to a quarter each, so that the level stays as it is.
  const sum = sides.reduce((total, side) => total + side, 0)
  return Float64Array.from(sides, (side) => (side * 0.25) / sum)
})()
