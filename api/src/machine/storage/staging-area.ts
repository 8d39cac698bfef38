import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { open, stat, statfs } from 'node:fs/promises'
import path from 'node:path'
import { processIdentity } from '../process/process-identity.ts'
import { keptFreeBytes } from './disk-reserve.ts'
import { diskInboxFiles } from './inbox-files.ts'
import { diskPartialFiles } from './partial-files.ts'
import { diskStagedFile, standingFile } from './staged-file.ts'
import type { StagingArea } from './storage.ts'

export interface DiskStagingArea extends StagingArea {
  /** The folder of staged files and notes. */
  readonly staging: string
  /** Names this process: its staged files and notes begin with it. */
  readonly owner: string
  /** A path for a new staged file or note. */
  aside(ending: 'part' | 'note'): string
}

export interface StagingOptions {
  openStaged?: typeof open
  owner?: string
}

/** `staging`, `uploads`, `inbox` and `sftp-staging` below the data folder, on one file system; created if missing. */
export function diskStagingArea(
  dataDir: string,
  { openStaged = open, owner = processIdentity(process.pid) ?? String(process.pid) }: StagingOptions,
): DiskStagingArea {
  const staging = path.join(dataDir, 'staging')
  mkdirSync(staging, { recursive: true })
  const partial = diskPartialFiles(path.join(dataDir, 'uploads'), openStaged)
  const inbox = diskInboxFiles(dataDir)
  const aside = (ending: 'part' | 'note') => path.join(staging, `${owner}.${randomUUID()}.${ending}`)
  return {
    staging,
    owner,
    aside,
    stage: () => diskStagedFile(aside('part'), openStaged),
    partial,
    async stagePartial(id) {
      const file = aside('part')
      await partial.copyTo(id, file)
      return standingFile(file, await partial.size(id))
    },
    inbox,
    async stageInbox(id) {
      const file = aside('part')
      await inbox.copyTo(id, file)
      return standingFile(file, (await stat(file)).size)
    },
    async freeBytes() {
      const { bavail, bsize } = await statfs(staging)
      return Math.max(0, bavail * bsize - keptFreeBytes)
    },
    async totalBytes() {
      const { blocks, bfree, bavail, bsize } = await statfs(staging)
      // Without what is reserved for root.
      return (blocks - (bfree - bavail)) * bsize
    },
  }
}
