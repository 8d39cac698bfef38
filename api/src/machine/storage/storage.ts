import type { FileHandle } from 'node:fs/promises'
import type { Readable } from 'node:stream'

/** Folders of finished files. `audio`: recordings named after their hash. `images`: pictures. */
export type StoredKind = 'audio' | 'images'

export interface StoredFile {
  readonly name: string
  readonly bytes: number
  readonly modifiedAt: Date
  /** When it was last moved into its place or changed in any other way. */
  readonly placedAt: Date
  /** Tells a file from another that has taken over its name. */
  readonly inode: number
}

/** A file on its way in, which nobody sees. It ends by `settle` or by `discard`. */
export interface StagedFile {
  /** Where it lies, for whoever has to read it before it is kept. */
  readonly path: string
  /** Bytes written so far. */
  readonly bytes: number
  /** Appends the chunks, in order. One call at a time. */
  write(chunks: readonly Uint8Array[]): Promise<void>
  /** Makes what was written survive a power cut; nothing can be written afterwards. */
  finish(): Promise<void>
  /** Removes it. Can be called at any time and again. */
  discard(): Promise<void>
}

/** A file that was put into its place, while nothing refers to it yet. */
export interface Settlement {
  /** Something refers to it now: it stays. */
  keep(): Promise<void>
  /** Nothing will: it is removed, unless it stood there before. */
  undo(): Promise<void>
}

/**
 * Files that arrive over several requests, by the id of their upload. They outlive the process: no cleaning of
 * leftovers touches them, only whoever knows that their upload is over. Callers see to it that one of them works on a
 * file at a time.
 */
export interface PartialFiles {
  /** Bytes that have arrived; 0 where there is no file. */
  size(id: string): Promise<number>
  /** When it was last written; undefined where there is no file. */
  writtenAt(id: string): Promise<Date | undefined>
  /** Appends what the source gives, also when it breaks off in between; then it throws. Returns the new size. */
  append(id: string, source: Readable): Promise<number>
  /** Can be called again. */
  remove(id: string): Promise<void>
  /** The ids. */
  list(): Promise<string[]>
  /** Gives the file a second name at `target`; what is done to either leaves the other. */
  copyTo(id: string, target: string): Promise<void>
}

/** Recordings that arrived by SFTP and are not published, by their ids; and the folder they arrive in. */
export interface InboxFiles {
  /** Where clients drop their files. */
  readonly dropFolder: string
  /** Takes a finished file of so many bytes over; nothing is left to be done where that was done before. */
  moveIn(file: string, id: string, bytes: number): Promise<void>
  /** Gives a file back to where it came from, so that its sender can go on with it. */
  moveBack(id: string, file: string): Promise<void>
  /** For reading; the caller closes it. */
  open(id: string): Promise<FileHandle>
  /** Gives it a second name at `target`. */
  copyTo(id: string, target: string): Promise<void>
  /** Can be called again. */
  remove(id: string): Promise<void>
  /** The ids. */
  list(): Promise<string[]>
}

/**
 * Where files are kept: the disk, behind a port, so that an object store can take its place. Files become visible
 * whole or not at all, by a rename.
 */
export interface Storage {
  stage(): Promise<StagedFile>
  readonly partial: PartialFiles
  /** A partial file that is whole, as a staged one. The original stays until it is removed. */
  stagePartial(id: string): Promise<StagedFile>
  readonly inbox: InboxFiles
  /** A recording of the Inbox, as a staged one. The original stays until it is removed. */
  stageInbox(id: string): Promise<StagedFile>
  /**
   * Puts a staged file into its place. A note of it is kept until `keep` or `undo`, so that after a crash the next
   * start finds what nobody refers to. Callers hold off others that settle the same name.
   */
  settle(staged: StagedFile, kind: StoredKind, name: string): Promise<Settlement>
  /** Undefined where there is no such file. */
  stat(kind: StoredKind, name: string): Promise<StoredFile | undefined>
  /** For reading; the caller closes it. Undefined where there is no such file. */
  open(kind: StoredKind, name: string): Promise<FileHandle | undefined>
  /** False where there was none. */
  remove(kind: StoredKind, name: string): Promise<boolean>
  list(kind: StoredKind): AsyncIterable<StoredFile>
  /** Bytes this process may still write. */
  freeBytes(): Promise<number>
  /**
   * Removes what processes that are gone left on its way in, and settled files that `isReferenced` denies.
   *
   * @returns how many files were removed
   */
  clearLeftovers(isReferenced: (kind: StoredKind, name: string) => Promise<boolean>): Promise<number>
}

/** Names come from hashes and checked extensions; anything that could lead elsewhere is a fault of the caller. */
export function checkedName(name: string): string {
  if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,254}$/.test(name))
    throw new Error(`"${name}" is no name for a stored file.`)
  return name
}

/** Whether a write failed for want of room, or of quota. */
export function isDiskFull(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | null)?.code
  return code === 'ENOSPC' || code === 'EDQUOT'
}
