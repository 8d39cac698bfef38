import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { open, readdir, readFile, rename, rm, stat, statfs, unlink } from 'node:fs/promises'
import path from 'node:path'
import { keptFreeBytes } from './disk-reserve.ts'
import { diskInboxFiles } from './inbox-files.ts'
import { isRunning, processIdentity } from '../process/process-identity.ts'
import { diskPartialFiles } from './partial-files.ts'
import { haveSameBytes } from './same-bytes.ts'
import { diskStagedFile, standingFile } from './staged-file.ts'
import { syncPath } from './sync-path.ts'
import {
  checkedName,
  type LeftoverJudge,
  type Settlement,
  type StagedFile,
  type Storage,
  type StoredFile,
  type StoredKind,
} from './storage.ts'

const kinds: readonly StoredKind[] = ['audio', 'images']

/**
 * Files under one folder, on one file system: `staging`, `uploads`, `audio`, `images`, `inbox`, `sftp-staging`. Missing
 * folders are created.
 *
 * @param options.owner names this process: part of the names of its staged files
 */
export function diskStorage(
  dataDir: string,
  { openStaged = open, owner = processIdentity(process.pid) ?? String(process.pid) } = {},
): Storage {
  const staging = path.join(dataDir, 'staging')
  for (const folder of ['staging', ...kinds]) mkdirSync(path.join(dataDir, folder), { recursive: true })
  const partial = diskPartialFiles(path.join(dataDir, 'uploads'), openStaged)
  const inbox = diskInboxFiles(dataDir)
  const aside = (ending: 'part' | 'note') => path.join(staging, `${owner}.${randomUUID()}.${ending}`)
  const place = (kind: StoredKind, name: string) => path.join(dataDir, kind, checkedName(name))

  async function settle(staged: StagedFile, kind: StoredKind, name: string): Promise<Settlement> {
    await staged.finish()
    const target = place(kind, name)
    if (await statFile(target)) return settleOnStanding(staged, target)
    const note = aside('note')
    await writeNote(note, `${kind}/${name}`)
    await syncPath(staging)
    await rename(staged.path, target)
    await syncPath(path.dirname(target))
    return {
      before: 'nothing',
      keep: () => rm(note, { force: true }),
      async undo() {
        await rm(target, { force: true })
        await rm(note, { force: true })
      },
    }
  }

  return {
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
    settle,
    stat: async (kind, name) => statFile(place(kind, name)),
    open: async (kind, name) => absentAsUndefined(open(place(kind, name), 'r')),
    async remove(kind, name) {
      const file = place(kind, name)
      const removed = await absentAsUndefined(unlink(file).then(() => true))
      if (removed) await syncPath(path.dirname(file))
      return removed ?? false
    },
    async *list(kind) {
      for (const name of await readdir(path.join(dataDir, kind))) {
        const file = await statFile(path.join(dataDir, kind, name))
        if (file) yield file
      }
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
    async clearLeftovers(judge) {
      let removed = 0
      for (const [other, names] of byOwner(await readdir(staging))) {
        if (other === owner || isRunning(other.split('_', 1)[0]!) || (await judge.isAlive(other))) continue
        for (const name of names) {
          const file = path.join(staging, name)
          removed += name.endsWith('.note') ? await clearSettled(await readNote(file), judge) : 1
          await rm(file, { force: true })
        }
      }
      return removed
    },
  }

  async function clearSettled(
    settled: { kind: StoredKind; name: string } | undefined,
    judge: LeftoverJudge,
  ): Promise<number> {
    if (!settled) return 0
    const { kind, name } = settled
    const remove = async () => (await absentAsUndefined(unlink(place(kind, name)).then(() => true))) ?? false
    return (await judge.removeUnreferenced(kind, name, remove)) ? 1 : 0
  }
}

/** Names of staged files by the process that made them. */
function byOwner(names: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const name of names) {
    const owner = name.split('.', 1)[0]!
    found.set(owner, [...(found.get(owner) ?? []), name])
  }
  return found
}

/**
 * Files are named after their content: an equal one stays, with its open handles and date, and a different one was damaged
 * since it was stored. A damaged one is replaced for good, whatever becomes of this upload.
 */
async function settleOnStanding(staged: StagedFile, target: string): Promise<Settlement> {
  const settled = { keep: async () => undefined, undo: async () => undefined }
  if (await haveSameBytes(staged.path, target)) {
    await staged.discard()
    return { ...settled, before: 'equal' }
  }
  await rename(staged.path, target)
  await syncPath(path.dirname(target))
  return { ...settled, before: 'damaged' }
}

async function writeNote(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** A truncated note was written before its rename: nothing was settled. */
async function readNote(file: string): Promise<{ kind: StoredKind; name: string } | undefined> {
  const [kind, name] = (await readFile(file, 'utf8')).split('/')
  const known = kinds.find((candidate) => candidate === kind)
  return known && name ? { kind: known, name } : undefined
}

async function statFile(file: string): Promise<StoredFile | undefined> {
  const found = await absentAsUndefined(stat(file))
  if (!found?.isFile()) return undefined
  const { size: bytes, mtime: modifiedAt, ctime: placedAt, ino: inode } = found
  return { name: path.basename(file), bytes, modifiedAt, placedAt, inode }
}

async function absentAsUndefined<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
