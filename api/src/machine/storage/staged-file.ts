import { rm, type open } from 'node:fs/promises'
import { Writable } from 'node:stream'
import type { StagedFile } from './storage.ts'
import { writeAll } from './write-all.ts'

/** Creates a staged file. */
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
      await writeAll(handle, chunks, { onWritten: (count) => (bytes += count) })
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
 * A stream into a staged file that writes many small chunks at once. `highWaterMark` bounds the bytes in memory.
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

/** An existing file whose bytes are synced, as a staged one. */
export function standingFile(path: string, bytes: number): StagedFile {
  return {
    path,
    bytes,
    write: () => Promise.reject(new Error('A file that was taken over is whole.')),
    finish: () => Promise.resolve(),
    discard: () => rm(path, { force: true }),
  }
}
