import { fstatSync, readSync } from 'node:fs'

/**
 * Random access to a file through one buffer, for parsers that read a few bytes in many places. It reads synchronously: a
 * promise for each of a million positions costs more than the reading. For worker threads only.
 */
export interface FileWindow {
  readonly size: number
  /** The bytes from `at`; fewer than `length` only at the end of the file. Valid until the next call. */
  read(at: number, length: number): Buffer
  /** The bytes in memory, for loops over every position. */
  memory(): { bytes: Buffer; start: number; end: number }
}

export function fileWindow(fd: number, pieceBytes = 1 << 20): FileWindow {
  const { size } = fstatSync(fd)
  const piece = Buffer.allocUnsafe(pieceBytes)
  let start = 0
  let filled = 0
  return {
    size,
    read(at, length) {
      if (at < start || at + length > start + filled) {
        start = at
        filled = at < size ? readSync(fd, piece, 0, piece.length, at) : 0
      }
      return piece.subarray(at - start, Math.min(at - start + length, filled))
    },
    memory: () => ({ bytes: piece, start, end: start + filled }),
  }
}
