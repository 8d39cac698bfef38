import { mkdirSync } from 'node:fs'
import { access, open, readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { linkOrCopy } from './link-or-copy.ts'
import { syncPath } from './sync-path.ts'
import { checkedName } from './blob-store.ts'
import type { InboxFiles } from './storage.ts'

/** `inbox` and `sftp-staging` below the data folder; both are created if missing. */
export function diskInboxFiles(dataDir: string): InboxFiles {
  const folder = path.join(dataDir, 'inbox')
  const dropFolder = path.join(dataDir, 'sftp-staging')
  for (const wanted of [folder, dropFolder]) mkdirSync(wanted, { recursive: true, mode: 0o750 })
  const place = (id: string) => path.join(folder, checkedName(id))
  return {
    dropFolder,
    async moveIn(file, id, bytes) {
      if (await fileExists(place(id))) return
      try {
        const { size } = await stat(file)
        if (size !== bytes) throw new Error(`${file} has ${size} bytes, not ${bytes}.`)
        await rename(file, place(id))
        await syncPath(folder)
      } catch (error) {
        // Another process that read the same note was faster.
        if (!(await fileExists(place(id)))) throw error
      }
    },
    moveBack: (id, file) => rename(place(id), file),
    open: (id) => open(place(id), 'r'),
    copyTo: (id, target) => linkOrCopy(place(id), target),
    remove: (id) => rm(place(id), { force: true }),
    list: () => readdir(folder),
  }
}

const fileExists = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  )
