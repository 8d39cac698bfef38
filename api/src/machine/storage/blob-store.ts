import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32 } from 'node:zlib'

/** Folders of finished files. `audio` and `handouts` are named after the hash of their bytes, `images` after their original. */
export const storedKinds = ['audio', 'images', 'handouts'] as const

export type StoredKind = (typeof storedKinds)[number]

export interface StoredFile {
  readonly name: string
  readonly bytes: number
  readonly modifiedAt: Date
  /** When it was last moved or changed (ctime). */
  readonly placedAt: Date
  /** Differs for another file under the same name. */
  readonly version: string
}

/** A finished file, opened for reading. Its owner closes it, or declares it with `await using`. */
export interface OpenBlob extends StoredFile, AsyncDisposable {
  /** Set if it is on a disk of this machine: for positional reads, which cost a fraction of a stream. */
  readonly handle?: FileHandle
  /** Its path, if it is on a disk of this machine. Read only. */
  readonly path?: string
  /** The public address, if it can be loaded without this product. */
  readonly publicUrl?: string
  /**
   * The bytes from `start` to `end`, both included. If they cannot be read it rejects before any byte: with `FileGone`
   * if the file was removed or replaced since it was opened.
   */
  read(start: number, end: number): Promise<Readable>
  close(): Promise<void>
}

/** A file was removed or replaced since it was opened. */
export class FileGone extends Error {
  override readonly name = 'FileGone'
}

/**
 * Finished recordings, pictures and handouts. Names are hashes of the contents, so storing one twice changes nothing. A file is
 * visible as a whole or not at all, also after a crash.
 */
export interface BlobStore {
  /** Its place, for people: 'Local disk'. */
  readonly place: string
  /** Whether its files take room on the disk of the staged ones. */
  readonly isLocal: boolean
  /** Stores a local file, whose bytes are synced, in place of one of that name. It may have been moved afterwards. */
  put(kind: StoredKind, name: string, file: string): Promise<void>
  /** Undefined if there is no such file. */
  stat(kind: StoredKind, name: string): Promise<StoredFile | undefined>
  /** Undefined if there is no such file. */
  open(kind: StoredKind, name: string): Promise<OpenBlob | undefined>
  /** False if there was none. */
  remove(kind: StoredKind, name: string): Promise<boolean>
  list(kind: StoredKind): AsyncIterable<StoredFile>
  /** Removes unfinished files of killed processes that are older than `limit`. */
  tidy(limit: Date): Promise<void>
  /** Files that are still at another place and can be moved. */
  elsewhere(): Promise<{ place: string; files: number } | undefined>
  /** Whether its place answers now, or did some seconds ago. */
  isReachable(): Promise<boolean>
}

/** A part of a file in memory; shorter if the file ends before. */
export async function readPart(file: OpenBlob, from: number, length: number): Promise<Buffer> {
  if (file.handle) {
    const { buffer, bytesRead } = await file.handle.read(Buffer.alloc(length), 0, length, from)
    return buffer.subarray(0, bytesRead)
  }
  const chunks: Buffer[] = []
  const end = Math.min(from + length, file.bytes) - 1
  for await (const chunk of await file.read(from, end)) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** The SHA-256 of a stored file, lower-case hex; undefined if there is no such file. */
export async function storedSha256(
  blobs: Pick<BlobStore, 'open'>,
  kind: StoredKind,
  name: string,
): Promise<string | undefined> {
  await using file = await blobs.open(kind, name)
  if (!file) return undefined
  const hash = createHash('sha256')
  await pipeline(await file.read(0, file.bytes - 1), hash)
  return hash.digest('hex')
}

/** The unsigned CRC-32 of a stored file. */
export async function storedCrc32(
  blobs: Pick<BlobStore, 'open'>,
  kind: StoredKind,
  name: string,
): Promise<number> {
  await using file = await blobs.open(kind, name)
  if (!file) throw new Error(`${name} was removed meanwhile.`)
  let sum = 0
  for await (const chunk of await file.read(0, file.bytes - 1)) sum = crc32(chunk as Buffer, sum)
  return sum
}

/**
 * For looking at many files. Elsewhere a list costs a request per thousand names, and a look at each one costs a request.
 */
export async function manyStats(
  blobs: Pick<BlobStore, 'isLocal' | 'stat' | 'list'>,
  kind: StoredKind,
): Promise<(name: string) => Promise<StoredFile | undefined>> {
  const listed = new Map<string, StoredFile>()
  if (!blobs.isLocal) for await (const file of blobs.list(kind)) listed.set(file.name, file)
  // Stored since the list was made.
  return async (name) => listed.get(name) ?? blobs.stat(kind, name)
}

/** Asserts a name made of a hash and a checked extension, without any path. */
export function checkedName(name: string): string {
  if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,254}$/.test(name))
    throw new Error(`"${name}" is no name for a stored file.`)
  return name
}
