import { mkdirSync } from 'node:fs'
import { copyFile, link, open, readdir, rename, rm, type FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { checkedName } from './storage.ts'

/** Recordings that arrived by SFTP and are not published, by their ids; and the folder they arrive in. */
export interface InboxFiles {
  /** Where clients drop their files. */
  readonly dropFolder: string
  /** Takes a finished file over. */
  take(file: string, id: string): Promise<void>
  /** Gives a file back to where it came from, so that its sender can go on with it. */
  giveBack(id: string, file: string): Promise<void>
  /** For reading; the caller closes it. */
  open(id: string): Promise<FileHandle>
  /** Gives it a second name at `target`. */
  copyTo(id: string, target: string): Promise<void>
  /** Can be called again. */
  remove(id: string): Promise<void>
  /** The ids. */
  list(): Promise<string[]>
}

/** `inbox` and `sftp-staging` below the data folder; both are made if absent. */
export function diskInboxFiles(dataDir: string): InboxFiles {
  const folder = path.join(dataDir, 'inbox')
  const dropFolder = path.join(dataDir, 'sftp-staging')
  for (const wanted of [folder, dropFolder]) mkdirSync(wanted, { recursive: true, mode: 0o750 })
  const place = (id: string) => path.join(folder, checkedName(id))
  return {
    dropFolder,
    take: (file, id) => rename(file, place(id)),
    giveBack: (id, file) => rename(place(id), file),
    open: (id) => open(place(id), 'r'),
    async copyTo(id, target) {
      try {
        await link(place(id), target)
      } catch (error) {
        // Some file systems know one name for a file only.
        if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK'].includes((error as { code?: string }).code ?? ''))
          throw error
        await copyFile(place(id), target)
      }
    },
    remove: (id) => rm(place(id), { force: true }),
    list: () => readdir(folder),
  }
}
