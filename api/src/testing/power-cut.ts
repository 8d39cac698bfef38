import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import type * as real from 'node:fs/promises'
import path from 'node:path'

/** The state of the disk after a crash. */
export type Crash =
  /** The process was killed: the system still writes all that it did. */
  | 'killed'
  /** A power loss: bytes that were not synced are gone. */
  | 'power cut'
  /** The power went, and names had reached the disk before the contents of their files. */
  | 'power cut after names'
  /** The same in the middle of writing back: half of the bytes that were not synced had reached the disk. */
  | 'power cut with torn files'

/** The bytes of a file that survive a power cut, and how many steps had been taken when they were synced. */
interface Inode {
  durable: Buffer
}

/**
 * A disk that loses bytes that were not synced. It stands between the storage and the real files: every change is a step, the
 * process can end at any step, and a crash puts the files into the state that it may leave.
 */
export function powerCutDisk() {
  let roots: readonly string[] = []
  let names = new Map<string, Inode>()
  let durableNames = new Map<string, Inode>()
  let steps = 0
  let lastStep = Infinity
  let opened: real.FileHandle[] = []
  let end = (): void => {
    throw new ProcessEnded('the process has ended')
  }

  /** A change of the disk; after the last one the process has ended. */
  async function step<T>(work: () => Promise<T>): Promise<T> {
    if (steps >= lastStep) end()
    steps += 1
    return work()
  }
  const isOurs = (file: unknown): file is string =>
    typeof file === 'string' && roots.some((root) => file === root || file.startsWith(root + path.sep))

  function sync(file: string): void {
    const found = statSync(file, { throwIfNoEntry: false })
    // It was renamed or removed while it was open.
    if (!found) return
    if (!found.isDirectory()) {
      const inode = names.get(file)
      if (inode) inode.durable = readFileSync(file)
      return
    }
    for (const name of durableNames.keys()) if (path.dirname(name) === file) durableNames.delete(name)
    for (const [name, inode] of names) if (path.dirname(name) === file) durableNames.set(name, inode)
  }

  return {
    /** The calls of node:fs/promises that change the disk. */
    wrap(fs: typeof real): Partial<typeof real> {
      const watched = (handle: real.FileHandle, file: string): real.FileHandle =>
        new Proxy(handle, {
          get(target, key) {
            const value: unknown = Reflect.get(target, key)
            if (typeof value !== 'function') return value
            const call = (...given: unknown[]) =>
              (value as (...all: unknown[]) => Promise<unknown>).apply(target, given)
            if (key === 'sync' || key === 'datasync') return () => step(async () => sync(file))
            if (key === 'write' || key === 'writev' || key === 'writeFile') {
              return (...given: unknown[]) => step(() => call(...given))
            }
            return call
          },
        })
      return {
        async open(file, flags, mode) {
          if (!isOurs(file)) return fs.open(file, flags, mode)
          const openHandle = async () => {
            const handle = await fs.open(file, flags, mode)
            opened.push(handle)
            return handle
          }
          if (flags === undefined || flags === 'r' || names.has(file))
            return watched(await openHandle(), file)
          return step(async () => {
            const handle = await openHandle()
            names.set(file, { durable: Buffer.alloc(0) })
            return watched(handle, file)
          })
        },
        rename: (from, to) =>
          isOurs(from)
            ? step(async () => {
                await fs.rename(from, to)
                names.set(String(to), names.get(from)!)
                names.delete(from)
              })
            : fs.rename(from, to),
        link: (from, to) =>
          isOurs(from)
            ? step(async () => {
                await fs.link(from, to)
                names.set(String(to), names.get(from)!)
              })
            : fs.link(from, to),
        unlink: (file) =>
          isOurs(file)
            ? step(async () => {
                await fs.unlink(file)
                names.delete(file)
              })
            : fs.unlink(file),
        rm: (file, options) =>
          isOurs(file)
            ? step(async () => {
                await fs.rm(file, options)
                names.delete(file)
              })
            : fs.rm(file, options),
      }
    },
    /** Watches folders that are on the disk as they are, and lets the process end after so many further steps. */
    watch(folders: string | readonly string[], endAfter = Infinity) {
      roots = typeof folders === 'string' ? [folders] : folders
      names = new Map(roots.flatMap(filesBelow).map((file) => [file, { durable: readFileSync(file) }]))
      durableNames = new Map(names)
      steps = 0
      lastStep = endAfter
    },
    /** From now on the process ends after so many steps, by `by`, which does not return. */
    endAfter(further: number, by: () => never) {
      end = by
      lastStep = steps + further
    },
    /** A step that happens elsewhere, such as a commit of the database. */
    elsewhere: () => step(() => Promise.resolve()),
    get steps() {
      return steps
    },
    /** Brings the real disk into the state after the crash, closes all files, and stops watching. */
    crash(kind: Crash) {
      for (const handle of opened) handle.close().catch(() => undefined)
      opened = []
      if (kind !== 'killed') {
        const kept = new Map(
          [...(kind === 'power cut' ? durableNames : names)].map(([file, inode]) => [
            file,
            kind === 'power cut with torn files' ? torn(file, inode) : inode.durable,
          ]),
        )
        for (const file of names.keys()) rmSync(file, { force: true })
        for (const [file, bytes] of kept) {
          mkdirSync(path.dirname(file), { recursive: true })
          writeFileSync(file, bytes)
        }
      }
      roots = []
      lastStep = Infinity
    },
  }
}

/** The paths of all files in a folder, also deeper; none if there is no such folder. */
function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
}

/** A file of whose bytes since the last sync half reached the disk; all files here only grow. */
function torn(file: string, { durable }: Inode): Buffer {
  const now = existsSync(file) ? readFileSync(file) : durable
  return now.subarray(0, durable.length + Math.floor(Math.max(0, now.length - durable.length) / 2))
}

/** Thrown by everything that a process tries after its end. */
class ProcessEnded extends Error {}
