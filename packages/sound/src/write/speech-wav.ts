import type { PcmChunk } from '../read/pcm.ts'

/** Samples per second of sound for speech recognition, the rate that its models are trained with. */
export const speechRate = 16_000

/**
 * One channel of a recording at `speechRate`, for speech recognition.
 *
 * @param chunks of one sample rate
 */
export async function* speechSamples(chunks: AsyncIterable<PcmChunk>): AsyncGenerator<Float32Array> {
  let resample: ((samples: Float32Array, isLast?: boolean) => Float32Array) | undefined
  for await (const { sampleRate, channels } of chunks) {
    resample ??= resampler(sampleRate)
    yield resample(meanOf(channels))
  }
  if (resample) yield resample(new Float32Array(0), true)
}

/** Samples as 16-bit PCM, as it stands in a WAV. */
export function pcm16(samples: Float32Array): Uint8Array {
  const bytes = new Uint8Array(samples.length * 2)
  const view = new DataView(bytes.buffer)
  for (let at = 0; at < samples.length; at++) {
    view.setInt16(2 * at, Math.round(Math.max(-1, Math.min(1, samples[at]!)) * 32_767), true)
  }
  return bytes
}

function meanOf(channels: readonly Float32Array[]): Float32Array {
  // A copy, since the samples belong to the decoder.
  const mean = channels[0]!.slice()
  for (const other of channels.slice(1)) for (let at = 0; at < mean.length; at++) mean[at]! += other[at]!
  if (channels.length > 1) for (let at = 0; at < mean.length; at++) mean[at]! /= channels.length
  return mean
}

/** Zero crossings of the sinc on each side of a sample. */
const crossings = 12

/** A polyphase filter: a sinc under a Blackman window, cut off below the lower of both Nyquist frequencies. */
function resampler(rate: number): (samples: Float32Array, isLast?: boolean) => Float32Array {
  if (rate === speechRate) return (samples) => samples
  const common = greatestDivisor(rate, speechRate)
  const [step, phases] = [rate / common, speechRate / common]
  const cutoff = 0.92 * Math.min(1, speechRate / rate)
  const reach = Math.ceil(crossings / cutoff)
  const taps = Array.from({ length: phases }, (_, phase) => tapsOf(phase / phases, cutoff, reach))
  let held: Float32Array = new Float32Array(reach)
  /** Place of the next sample in `held`, in whole input samples and phases. */
  let [place, phase] = [reach, 0]
  return (samples, isLast = false) => {
    const input = new Float32Array(held.length + samples.length + (isLast ? reach : 0))
    input.set(held)
    input.set(samples, held.length)
    const out: number[] = []
    while (place + reach < input.length) {
      const filter = taps[phase]!
      let value = 0
      for (let tap = 0; tap < filter.length; tap++) value += filter[tap]! * input[place - reach + 1 + tap]!
      out.push(value)
      phase += step
      place += Math.floor(phase / phases)
      phase %= phases
    }
    held = input.slice(Math.max(0, place - reach))
    place = Math.min(place, reach)
    return Float32Array.from(out)
  }
}

/** The filter between two input samples: its taps are those around a fraction behind the left one. */
function tapsOf(fraction: number, cutoff: number, reach: number): Float64Array {
  const taps = Float64Array.from({ length: 2 * reach }, (_, tap) => {
    const distance = tap - reach + 1 - fraction
    const turn = distance / reach
    if (Math.abs(turn) >= 1) return 0
    const window = 0.42 + 0.5 * Math.cos(Math.PI * turn) + 0.08 * Math.cos(2 * Math.PI * turn)
    const x = Math.PI * distance * cutoff
    return (x === 0 ? 1 : Math.sin(x) / x) * cutoff * window
  })
  const sum = taps.reduce((total, tap) => total + tap, 0)
  return taps.map((tap) => tap / sum)
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b)
}
