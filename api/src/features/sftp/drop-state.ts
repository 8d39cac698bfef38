import path from 'node:path'
import { readdir } from 'node:fs/promises'
import { sftpGuards } from '@fellowship/schema/sftp/sftp.limits'
import type { Context } from '../../context.ts'
import type { KeyLock } from '../../machine/concurrency.ts'
import { FileRefusal } from '../../machine/ssh/ssh-files.ts'
import type { Storage } from '../../machine/storage/storage.ts'
import { isFinalName, type Jail } from './drop-paths.ts'
import { importDroppedFile, type SentFiles } from './import-file.ts'
import type { OpenWriters } from './dropped-file.ts'

/** The state that the operations of one drop folder share. */
export interface DropState {
  readonly context: Context
  readonly jail: Jail
  readonly writers: OpenWriters
  /** Imported files that clients still see under their old path. */
  readonly sent: SentFiles
  /** Bytes that clients announced, by path. */
  readonly announced: Map<string, number>
  /** Serializes the changes of one path. */
  readonly withPathLock: KeyLock
}

/** @throws FileRefusal if the folder has as many entries as allowed */
export async function assertRoomForEntry({ context }: DropState): Promise<void> {
  const entries = await readdir(context.storage.inbox.dropFolder, { recursive: true })
  if (entries.length >= sftpGuards.entries) {
    throw new FileRefusal('failure', 'The folder holds too many files and folders. Remove some first.')
  }
}

/**
 * Imports a file, which stays visible to clients. If its rest may still come, it stays in place, unless its sender has left
 * it.
 */
export async function importFile(
  { context, jail, announced, sent }: DropState,
  virtual: string,
  { isLeft = false } = {},
): Promise<void> {
  const file = await jail.resolve(virtual)
  const imported = await importDroppedFile(context, {
    virtual,
    file,
    announced: announced.get(virtual),
    isLeft,
  })
  if (!imported) return
  announced.delete(virtual)
  sent.add(virtual, imported)
}

/** Whether clients leave finished files under a name like that of this path. */
export const hasFinalName = (virtual: string): boolean => isFinalName(path.posix.basename(virtual))

/** @throws FileRefusal while a client writes to this path, or to a file in this folder */
export function assertNotBeingWritten({ writers }: DropState, virtual: string): void {
  if (writers.hasIn(virtual))
    throw new FileRefusal('failure', 'A file in this folder is still being written.')
  if (writers.has(virtual)) throw new FileRefusal('failure', 'This file is still being written.')
}

export const isAbsent = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException | null)?.code === 'ENOENT'

const sizes = new WeakMap<Storage, Map<string, number>>()

/** Bytes that clients announced for files of a drop folder, by client path. In memory only: few clients announce any. */
export function announcedSizes(storage: Storage): Map<string, number> {
  const known = sizes.get(storage) ?? new Map<string, number>()
  sizes.set(storage, known)
  return known
}
