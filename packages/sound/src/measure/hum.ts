import { Float64List } from './loudness.ts'

/** The mains of New Zealand with the harmonics of rectifiers and transformers, in Hz. */
const mains = [50, 100, 150] as const
/** Distance in Hz to the neighbouring frequencies that each line is compared with. */
const beside = 7
/** Approximate sample rate of the analysis, in Hz. */
const analysedRate = 1_500

/** Measures how loud the hum of the mains is in consecutive samples of one channel. */
export interface HumMeter {
  add(samples: Float32Array): void
  /** RMS level of the hum in dBFS; undefined if no line stands out all the time. */
  level(): number | undefined
}

/**
 * Hum is present in every second, unlike speech and music. The power of a line is the one that four fifths of the seconds
 * exceed; it counts as hum if it stands out from the neighbouring frequencies.
 */
export function humMeter(sampleRate: number): HumMeter {
  const step = Math.max(1, Math.round(sampleRate / analysedRate))
  const rate = sampleRate / step
  const block = new Float64Array(Math.round(rate))
  const lines = mains.flatMap((line) => [line, line - beside, line + beside])
  const powers = lines.map(() => new Float64List())
  let sum = 0
  let summed = 0
  let filled = 0
  return {
    add(samples) {
      // Local variables: if a closure shared them, the engine would allocate each value.
      let [total, count] = [sum, summed]
      for (let at = 0; at < samples.length; at++) {
        total += samples[at]!
        count += 1
        if (count < step) continue
        block[filled] = total / step
        total = count = 0
        filled += 1
        if (filled < block.length) continue
        filled = 0
        for (let line = 0; line < lines.length; line++)
          powers[line]!.push(powerAt(block, lines[line]! / rate))
      }
      sum = total
      summed = count
    },
    level() {
      const steady = powers.map(fifth)
      let power = 0
      for (let line = 0; line < steady.length; line += 3) {
        const around = Math.max(steady[line + 1]!, steady[line + 2]!)
        if (steady[line]! > standsOut * around) power += steady[line]!
      }
      return power === 0 ? undefined : 10 * Math.log10(power)
    },
  }
}

/** Ten decibels. */
const standsOut = 10
/** Shortest recording, in seconds, that can be judged. */
const fewestSeconds = 5

/** The power that four fifths of the seconds reach. */
function fifth(powers: Float64List): number {
  if (powers.length < fewestSeconds) return 0
  const sorted = Float64Array.from({ length: powers.length }, (_, at) => powers.at(at)).sort()
  return sorted[Math.floor(sorted.length / 5)]!
}

/** Power of one frequency (a share of the sample rate) in a block, by Goertzel's recurrence over a Hann window. */
function powerAt(block: Float64Array, frequency: number): number {
  const factor = 2 * Math.cos(2 * Math.PI * frequency)
  let [last, before] = [0, 0]
  for (let at = 0; at < block.length; at++) {
    const hann = 0.5 - 0.5 * Math.cos((2 * Math.PI * at) / block.length)
    const next = block[at]! * hann + factor * last - before
    before = last
    last = next
  }
  const squared = last * last + before * before - factor * last * before
  // Half the amplitude's square; the window halves the amplitude.
  return (8 * squared) / block.length ** 2
}
