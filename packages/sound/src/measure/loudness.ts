/*
 * Loudness by ITU-R BS.1770-4: K-weighted power in blocks of 400 ms that overlap by three quarters, gated at -70 LUFS and
 * then at 10 LU below the mean of the remaining blocks.
 */

/** Measures consecutive samples of one channel, or of the mean of two channels. */
export interface PowerMeter {
  add(samples: Float32Array): void
  /** K-weighted mean power of each tenth of a second. */
  readonly tenths: Float64List
}

export function powerMeter(sampleRate: number): PowerMeter {
  const shelf = highShelf(sampleRate)
  const pass = highPass(sampleRate)
  const tenths = new Float64List()
  const tenth = Math.round(sampleRate / 10)
  const state = new Float64Array(4)
  let sum = 0
  let count = 0
  return {
    tenths,
    add(samples) {
      // Local variables: if a closure shared them, the engine would allocate a value for every sample.
      let [s1, s2, p1, p2] = [state[0]!, state[1]!, state[2]!, state[3]!]
      for (let start = 0; start < samples.length;) {
        const end = Math.min(samples.length, start + tenth - count)
        let power = 0
        // Both filters in transposed direct form II.
        for (let at = start; at < end; at++) {
          const x = samples[at]!
          const y = shelf.b0 * x + s1
          s1 = shelf.b1 * x - shelf.a1 * y + s2
          s2 = shelf.b2 * x - shelf.a2 * y
          const z = y + p1
          p1 = -2 * y - pass.a1 * z + p2
          p2 = y - pass.a2 * z
          power += z * z
        }
        sum += power
        count += end - start
        start = end
        if (count === tenth) {
          tenths.push(sum / tenth)
          sum = 0
          count = 0
        }
      }
      // Denormal numbers would slow down the arithmetic in a long silence.
      if (Math.abs(p1) < 1e-15 && Math.abs(s1) < 1e-15) s1 = s2 = p1 = p2 = 0
      state.set([s1, s2, p1, p2])
    },
  }
}

/** Integrated loudness of all channels in LUFS; null if they are silent or shorter than 400 ms. */
export function integratedLoudness(channels: readonly Float64List[]): number | null {
  const blocks = new Float64List()
  const length = Math.min(...channels.map((channel) => channel.length))
  for (let at = 0; at + 4 <= length; at++) {
    let power = 0
    for (const channel of channels) for (let tenth = at; tenth < at + 4; tenth++) power += channel.at(tenth)
    blocks.push(power / 4)
  }
  const absolute = gatedMean(blocks, powerOf(-70))
  if (absolute === undefined) return null
  return loudnessOf(gatedMean(blocks, Math.max(powerOf(-70), absolute / 10)) ?? absolute)
}

function gatedMean(blocks: Float64List, gate: number): number | undefined {
  let sum = 0
  let count = 0
  for (let at = 0; at < blocks.length; at++) {
    const power = blocks.at(at)
    if (power <= gate) continue
    sum += power
    count += 1
  }
  return count === 0 ? undefined : sum / count
}

const loudnessOf = (power: number) => -0.691 + 10 * Math.log10(power)
const powerOf = (loudness: number) => 10 ** ((loudness + 0.691) / 10)

/** The filters' coefficients for any sample rate, from their analogue prototypes; at 48 kHz they are those of the text. */
function highShelf(sampleRate: number) {
  const k = Math.tan((Math.PI * 1681.974450955533) / sampleRate)
  const q = 0.7071752369554196
  const high = 10 ** (3.999843853973347 / 20)
  const band = high ** 0.4996667741545416
  const a0 = 1 + k / q + k * k
  return {
    b0: (high + (band * k) / q + k * k) / a0,
    b1: (2 * (k * k - high)) / a0,
    b2: (high - (band * k) / q + k * k) / a0,
    a1: (2 * (k * k - 1)) / a0,
    a2: (1 - k / q + k * k) / a0,
  }
}

function highPass(sampleRate: number) {
  const k = Math.tan((Math.PI * 38.13547087602444) / sampleRate)
  const q = 0.5003270373238773
  const a0 = 1 + k / q + k * k
  return { a1: (2 * (k * k - 1)) / a0, a2: (1 - k / q + k * k) / a0 }
}

/** A growing list in one block of memory: the garbage collector would visit an ordinary array of ten hours again and again. */
export class Float64List {
  #values = new Float64Array(4_096)
  length = 0

  push(value: number): void {
    if (this.length === this.#values.length) {
      const larger = new Float64Array(this.length * 2)
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[this.length++] = value
  }

  at(index: number): number {
    return this.#values[index]!
  }
}
