const mebibyte = 1024 * 1024

/** Target duration of a request: long enough to amortise the round trip, short enough that a failure costs little. */
const requestSeconds = 8
/** Also for a line so slow that a mebibyte would take longer than a request may, and for a proxy that refuses larger ones. */
const smallestBytes = mebibyte / 4
const largestBytes = 5 * mebibyte

/** Bytes of the next request at `rate` bytes per second: whole MiB, five at most; a quarter if the rate is slow or unknown. */
export function nextRequestBytes(rate: number): number {
  const wanted = Math.floor((rate * requestSeconds) / mebibyte) * mebibyte
  return Math.min(Math.max(wanted, smallestBytes), largestBytes)
}

/** The largest request: a proxy may refuse sizes that the server accepts. */
export interface RequestSize {
  /** Bytes of the next request at `rate` bytes per second. */
  next(rate: number): number
  /** A request of `bytes` was refused for its size. Returns whether a smaller one can be tried. */
  refused(bytes: number): boolean
}

/** Halves a refused size, down to a quarter of a mebibyte, and keeps that limit. */
export function requestSize(): RequestSize {
  let limit = largestBytes
  return {
    next: (rate) => Math.min(nextRequestBytes(rate), limit),
    refused(bytes) {
      if (bytes <= smallestBytes) return false
      limit = Math.max(smallestBytes, Math.min(limit, Math.floor(bytes / 2)))
      return true
    },
  }
}

/** The smoothed speed in bytes per second after `bytes` were acknowledged in `ms`; the first one is unsmoothed. */
export function rateAfter(rate: number, bytes: number, ms: number): number {
  const measured = (bytes / Math.max(ms, 1)) * 1000
  return rate === 0 ? measured : rate * 0.6 + measured * 0.4
}

export interface UploadProgress {
  bytes: number
  total: number
  /** Whole percent, rounded down: 100 only when every byte is acknowledged. */
  percent: number
  /** Bytes per second; undefined while unknown. */
  rate: number | undefined
  secondsLeft: number | undefined
}

/** The progress of a running upload, as displayed. */
export function progressOf({
  acknowledged,
  size,
  rate,
}: {
  acknowledged: number
  size: number
  rate: number
}): UploadProgress {
  return {
    bytes: acknowledged,
    total: size,
    percent: size === 0 ? 100 : Math.floor((acknowledged / size) * 100),
    rate: rate > 0 ? rate : undefined,
    secondsLeft: rate > 0 ? Math.ceil((size - acknowledged) / rate) : undefined,
  }
}
