import { Float64List } from './loudness.ts'

/** Seconds of one window. */
const windowSeconds = 0.02

/** Level and peak of each fiftieth of a second, over the louder of the channels. */
export interface SoundWindows {
  add(channels: readonly Float32Array[]): void
  /** Stretches below a level (linear, RMS) of at least so many seconds: their starts and ends in seconds. */
  quiet(level: number, seconds: number): [start: number, end: number][]
  /** The highest sample of each of `count` equal parts, as shares of the highest of all. */
  peaks(count: number): number[]
  /** The highest sample of each window. */
  readonly highest: Float64List
}

export function soundWindows(sampleRate: number): SoundWindows {
  const size = Math.round(sampleRate * windowSeconds)
  const levels = new Float64List()
  const highest = new Float64List()
  let count = 0
  let sums = [0, 0]
  let peak = 0
  const close = () => {
    levels.push(Math.sqrt(Math.max(sums[0]!, sums[1]!) / count))
    highest.push(peak)
    count = 0
    sums = [0, 0]
    peak = 0
  }
  return {
    highest,
    add(channels) {
      const length = channels[0]!.length
      for (let at = 0; at < length;) {
        const end = Math.min(length, at + size - count)
        for (let channel = 0; channel < channels.length; channel++) {
          const { sum, highest: most } = sumAndPeak(channels[channel]!, at, end)
          sums[channel]! += sum
          if (most > peak) peak = most
        }
        count += end - at
        at = end
        if (count === size) close()
      }
    },
    quiet(level, seconds) {
      if (count > 0) close()
      const found: [number, number][] = []
      const step = size / sampleRate
      let start: number | undefined
      for (let at = 0; at <= levels.length; at++) {
        const isQuiet = at < levels.length && levels.at(at) < level
        if (isQuiet) start ??= at
        else if (start !== undefined) {
          if ((at - start) * step >= seconds) found.push([start * step, at * step])
          start = undefined
        }
      }
      return found
    },
    peaks(parts) {
      if (count > 0) close()
      const values = Array.from({ length: parts }, (_, part) => {
        const from = Math.floor((part * highest.length) / parts)
        const to = Math.max(from + 1, Math.floor(((part + 1) * highest.length) / parts))
        let most = 0
        for (let at = from; at < Math.min(to, highest.length); at++) most = Math.max(most, highest.at(at))
        return most
      })
      const most = Math.max(...values)
      return values.map((value) => (most === 0 ? 0 : value / most))
    },
  }
}

function sumAndPeak(samples: Float32Array, from: number, to: number): { sum: number; highest: number } {
  let sum = 0
  let highest = 0
  for (let at = from; at < to; at++) {
    const sample = samples[at]!
    sum += sample * sample
    const level = sample < 0 ? -sample : sample
    if (level > highest) highest = level
  }
  return { sum, highest }
}
