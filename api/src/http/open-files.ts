import { FileGone, type OpenBlob, type StoredFile } from '../machine/storage/blob-store.ts'

/** Opens files by name; undefined if there is no such file. */
export interface FileSource {
  open(name: string): Promise<OpenBlob | undefined>
  stat(name: string): Promise<Pick<StoredFile, 'version'> | undefined>
}

/** Hands out open files; a file stays open for a while, since one listener requests many ranges of it. */
export interface OpenFiles {
  /** Runs `work` while the file is open, again if it was replaced before its bytes; undefined if there is none. */
  use<T>(name: string, work: (file: OpenBlob) => Promise<T>): Promise<T | undefined>
  /** Closes unused files at once, the others when their last user is done. */
  close(): void
}

interface Entry {
  file: Promise<OpenBlob | undefined>
  version: string | undefined
  users: number
  checkedAt: number
  dropped: boolean
}

/**
 * @param most files kept open at once; the one used longest ago is closed first
 * @param checkMs how long a file is trusted to be still the one of its name
 */
export function openFiles(source: FileSource, { most = 64, checkMs = 1000 } = {}): OpenFiles {
  const entries = new Map<string, Entry>()

  return {
    use: (name, work) =>
      using(name, work).catch((error: unknown) => {
        if (error instanceof FileGone) return using(name, work)
        throw error
      }),
    close() {
      for (const name of entries.keys()) drop(name)
    },
  }

  async function using<T>(name: string, work: (file: OpenBlob) => Promise<T>): Promise<T | undefined> {
    const entry = await taken(name)
    try {
      const file = await entry.file
      return file && (await work(file))
    } catch (error) {
      if (error instanceof FileGone && entries.get(name) === entry) drop(name)
      throw error
    } finally {
      entry.users -= 1
      if (entry.dropped) closeIfUnused(entry)
    }
  }

  /** Counts the user synchronously, so that a concurrent request for another file cannot close this one. */
  async function taken(name: string): Promise<Entry> {
    const known = entries.get(name)
    if (known && Date.now() - known.checkedAt < checkMs) return touch(name, known)
    if (known) {
      const now = await source.stat(name).catch(() => undefined)
      if (now && now.version === known.version && entries.get(name) === known) {
        known.checkedAt = Date.now()
        return touch(name, known)
      }
      if (entries.get(name) === known) drop(name)
    }
    const present = entries.get(name)
    return present ? touch(name, present) : add(name)
  }

  function add(name: string): Entry {
    const entry: Entry = {
      file: Promise.resolve(undefined),
      version: undefined,
      users: 1,
      checkedAt: Date.now(),
      dropped: false,
    }
    entry.file = source.open(name).then((opened) => {
      entry.version = opened?.version
      // A missing file may appear in a moment: its absence is not cached.
      if (!opened && entries.get(name) === entry) entries.delete(name)
      return opened
    })
    entries.set(name, entry)
    if (entries.size > most) drop(entries.keys().next().value!)
    return entry
  }

  /** One more user. The order of a Map is the order of use. */
  function touch(name: string, entry: Entry): Entry {
    entry.users += 1
    entries.delete(name)
    entries.set(name, entry)
    return entry
  }

  function drop(name: string): void {
    const entry = entries.get(name)
    if (!entry) return
    entries.delete(name)
    entry.dropped = true
    closeIfUnused(entry)
  }
}

function closeIfUnused(entry: Entry): void {
  if (entry.users > 0) return
  void entry.file.then((file) => file?.close()).catch(() => {})
}
