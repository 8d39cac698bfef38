import type { FileHandle } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { BlobStore, StoredKind } from './blob-store.ts'

export type { StoredFile, StoredKind } from './blob-store.ts'

/** A file that is being received and is not visible yet. It ends by `settle` or by `discard`. */
export interface StagedFile {
  /** Its path, for reading it before it is settled. */
  readonly path: string
  /** Bytes written so far. */
  readonly bytes: number
  /** Appends the chunks, in order. One call at a time. */
  write(chunks: readonly Uint8Array[]): Promise<void>
  /** Syncs the file to disk; nothing can be written afterwards. */
  finish(): Promise<void>
  /** Removes it. Can be called at any time; idempotent. */
  discard(): Promise<void>
}

/** A file that was stored under its name, while nothing refers to it yet. */
export interface Settlement {
  /** The file in its place before. A damaged one, of other bytes, was replaced. */
  readonly before: 'nothing' | 'equal' | 'damaged'
  /** The reference is committed: the file stays. */
  keep(): Promise<void>
  /** There will be no reference: the file is removed, unless one of its name existed before. */
  undo(): Promise<void>
}

/**
 * Files that arrive over several requests, by the id of their upload. They outlive the process, and `clearLeftovers` does not
 * touch them: the caller removes them when the upload is over. Callers serialize the work on one file.
 */
export interface PartialFiles {
  /** Bytes that have arrived; 0 if there is no file. */
  size(id: string): Promise<number>
  /** When it was last written to; undefined if there is no file. */
  writtenAt(id: string): Promise<Date | undefined>
  /** Appends the source, also the part before an error, which it then throws. Returns the new size. */
  append(id: string, source: Readable): Promise<number>
  /** Idempotent. */
  remove(id: string): Promise<void>
  /** The ids. */
  list(): Promise<string[]>
  /** Links or copies the file to `target`; removing either leaves the other. */
  copyTo(id: string, target: string): Promise<void>
}

/** Recordings that arrived by SFTP and are not published, by their ids; and the folder they arrive in. */
export interface InboxFiles {
  /** The folder that SFTP clients upload to. */
  readonly dropFolder: string
  /** Moves a finished file of that size into the Inbox; idempotent. */
  moveIn(file: string, id: string, bytes: number): Promise<void>
  /** Moves a file back into the drop folder, so that its sender can continue it. */
  moveBack(id: string, file: string): Promise<void>
  /** For reading; the caller closes it. */
  open(id: string): Promise<FileHandle>
  /** Links or copies it to `target`. */
  copyTo(id: string, target: string): Promise<void>
  /** Idempotent. */
  remove(id: string): Promise<void>
  /** The ids. */
  list(): Promise<string[]>
}

/** Decides about leftover files of other processes. */
export interface LeftoverChecks {
  /** Whether the process that staged a file still runs; its files are left alone. */
  isAlive(owner: string): Promise<boolean>
  /** Calls `remove` if nothing refers to the settled file, and returns its result; else false. */
  removeUnreferenced(kind: StoredKind, name: string, remove: () => Promise<boolean>): Promise<boolean>
}

/** Files that are not finished, on a disk of this machine: probing, hashing and SFTP need local files. */
export interface StagingArea {
  stage(): Promise<StagedFile>
  readonly partial: PartialFiles
  /** A completely received partial file as a staged one. The original stays until it is removed. */
  stagePartial(id: string): Promise<StagedFile>
  readonly inbox: InboxFiles
  /** A recording of the Inbox, as a staged one. The original stays until it is removed. */
  stageInbox(id: string): Promise<StagedFile>
  /** Bytes of disk space available to recordings; 0 counts as a full disk. */
  freeBytes(): Promise<number>
  /** Bytes of the disk that the server's account may use, free or not. */
  totalBytes(): Promise<number>
}

/** All files of the product: those that arrive, and a blob store of those that are finished. */
export interface Storage extends StagingArea, Omit<BlobStore, 'put'> {
  /**
   * Stores a staged file under its name in the blob store. A note is written until `keep` or `undo`, so that after a crash the
   * next start finds files without a reference. A standing file of that name is compared, and replaced if its bytes
   * differ: the name is the hash of the content, so the standing one is damaged. Callers lock the name.
   */
  settle(staged: StagedFile, kind: StoredKind, name: string): Promise<Settlement>
  /**
   * Runs `work` on a file for programs that need a path: the stored one if it is on a disk of this machine, else a copy
   * that is removed afterwards. Undefined if there is no such file.
   */
  withPath<T>(kind: StoredKind, name: string, work: (path: string) => Promise<T>): Promise<T | undefined>
  /** For positional reads on this machine; the caller closes it. Undefined if there is no such file. */
  openHandle(kind: StoredKind, name: string): Promise<FileHandle | undefined>
  /**
   * Removes staged files of ended processes, and offers their settled files to `removeUnreferenced`.
   *
   * @returns how many files were removed
   */
  clearLeftovers(checks: LeftoverChecks): Promise<number>
}

/** Stores bytes under their name; callers lock the name, and end the settlement. */
export async function settleBytes(
  storage: Storage,
  kind: StoredKind,
  name: string,
  bytes: Uint8Array,
): Promise<Settlement> {
  const staged = await storage.stage()
  try {
    await staged.write([bytes])
    return await storage.settle(staged, kind, name)
  } finally {
    await staged.discard()
  }
}

/** Whether a write failed because the disk or the quota is full. */
export function isDiskFull(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | null)?.code
  return code === 'ENOSPC' || code === 'EDQUOT'
}

/**
 * Notes of files that were put into the blob store and whose rows are not written yet. After a crash they tell which files may be
 * without a row.
 */
export interface SettlementNotes {
  /** Notes a file before it is put there; survives a crash. Returns the function that removes the note. */
  note(kind: StoredKind, name: string): Promise<() => Promise<void>>
}
