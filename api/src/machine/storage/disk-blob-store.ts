import { randomUUID } from 'node:crypto'
import { mkdirSync, type Stats } from 'node:fs'
import { open, readdir, rename, rmdir, stat, unlink } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { absentAsUndefined } from './absent.ts'
import { letProxyRead, letProxyReadFile } from './proxy-reads.ts'
import { checkedName, storedKinds, type BlobStore, type StoredFile, type StoredKind } from './blob-store.ts'
import { syncPath } from './sync-path.ts'

/**
 * `audio` and `images` below the data folder, on the file system of the staged files; both are created if missing.
 *
 * @param options.forProxy whether a proxy sends the recordings
 */
export function diskBlobStore(dataDir: string, { forProxy = false } = {}): BlobStore {
  for (const folder of storedKinds) mkdirSync(path.join(dataDir, folder), { recursive: true })
  if (forProxy) letProxyRead(dataDir)
  const place = (kind: StoredKind, name: string) => path.join(dataDir, kind, checkedName(name))
  return {
    place: 'Local disk',
    isLocal: true,
    async put(kind, name, file) {
      const target = place(kind, name)
      if (forProxy && kind === 'audio') await letProxyReadFile(file)
      await rename(file, target).catch((error: unknown) => {
        if (!isFolder(error)) throw error
        return replaceFolder(file, target)
      })
      await syncPath(path.dirname(target))
    },
    stat: async (kind, name) => statFile(place(kind, name)),
    async open(kind, name) {
      const file = place(kind, name)
      const handle = await absentAsUndefined(open(file, 'r'))
      if (!handle) return undefined
      try {
        const found = await handle.stat()
        if (!found.isFile()) {
          await handle.close()
          return undefined
        }
        return {
          ...described(name, found),
          handle,
          path: file,
          read: async (start, end) =>
            end < start ? Readable.from([]) : handle.createReadStream({ start, end, autoClose: false }),
          close: () => handle.close(),
        }
      } catch (error) {
        await handle.close()
        throw error
      }
    },
    async remove(kind, name) {
      const file = place(kind, name)
      const removed = await absentAsUndefined(
        unlink(file).then(
          () => true,
          (error: unknown) => {
            if (!isFolder(error)) throw error
            return false
          },
        ),
      )
      if (removed) await syncPath(path.dirname(file))
      return removed ?? false
    },
    async *list(kind) {
      for (const name of await readdir(path.join(dataDir, kind))) {
        const file = await statFile(path.join(dataDir, kind, name))
        if (file) yield file
      }
    },
    // Its files appear by a rename, from the folder of staged ones.
    tidy: async () => undefined,
    elsewhere: async () => undefined,
  }
}

/** A folder stands in place of a file, as a container's mount makes one. What is in it is kept, aside. */
async function replaceFolder(file: string, target: string): Promise<void> {
  await rmdir(target).catch(() => rename(target, `${target}.${randomUUID()}`))
  await rename(file, target)
}

const isFolder = (error: unknown) => (error as NodeJS.ErrnoException).code === 'EISDIR'

async function statFile(file: string): Promise<StoredFile | undefined> {
  const found = await absentAsUndefined(stat(file))
  return found?.isFile() ? described(path.basename(file), found) : undefined
}

const described = (name: string, { size, mtime, ctime, ino }: Stats): StoredFile => ({
  name,
  bytes: size,
  modifiedAt: mtime,
  placedAt: ctime,
  version: String(ino),
})
