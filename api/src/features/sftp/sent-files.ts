import type { FileHandle } from 'node:fs/promises'
import path from 'node:path'
import type { FileFacts } from '../../machine/ssh/ssh-files.ts'

/** An imported file that clients still see under the path they sent it to. */
export interface SentFile {
  readonly facts: FileFacts
  /** Opens it for reading; undefined where the recording is gone. */
  open(): Promise<FileHandle | undefined>
  /** Its Inbox item, while it is not published. */
  readonly inboxId?: string
}

/**
 * Imported files by client path, while the server is open: most clients stat a file after they closed it, and some
 * send it again if it is gone.
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
