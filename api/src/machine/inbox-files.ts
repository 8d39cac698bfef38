import { mkdirSync } from 'node:fs'
import { open, readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { linkOrCopy } from './link-or-copy.ts'
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
    copyTo: (id, target) => linkOrCopy(place(id), target),
    remove: (id) => rm(place(id), { force: true }),
    list: () => readdir(folder),
  }
}
