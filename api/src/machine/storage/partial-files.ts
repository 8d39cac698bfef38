import { mkdirSync } from 'node:fs'
import { readdir, rm, stat, type FileHandle, type open } from 'node:fs/promises'
import path from 'node:path'
import { Writable, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { linkOrCopy } from './link-or-copy.ts'
import { syncPath } from './sync-path.ts'
import { checkedName } from './blob-store.ts'
import type { PartialFiles } from './storage.ts'
import { writeAll } from './write-all.ts'

/** Files of one folder, named after the ids of their uploads. The file's size is the number of bytes received. */
export function diskPartialFiles(folder: string, openFile: typeof open): PartialFiles {
  mkdirSync(folder, { recursive: true })
  const place = (id: string) => path.join(folder, checkedName(id))
  const size = async (id: string): Promise<number> => {
    try {
      return (await stat(place(id))).size
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0
      throw error
    }
  }
  return {
    size,
    async writtenAt(id) {
      try {
        return (await stat(place(id))).mtime
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },
    async append(id, source) {
      const isNew = (await size(id)) === 0
      try {
        await appendTo(await openFile(place(id), 'a', 0o644), source)
      } finally {
        // Its name has to survive as well; harmless where nothing arrived.
        if (isNew) await syncPath(folder)
      }
      return size(id)
    },
    remove: (id) => rm(place(id), { force: true }),
    list: () => readdir(folder),
    copyTo: (id, target) => linkOrCopy(place(id), target),
  }
}

/** Settles when the last write has ended, even if the source failed, so that the size is final afterwards. */
async function appendTo(handle: FileHandle, source: Readable): Promise<void> {
  let writing: Promise<void> = Promise.resolve()
  let isWritten = false
  const write = async (chunks: readonly Uint8Array[], callback: (error: Error | null) => void) => {
    let failure: Error | null = null
    isWritten = true
    try {
      await writeAll(handle, chunks)
    } catch (error) {
      failure = error as Error
    }
    callback(failure)
  }
  const sink = new Writable({
    highWaterMark: 1024 * 1024,
    write(chunk: Uint8Array, _encoding, callback) {
      writing = write([chunk], callback)
    },
    writev(pieces, callback) {
      writing = write(
        pieces.map(({ chunk }) => chunk as Uint8Array),
        callback,
      )
    },
  })
  let failure: unknown
  try {
    await pipeline(source, sink).catch((error: unknown) => (failure = error))
    await writing
    // Acknowledged bytes are not sent again, so they have to survive a power cut.
    if (isWritten) await handle.datasync().catch((error: unknown) => (failure ??= error))
  } finally {
    await handle.close()
  }
  if (failure !== undefined) throw failure
}
