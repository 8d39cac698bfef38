import { mkdirSync } from 'node:fs'
import { copyFile, link, open, readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { checkedName, type InboxFiles } from './storage.ts'

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
