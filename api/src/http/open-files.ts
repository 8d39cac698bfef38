import { open, stat, type FileHandle } from 'node:fs/promises'

/** A file that is open for positional reads, with what HTTP needs to know of it. */
export interface OpenFile {
  readonly handle: FileHandle
  readonly size: number
  readonly modified: Date
}

/** Hands out open files; a file stays open for a while, since one listener asks for many ranges of it. */
export interface OpenFiles {
  /** Runs `work` while the file is certainly open; undefined where there is no such file. */
  use<T>(path: string, work: (file: OpenFile) => Promise<T>): Promise<T | undefined>
  /** Closes what nobody uses; what is in use closes when its user is done. */
  close(): void
}

interface Entry {
  file: Promise<OpenFile | undefined>
  inode: number
  users: number
  checkedAt: number
  dropped: boolean
}

/**
 * @param most files kept open at once; the one used longest ago is closed first
 * @param checkMs how long a file is trusted to be still the one of its name
 */
export function openFiles({ most = 64, checkMs = 1000 } = {}): OpenFiles {
  const entries = new Map<string, Entry>()

  return {
    async use(path, work) {
      const entry = await taken(path)
      try {
        const file = await entry.file
        return file && (await work(file))
      } finally {
        entry.users -= 1
        if (entry.dropped) closeIfUnused(entry)
      }
    },
    close() {
      for (const path of entries.keys()) drop(path)
    },
  }

  /** Counted before anybody else has a turn: who asks for another file in the same moment must not close this one. */
  async function taken(path: string): Promise<Entry> {
    const known = entries.get(path)
    if (known && Date.now() - known.checkedAt < checkMs) return touch(path, known)
    if (known) {
      const now = await stat(path).catch(() => undefined)
      if (now?.ino === known.inode && entries.get(path) === known) {
        known.checkedAt = Date.now()
        return touch(path, known)
      }
      if (entries.get(path) === known) drop(path)
    }
    const present = entries.get(path)
    return present ? touch(path, present) : add(path)
  }

  function add(path: string): Entry {
    const entry: Entry = {
      file: Promise.resolve(undefined),
      inode: 0,
      users: 1,
      checkedAt: Date.now(),
      dropped: false,
    }
    entry.file = openFile(path).then((opened) => {
      entry.inode = opened?.inode ?? 0
      // A file that is not there may be there in a moment: that is not worth remembering.
      if (!opened && entries.get(path) === entry) entries.delete(path)
      return opened
    })
    entries.set(path, entry)
    if (entries.size > most) drop(entries.keys().next().value!)
    return entry
  }

  /** One more user. The order of a Map is the order of use. */
  function touch(path: string, entry: Entry): Entry {
    entry.users += 1
    entries.delete(path)
    entries.set(path, entry)
    return entry
  }

  function drop(path: string): void {
    const entry = entries.get(path)
    if (!entry) return
    entries.delete(path)
    entry.dropped = true
    closeIfUnused(entry)
  }
}

function closeIfUnused(entry: Entry): void {
  if (entry.users > 0) return
  void entry.file.then((file) => file?.handle.close()).catch(() => {})
}

async function openFile(path: string): Promise<(OpenFile & { inode: number }) | undefined> {
  let handle: FileHandle | undefined
  try {
    handle = await open(path, 'r')
    const { size, mtime, ino } = await handle.stat()
    return { handle, size, modified: mtime, inode: ino }
  } catch (error) {
    await handle?.close()
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
