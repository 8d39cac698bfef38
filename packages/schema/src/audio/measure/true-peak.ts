/** The highest level between samples as well as on them (ITU-R BS.1770-4, annex 2). */
export interface TruePeakMeter {
  add(samples: Float32Array): void
  /** Linear; 1 is full scale. */
  readonly peak: number
}

const taps = 24
const block = 64

/** Oversamples four times, or eight where the samples are further apart than those of 40 kHz. */
export function truePeakMeter(sampleRate: number): TruePeakMeter {
  const phases = interpolators(sampleRate < 40_000 ? 8 : 4)
  /** No interpolated value exceeds the highest sample around it times this: such stretches need not be interpolated. */
  const most = Math.max(1, ...phases.map((phase) => phase.reduce((sum, tap) => sum + Math.abs(tap), 0)))
  let before = new Float32Array(taps - 1)
  let peak = 0
  return {
    get peak() {
      return peak
    },
    add(samples) {
      const joined = new Float32Array(before.length + samples.length)
      joined.set(before)
      joined.set(samples, before.length)
      const last = joined.length - taps
      for (let start = 0; start <= last; start += block) {
        const end = Math.min(start + block, last + 1)
        const highest = highestSample(joined, start, end + taps - 1)
        if (highest > peak) peak = highest
        if (highest * most <= peak) continue
        for (const phase of phases) peak = Math.max(peak, highestOf(joined, phase, start, end))
      }
      before = joined.slice(-(taps - 1))
    },
  }
}

function highestSample(samples: Float32Array, from: number, to: number): number {
  let highest = 0
  for (let at = from; at < to; at++) {
    const level = Math.abs(samples[at]!)
    if (level > highest) highest = level
  }
  return highest
}

function highestOf(samples: Float32Array, phase: Float64Array, start: number, end: number): number {
  let highest = 0
  for (let at = start; at < end; at++) {
    let value = 0
    for (let tap = 0; tap < taps; tap++) value += samples[at + tap]! * phase[tap]!
    const level = Math.abs(value)
    if (level > highest) highest = level
  }
  return highest
}

/** Windowed sincs (Blackman) for the moments between two samples. */
function interpolators(times: number): Float64Array[] {
  return Array.from({ length: times - 1 }, (_, at) => {
    const offset = (at + 1) / times
    const phase = Float64Array.from({ length: taps }, (_tap, tap) => {
      const x = tap - (taps / 2 - 1) - offset
      const turn = (2 * Math.PI * (x + taps / 2)) / taps
      const window = 0.42 - 0.5 * Math.cos(turn) + 0.08 * Math.cos(2 * turn)
      return (Math.sin(Math.PI * x) / (Math.PI * x)) * window
    })
    const sum = phase.reduce((total, tap) => total + tap, 0)
    return phase.map((tap) => tap / sum)
  })
}

export const decibels = (level: number): number => 20 * Math.log10(level)
export const levelOf = (value: number): number => 10 ** (value / 20)
