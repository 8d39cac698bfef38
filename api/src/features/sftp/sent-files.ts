import type { FileHandle } from 'node:fs/promises'
import path from 'node:path'
import type { FileFacts } from '../../machine/ssh/ssh-files.ts'

/** A file that a client sent whole, and that was taken away from under its name. */
export interface SentFile {
  readonly facts: FileFacts
  /** For reading; undefined where it is gone. */
  open(): Promise<FileHandle | undefined>
  /** Its place in the Inbox, if it waits there. */
  readonly inboxId?: string
}

/**
 * What clients sent and still expect to find: most look at a file once more after they closed it, and some would
 * send it all again if it were gone. Kept for as long as the server is open.
 */
export function sentFiles() {
  const files = new Map<string, SentFile>()
  return {
    get: (virtual: string) => files.get(virtual),
    add(virtual: string, file: SentFile) {
      files.delete(virtual)
      files.set(virtual, file)
      if (files.size > mostRemembered) files.delete(files.keys().next().value!)
    },
    remove: (virtual: string) => files.delete(virtual),
    in: (folder: string) =>
      [...files]
        .filter(([virtual]) => path.posix.dirname(virtual) === folder)
        .map(([virtual, { facts }]) => ({ name: path.posix.basename(virtual), facts })),
    clear: () => files.clear(),
  }
}

export type SentFiles = ReturnType<typeof sentFiles>

const mostRemembered = 500
