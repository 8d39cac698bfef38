import type { FileHandle } from 'node:fs/promises'

/**
 * Writes all chunks, repeating partial writes.
 *
 * @param position of the first byte; defaults to the file's current position
 * @param onWritten called with the bytes of each write
 */
export async function writeAll(
  handle: FileHandle,
  chunks: readonly Uint8Array[],
  { position, onWritten }: { position?: number; onWritten?: (bytes: number) => void } = {},
): Promise<void> {
  let at = position
  let rest = chunks.filter(({ length }) => length > 0)
  while (rest.length > 0) {
    const { bytesWritten } = await handle.writev(rest, at)
    onWritten?.(bytesWritten)
    if (at !== undefined) at += bytesWritten
    rest = after(rest, bytesWritten)
  }
}

/** The rest after a write of `count` bytes. */
function after(chunks: readonly Uint8Array[], count: number): Uint8Array[] {
  let skip = count
  const rest: Uint8Array[] = []
  for (const chunk of chunks) {
    if (skip < chunk.length) rest.push(skip > 0 ? chunk.subarray(skip) : chunk)
    skip = Math.max(0, skip - chunk.length)
  }
  return rest
}
