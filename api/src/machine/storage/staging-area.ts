import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { access, type FileHandle, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises'
import path from 'node:path'
import { type Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { processIdentity } from '../process/process-identity.ts'
import { checkedName } from './blob-store.ts'
import { keptFreeBytes } from './disk-reserve.ts'
import { absentAsUndefined, linkOrCopy, syncPath, writeAll } from './durable-files.ts'
import type { InboxFiles, PartialFiles, StagedFile, StagingArea } from './storage.ts'

export interface DiskStagingArea extends StagingArea {
  /** The folder of staged files and notes. */
  readonly staging: string
  /** Names this process: its staged files and notes begin with it. */
  readonly owner: string
  /** A path for a new staged file or note. */
  aside(ending: 'part' | 'note'): string
}

export interface StagingOptions {
  openStaged?: typeof open
  owner?: string
}

/** `staging`, `uploads`, `inbox` and `sftp-staging` below the data folder, on one file system; created if missing. */
export function diskStagingArea(
  dataDir: string,
  { openStaged = open, owner = processIdentity(process.pid) ?? String(process.pid) }: StagingOptions,
): DiskStagingArea {
  const staging = path.join(dataDir, 'staging')
  mkdirSync(staging, { recursive: true })
  const partial = diskPartialFiles(path.join(dataDir, 'uploads'), openStaged)
  const inbox = diskInboxFiles(dataDir)
  const aside = (ending: 'part' | 'note') => path.join(staging, `${owner}.${randomUUID()}.${ending}`)
  return {
    staging,
    owner,
    aside,
    stage: () => diskStagedFile(aside('part'), openStaged),
    partial,
    async stagePartial(id) {
      const file = aside('part')
      await partial.copyTo(id, file)
      return standingFile(file, await partial.size(id))
    },
    inbox,
    async stageInbox(id) {
      const file = aside('part')
      await inbox.copyTo(id, file)
      return standingFile(file, (await stat(file)).size)
    },
    async freeBytes() {
      const { bavail, bsize } = await statfs(staging)
      return Math.max(0, bavail * bsize - keptFreeBytes)
    },
    async totalBytes() {
      const { blocks, bfree, bavail, bsize } = await statfs(staging)
      // Without the blocks reserved for root.
      return (blocks - (bfree - bavail)) * bsize
    },
  }
}

/** `inbox` and `sftp-staging` below the data folder; both are created if missing. */
function diskInboxFiles(dataDir: string): InboxFiles {
  const folder = path.join(dataDir, 'inbox')
  const dropFolder = path.join(dataDir, 'sftp-staging')
  for (const wanted of [folder, dropFolder]) mkdirSync(wanted, { recursive: true, mode: 0o750 })
  const place = (id: string) => path.join(folder, checkedName(id))
  return {
    dropFolder,
    async moveIn(file, id, bytes) {
      if (await fileExists(place(id))) return
      try {
        const { size } = await stat(file)
        if (size !== bytes) throw new Error(`${file} has ${size} bytes, not ${bytes}.`)
        await rename(file, place(id))
        await syncPath(folder)
      } catch (error) {
        // Another process that read the same note was faster.
        if (!(await fileExists(place(id)))) throw error
      }
    },
    moveBack: (id, file) => rename(place(id), file),
    open: (id) => open(place(id), 'r'),
    copyTo: (id, target) => linkOrCopy(place(id), target),
    remove: (id) => rm(place(id), { force: true }),
    list: () => readdir(folder),
  }
}

const fileExists = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  )

/** Creates a staged file. */
async function diskStagedFile(path: string, openFile: typeof open): Promise<StagedFile> {
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
 * A stream into a staged file. It neither finishes nor discards the file; that is its owner's decision.
 */
export const stagedSink = (
  staged: StagedFile,
  onWritten: (bytes: number) => void = () => undefined,
): Writable =>
  batchedSink(async (chunks) => {
    await staged.write(chunks)
    onWritten(staged.bytes)
  })

/** A stream that writes many small chunks at once. `highWaterMark` bounds the bytes in memory. */
function batchedSink(write: (chunks: readonly Uint8Array[]) => Promise<void>): Writable {
  const take = async (chunks: readonly Uint8Array[], callback: (error: Error | null) => void) => {
    let failure: Error | null = null
    await write(chunks).catch((error: Error) => (failure = error))
    callback(failure)
  }
  return new Writable({
    highWaterMark: 1024 * 1024,
    write: (chunk: Uint8Array, _encoding, callback) => void take([chunk], callback),
    writev: (pieces, callback) =>
      void take(
        pieces.map(({ chunk }) => chunk as Uint8Array),
        callback,
      ),
  })
}

/** An existing file whose bytes are synced, as a staged one. */
function standingFile(path: string, bytes: number): StagedFile {
  return {
    path,
    bytes,
    write: () => Promise.reject(new Error('A file that was taken over is whole.')),
    finish: () => Promise.resolve(),
    discard: () => rm(path, { force: true }),
  }
}

/** Files of one folder, named after the ids of their uploads. The file's size is the number of bytes received. */
function diskPartialFiles(folder: string, openFile: typeof open): PartialFiles {
  mkdirSync(folder, { recursive: true })
  const place = (id: string) => path.join(folder, checkedName(id))
  const size = async (id: string) => (await absentAsUndefined(stat(place(id))))?.size ?? 0
  return {
    size,
    writtenAt: async (id) => (await absentAsUndefined(stat(place(id))))?.mtime,
    async append(id, source) {
      const isNew = (await size(id)) === 0
      try {
        await appendTo(openFile(place(id), 'a', 0o644), source)
      } finally {
        // Its name has to survive as well; harmless if nothing arrived.
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
async function appendTo(opening: Promise<FileHandle>, source: Readable): Promise<void> {
  await using handle = await opening
  let writing: Promise<void> | undefined
  const sink = batchedSink((chunks) => (writing = writeAll(handle, chunks)))
  let failure: unknown
  await pipeline(source, sink).catch((error: unknown) => (failure = error))
  await writing?.catch(() => undefined)
  // Acknowledged bytes are not sent again, so they have to survive a power cut.
  if (writing) await handle.datasync().catch((error: unknown) => (failure ??= error))
  if (failure !== undefined) throw failure
}
