import { randomUUID } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, type Stats, statSync } from 'node:fs'
import { chmod, open, readdir, rename, rmdir, stat, unlink } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { type BlobStore, checkedName, type StoredFile, type StoredKind, storedKinds } from './blob-store.ts'
import { absentAsUndefined, syncPath } from './durable-files.ts'

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
          [Symbol.asyncDispose]: () => handle.close(),
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
    isReachable: async () => true,
  }
}

/** A folder stands in place of a file, as a container's mount makes one. Its content is moved aside. */
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

/** A recording can be opened by its name, which is the hash of its bytes; the folder cannot be listed. */
const mayPass = 0o011
const mayRead = 0o044

/**
 * Lets a proxy that runs as another user send the recordings below `dataDir` (AUDIO_ACCEL), whatever mask the product runs
 * under; the service manager closes the folder again at each start. All else in it stays as closed as it was made.
 */
function letProxyRead(dataDir: string): void {
  const audio = path.join(dataDir, 'audio')
  for (const folder of [dataDir, audio]) allow(folder, mayPass)
  for (const name of readdirSync(audio)) allow(path.join(audio, name), mayRead)
}

/** The same for one that is about to get its name. */
const letProxyReadFile = (file: string): Promise<void> => chmod(file, 0o644)

function allow(place: string, wanted: number): void {
  const { mode } = statSync(place)
  if ((mode & wanted) !== wanted) chmodSync(place, (mode & 0o777) | wanted)
}
