import type { FileHandle } from 'node:fs/promises'

/**
 * Writes all of the chunks, however little the system takes at once.
 *
 * @param position of the first byte; after what was written last unless told
 * @param onWritten hears of each piece, in bytes
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

/** What a write that took only `count` bytes left over. */
function after(chunks: readonly Uint8Array[], count: number): Uint8Array[] {
  let skip = count
  const rest: Uint8Array[] = []
  for (const chunk of chunks) {
    if (skip < chunk.length) rest.push(skip > 0 ? chunk.subarray(skip) : chunk)
    skip = Math.max(0, skip - chunk.length)
  }
  return rest
}
