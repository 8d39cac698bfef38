/** The highest level between samples as well as on them (ITU-R BS.1770-4, annex 2). */
interface TruePeakMeter {
  add(samples: Float32Array): void
  /** Linear; 1 is full scale. */
  readonly peak: number
}

const taps = 24
const block = 64

/** Oversamples four times, or eight times if the sample rate is below 40 kHz. */
export function truePeakMeter(sampleRate: number): TruePeakMeter {
  const phases = interpolators(sampleRate < 40_000 ? 8 : 4)
  const reach = reachOf(phases)
  let before = new Float32Array(taps - 1)
  let found = 0
  return {
    get peak() {
      return found
    },
    add(samples) {
      const joined = new Float32Array(before.length + samples.length)
      joined.set(before)
      joined.set(samples, before.length)
      const last = joined.length - taps
      // A local variable: if a closure shared it, the engine would allocate each value.
      let peak = found
      for (let start = 0; start <= last; start += block) {
        const end = Math.min(start + block, last + 1)
        const { highest, steepest } = shapeOf(joined, start, end + taps - 1)
        if (highest > peak) peak = highest
        if (reach.most * highest <= peak || highest + reach.steps * steepest <= peak) continue
        for (let at = start; at < end; at++) {
          if (boundAt(joined, at, steepest, reach) > peak)
            peak = Math.max(peak, highestOf(joined, phases, at))
        }
      }
      found = peak
      before = joined.slice(-(taps - 1))
    },
  }
}

/** The highest sample of a stretch, and the largest step from one to the next. */
function shapeOf(samples: Float32Array, from: number, to: number): { highest: number; steepest: number } {
  let highest = 0
  let steepest = 0
  let last = samples[from]!
  for (let at = from; at < to; at++) {
    const sample = samples[at]!
    const level = Math.abs(sample)
    const step = Math.abs(sample - last)
    if (level > highest) highest = level
    if (step > steepest) steepest = step
    last = sample
  }
  return { highest, steepest }
}

/**
 * How far a value between two samples can exceed them. The taps of both sides sum to one, so the value is a mean of the two
 * samples plus the differences of the others from the nearer one, each times its tap. A difference grows by at most one step
 * per sample.
 */
interface Reach {
  /** Of the highest sample around. */
  most: number
  /** Of the steepest step around. */
  steps: number
  /** Of the steps beside the two, and of the steepest beyond these. */
  nearSteps: number
  farSteps: number
}

function reachOf(phases: readonly Float64Array[]): Reach {
  const sides = taps / 2
  const most = (weight: (away: number) => number) =>
    Math.max(
      ...phases.map((phase) => {
        let sum = 0
        for (let away = 0; away < sides; away++) {
          sum += weight(away) * (Math.abs(phase[sides - 1 - away]!) + Math.abs(phase[sides + away]!))
        }
        return sum
      }),
    )
  return {
    most: Math.max(
      1,
      most(() => 1),
    ),
    steps: most((away) => away),
    nearSteps: most((away) => Math.min(away, 1)),
    farSteps: most((away) => Math.max(0, away - 1)),
  }
}

/** Upper bound of the values between two samples; their surroundings begin at `at`. */
function boundAt(
  samples: Float32Array,
  at: number,
  steepest: number,
  { nearSteps, farSteps }: Reach,
): number {
  const second = at + taps / 2
  const [left, right] = [samples[second - 1]!, samples[second]!]
  const step = Math.max(Math.abs(samples[second - 2]! - left), Math.abs(samples[second + 1]! - right))
  return Math.max(Math.abs(left), Math.abs(right)) + nearSteps * step + farSteps * steepest
}

/** The highest value between two samples; their surroundings begin at `at`. */
function highestOf(samples: Float32Array, phases: readonly Float64Array[], at: number): number {
  let highest = 0
  for (const phase of phases) {
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
