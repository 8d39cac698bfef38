import type { FileHandle } from 'node:fs/promises'
import { problems } from '@fellowship/schema/problem'
import { maxUploadBytes } from '@fellowship/schema/uploads/uploads.limits'
import { FileRefusal, type OpenedFile } from '../../machine/ssh-files.ts'

/** A file of the drop folder that a client has open. */
export interface DroppedFile extends OpenedFile {
  /** Epoch milliseconds. */
  readonly openedAt: number
  /** Bytes it has reached. */
  size(): number
  /** Whether its sender went past the limit: no rest of it would ever help. */
  isTooLarge(): boolean
}

export async function openDropped(
  handle: FileHandle,
  { now, onClose }: { now: () => number; onClose: (clean: boolean) => Promise<void> },
): Promise<DroppedFile> {
  let { size } = await handle.stat()
  let tooLarge = false
  const assertSize = (bytes: number) => {
    if (bytes <= maxUploadBytes) return
    tooLarge = true
    throw new FileRefusal('failure', problems.too_large.sentence)
  }
  return {
    openedAt: now(),
    size: () => size,
    isTooLarge: () => tooLarge,
    async write(position, pieces) {
      const bytes = pieces.reduce((sum, { length }) => sum + length, 0)
      assertSize(position + bytes)
      let at = position
      let rest = pieces
      while (rest.length > 0) {
        const { bytesWritten } = await handle.writev(rest, at)
        at += bytesWritten
        rest = after(rest, bytesWritten)
      }
      size = Math.max(size, at)
    },
    async read(position, length) {
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, position)
      return buffer.subarray(0, bytesRead)
    },
    async facts() {
      const { size: bytes, mtimeMs } = await handle.stat()
      return { isFolder: false, size: bytes, modifiedAt: Math.floor(mtimeMs / 1000) }
    },
    async change({ size: wanted, modifiedAt }) {
      if (wanted !== undefined) {
        assertSize(wanted)
        await handle.truncate(wanted)
        size = wanted
      }
      if (modifiedAt !== undefined) await handle.utimes(modifiedAt, modifiedAt)
    },
    async close(clean) {
      try {
        await handle.close()
      } finally {
        await onClose(clean)
      }
    },
  }
}

/** What a write that took only `count` bytes left over. */
function after(pieces: readonly Uint8Array[], count: number): Uint8Array[] {
  let skip = count
  const rest: Uint8Array[] = []
  for (const piece of pieces) {
    if (skip < piece.length) rest.push(skip > 0 ? piece.subarray(skip) : piece)
    skip = Math.max(0, skip - piece.length)
  }
  return rest
}
