import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { openPromise, type Entry, type ZipFile } from 'yauzl'

/** An archive on disk, read entry by entry. */
export interface Archive {
  /** Sizes in bytes by name. */
  readonly entries: ReadonlyMap<string, number>
  /** @throws Error for a missing entry; the stream fails for a wrong checksum */
  open(name: string): Promise<Readable>
  /** The whole of a small entry. */
  read(name: string): Promise<Buffer>
  /** Lower-case hex. */
  sha256(name: string): Promise<string>
  close(): void
}

/** @throws Error where the file is no ZIP archive, or is truncated */
export async function openArchive(file: string): Promise<Archive> {
  const zip: ZipFile = await openPromise(file, { autoClose: false, lazyEntries: true })
  const known = new Map<string, Entry>()
  for await (const entry of zip.eachEntry()) known.set(entry.fileName, entry)
  const open = async (name: string) => {
    const entry = known.get(name)
    if (!entry) throw new Error(`${name} is not in the archive.`)
    return zip.openReadStreamPromise(entry)
  }
  return {
    entries: new Map([...known].map(([name, entry]) => [name, entry.uncompressedSize])),
    open,
    async read(name) {
      const chunks: Buffer[] = []
      for await (const chunk of await open(name)) chunks.push(chunk as Buffer)
      return Buffer.concat(chunks)
    },
    async sha256(name) {
      const hash = createHash('sha256')
      for await (const chunk of await open(name)) hash.update(chunk as Buffer)
      return hash.digest('hex')
    },
    close: () => zip.close(),
  }
}
