import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import type * as real from 'node:fs/promises'
import path from 'node:path'

/** What a crash leaves on the disk. */
export type Crash =
  /** The process was killed: the system still writes all that it did. */
  | 'killed'
  /** The power went: what was not synced is gone. */
  | 'power cut'
  /** The power went, and names had reached the disk before the contents of their files. */
  | 'power cut after names'

/** The bytes of a file that survive a power cut, and how many steps had been taken when they were synced. */
interface Inode {
  durable: Buffer
}

/**
 * A disk that forgets what was not synced. It stands between the storage and the real files: every change is a step, the
 * process can end at any step, and a crash puts the files into the state that it may leave.
 */
export function powerCutDisk() {
  let root = ''
  let names = new Map<string, Inode>()
  let durableNames = new Map<string, Inode>()
  let steps = 0
  let lastStep = Infinity

  /** A change of the disk; after the last one the process has ended. */
  async function step<T>(work: () => Promise<T>): Promise<T> {
    if (steps >= lastStep) throw new ProcessEnded('the process has ended')
    steps += 1
    return work()
  }
  const isOurs = (file: unknown): file is string =>
    typeof file === 'string' && root !== '' && file.startsWith(root)

  function sync(file: string): void {
    if (!statSync(file).isDirectory()) {
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
          if (flags === undefined || flags === 'r' || names.has(file))
            return watched(await fs.open(file, flags, mode), file)
          return step(async () => {
            const handle = await fs.open(file, flags, mode)
            names.set(file, { durable: Buffer.alloc(0) })
            return watched(handle, file)
          })
        },
        rename: (from, to) =>
          step(async () => {
            await fs.rename(from, to)
            names.set(String(to), names.get(String(from))!)
            names.delete(String(from))
          }),
        link: (from, to) =>
          step(async () => {
            await fs.link(from, to)
            names.set(String(to), names.get(String(from))!)
          }),
        unlink: (file) =>
          step(async () => {
            await fs.unlink(file)
            names.delete(String(file))
          }),
        rm: (file, options) =>
          isOurs(file)
            ? step(async () => {
                await fs.rm(file, options)
                names.delete(file)
              })
            : fs.rm(file, options),
      }
    },
    /** Watches a folder that is on the disk as it is, and lets the process end after so many further steps. */
    watch(folder: string, endAfter = Infinity) {
      root = folder
      names = new Map()
      for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
        const file = path.join(entry.parentPath, entry.name)
        if (entry.isFile()) names.set(file, { durable: readFileSync(file) })
      }
      durableNames = new Map(names)
      steps = 0
      lastStep = endAfter
    },
    /** A step that happens elsewhere, such as a commit of the database. */
    elsewhere: () => step(() => Promise.resolve()),
    get steps() {
      return steps
    },
    /** Leaves on the real disk what the crash leaves; then nothing is watched any more. */
    crash(kind: Crash) {
      if (kind !== 'killed') {
        for (const file of names.keys()) rmSync(file, { force: true })
        for (const [file, { durable }] of kind === 'power cut' ? durableNames : names) {
          mkdirSync(path.dirname(file), { recursive: true })
          writeFileSync(file, durable)
        }
      }
      root = ''
      lastStep = Infinity
    },
  }
}

/** Thrown by everything that a process tries after its end. */
class ProcessEnded extends Error {}
