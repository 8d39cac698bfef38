import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import {
  fromRandomAccessReaderPromise,
  openPromise,
  RandomAccessReader,
  type Entry,
  type ZipFile,
} from 'yauzl'
import { readAge, type AgeReader } from '../age-stream.ts'

/** An archive on disk, read entry by entry. */
export interface Archive {
  /** Sizes in bytes by name. */
  readonly entries: ReadonlyMap<string, number>
  /** @throws Error for a missing entry; the stream fails for a wrong checksum */
  open(name: string): Promise<Readable>
  /**
   * The whole of a small entry.
   *
   * @throws EntryTooLarge before reading one of more than `most` bytes
   */
  read(name: string, most: number): Promise<Buffer>
  /** Lower-case hex. */
  sha256(name: string): Promise<string>
  close(): void
}

/** An entry that declares more bytes than memory may hold, or an archive of more entries. */
export class EntryTooLarge extends Error {
  override readonly name = 'EntryTooLarge'
}

/**
 * Opens an archive, also one that is encrypted as a whole.
 *
 * @throws PassphraseNeeded, or Error if the file is no ZIP archive, is truncated, or has too many entries
 */
export async function openArchive(file: string, passphrase?: string): Promise<Archive> {
  const sealed = await readAge(file, passphrase)
  const zip = await openZip(file, sealed).catch(async (error: unknown) => {
    await sealed?.close()
    throw error
  })
  const known = new Map<string, Entry>()
  if (zip.entryCount > mostEntries) {
    zip.close()
    throw new EntryTooLarge(`it has ${zip.entryCount} entries, more than ${mostEntries}`)
  }
  for await (const entry of zip.eachEntry()) known.set(nameOf(entry), entry)
  const open = async (name: string) => {
    const entry = known.get(name)
    if (!entry) throw new Error(`${name} is not in the archive.`)
    return zip.openReadStreamPromise(entry)
  }
  return {
    entries: new Map([...known].map(([name, entry]) => [name, entry.uncompressedSize])),
    open,
    async read(name, most) {
      const size = known.get(name)?.uncompressedSize ?? 0
      if (size > most) throw new EntryTooLarge(`${name} has ${size} bytes, more than ${most}.`)
      const chunks: Buffer[] = []
      // The library ends the stream if an entry has more bytes than declared.
      for await (const chunk of await open(name)) chunks.push(chunk as Buffer)
      return Buffer.concat(chunks)
    },
    async sha256(name) {
      const hash = createHash('sha256')
      for await (const chunk of await open(name)) hash.update(chunk as Buffer)
      return hash.digest('hex')
    },
    close() {
      if (sealed) void sealed.close()
      else zip.close()
    },
  }
}

/** Programs of macOS and Linux write names as UTF-8 without the flag that says so; the library would read them as code page 437. */
function nameOf({ fileName, fileNameRaw, generalPurposeBitFlag, extraFields }: Entry): string {
  const isKnown = (generalPurposeBitFlag & utf8Flag) !== 0 || extraFields.some(({ id }) => id === unicodePath)
  return !isKnown && isUtf8(fileNameRaw) ? fileNameRaw.toString('utf8') : fileName
}

const utf8Flag = 0x800
const unicodePath = 0x7075

const options = { autoClose: false, lazyEntries: true }

function openZip(file: string, sealed: AgeReader | undefined): Promise<ZipFile> {
  return sealed
    ? fromRandomAccessReaderPromise(new SealedFile(sealed), sealed.bytes, options)
    : openPromise(file, options)
}

/** Lets the library read the archive inside an encrypted file. */
class SealedFile extends RandomAccessReader {
  readonly #file: AgeReader

  constructor(file: AgeReader) {
    super()
    this.#file = file
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#file.read(start, end))
  }
}

/** Memory holds a name and a few numbers for each. */
const mostEntries = 500_000
