import type { FileHandle } from 'node:fs/promises'

/** Random access to a file through one buffer, for parsers that read a few bytes in many places. */
export interface FileWindow {
  readonly size: number
  /** The bytes from `at`; fewer than `length` only at the end of the file. Valid until the next call. */
  read(at: number, length: number): Promise<Buffer>
  /** The bytes in memory, for loops that cannot await each of a million positions. */
  memory(): { bytes: Buffer; start: number; end: number }
}

export async function fileWindow(handle: FileHandle, pieceBytes = 1 << 20): Promise<FileWindow> {
  const { size } = await handle.stat()
  const piece = Buffer.allocUnsafe(pieceBytes)
  let start = 0
  let filled = 0
  return {
    size,
    async read(at, length) {
      if (at < start || at + length > start + filled) {
        start = at
        filled = at < size ? (await handle.read(piece, 0, piece.length, at)).bytesRead : 0
      }
      return piece.subarray(at - start, Math.min(at - start + length, filled))
    },
    memory: () => ({ bytes: piece, start, end: start + filled }),
  }
}
