const mebibyte = 1024 * 1024

/** How long one request should take: long enough that answers cost little, short enough that little is lost with one. */
const requestSeconds = 8
const smallestBytes = mebibyte
const largestBytes = 5 * mebibyte

/** Bytes of the next request at a speed in bytes per second; whole MiB, from one to five. 0 is an unknown speed. */
export function nextRequestBytes(rate: number): number {
  const wanted = Math.floor((rate * requestSeconds) / mebibyte) * mebibyte
  return Math.min(Math.max(wanted, smallestBytes), largestBytes)
}

/** The smoothed speed after `bytes` more were acknowledged in `ms`; the first measurement counts as it is. */
export function rateAfter(rate: number, bytes: number, ms: number): number {
  const measured = (bytes / Math.max(ms, 1)) * 1000
  return rate === 0 ? measured : rate * 0.6 + measured * 0.4
}

export interface UploadProgress {
  bytes: number
  total: number
  /** Whole percent; 100 only when nothing is left. */
  percent: number
  /** Bytes per second; undefined while it is not known. */
  rate: number | undefined
  secondsLeft: number | undefined
}

/** What a person is told of an upload on its way. */
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

/**
 * Milliseconds until the next attempt after failures in a row: anything up to two seconds, doubled with each, five
 * minutes at most. @param random a share between 0 and 1 that spreads devices which failed together
 */
export const retryWaitMs = (failures: number, random: number): number =>
  random * Math.min(2_000 * 2 ** failures, 5 * 60_000)
