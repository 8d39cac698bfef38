import { rm, type FileHandle, type open } from 'node:fs/promises'
import { Writable } from 'node:stream'
import type { StagedFile } from './storage.ts'

/** A new file that only this process knows of. */
export async function diskStagedFile(path: string, openFile: typeof open): Promise<StagedFile> {
  const handle = await openFile(path, 'wx', 0o644)
  let bytes = 0
  let closed: Promise<void> | undefined
  const close = () => (closed ??= handle.close())
  return {
    path,
    get bytes() {
      return bytes
    },
    async write(chunks) {
      await writeAll(handle, chunks, (count) => (bytes += count))
    },
    async finish() {
      if (closed) return closed
      await handle.sync()
      await close()
    },
    async discard() {
      await close()
      await rm(path, { force: true })
    },
  }
}

/**
 * A stream into a staged file that writes many small chunks at once. `highWaterMark` bounds what waits in memory.
 * It neither finishes nor discards the file; that is its owner's decision.
 */
export function stagedSink(
  staged: StagedFile,
  onWritten: (bytes: number) => void = () => undefined,
): Writable {
  const write = async (chunks: readonly Uint8Array[], callback: (error: Error | null) => void) => {
    let failure: Error | null = null
    try {
      await staged.write(chunks)
      onWritten(staged.bytes)
    } catch (error) {
      failure = error as Error
    }
    callback(failure)
  }
  return new Writable({
    highWaterMark: 1024 * 1024,
    write: (chunk: Uint8Array, _encoding, callback) => void write([chunk], callback),
    writev: (chunks, callback) =>
      void write(
        chunks.map(({ chunk }) => chunk as Uint8Array),
        callback,
      ),
  })
}

/** Writes all of the chunks, however little the system takes at once. */
export async function writeAll(
  handle: FileHandle,
  chunks: readonly Uint8Array[],
  onWritten: (bytes: number) => void = () => undefined,
): Promise<void> {
  let rest = chunks.filter(({ length }) => length > 0)
  while (rest.length > 0) {
    const { bytesWritten } = await handle.writev(rest)
    onWritten(bytesWritten)
    rest = after(rest, bytesWritten)
  }
}

/** A file that stands already, and whose bytes have reached the disk, as a staged one. */
export function standingFile(path: string, bytes: number): StagedFile {
  return {
    path,
    bytes,
    write: () => Promise.reject(new Error('A file that was taken over is whole.')),
    finish: () => Promise.resolve(),
    discard: () => rm(path, { force: true }),
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
