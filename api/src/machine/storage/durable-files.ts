import { copyFile, type FileHandle, link, open } from 'node:fs/promises'

/** Syncs a file, or the names in a folder: a new or renamed file survives a power cut only once its folder is synced. */
export async function syncPath(place: string): Promise<void> {
  await using handle = await open(place, 'r')
  await handle.sync()
}

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

/**
 * Makes a hard link, or a copy if the file system has no hard links.
 *
 * @throws the system's error if the target exists, or the file does not
 */
export async function linkOrCopy(file: string, target: string): Promise<void> {
  try {
    await link(file, target)
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK'].includes((error as { code?: string }).code ?? ''))
      throw error
    await copyFile(file, target)
  }
}

/** The result of work on a file; undefined if there is no such file. */
export async function absentAsUndefined<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
