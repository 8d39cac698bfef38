import path from 'node:path'
import { mkdir, readdir, rmdir, lstat, rename, truncate, unlink, utimes } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { problems } from '@fellowship/schema/problem'
import { maxUploadBytes } from '@fellowship/schema/uploads/uploads.limits'
import type { Context } from '../../context.ts'
import { keyLock, type KeyLock } from '../../machine/concurrency.ts'
import {
  FileRefusal,
  type FileFacts,
  type ServedFiles,
  type FileChanges,
} from '../../machine/ssh/ssh-files.ts'
import {
  announcedSizes,
  assertNotBeingWritten,
  assertRoomForEntry,
  importFile,
  isAbsent,
  type DropState,
  hasFinalName,
} from './drop-state.ts'
import { openForReading, openForWriting } from './drop-open.ts'
import { jailOf } from './drop-paths.ts'
import { openWriters, type Writer } from './dropped-file.ts'
import { sentFiles, type SentFile, reopenSent } from './import-file.ts'

export interface DropFolder extends ServedFiles {
  /** Files that are open for writing, oldest first. */
  writers(): Writer[]
  /** Epoch milliseconds of the last close; 0 before. */
  lastClosedAt(): number
  /** Imports a file that its sender has left, whether or not it was closed, and however much of it has arrived. */
  importLeft(virtual: string): Promise<void>
  /** Forgets imported files: clients no longer see them. */
  forget(): void
  /** Resolves when the operations of clients, such as an import, have ended. Call it when the clients have gone. */
  settled(): Promise<void>
}

/**
 * The folder that the upload account sees. When a file is closed under its final name, or renamed to one, it is imported
 * and becomes a teaching; clients still find it at its path.
 *
 * @param mayWrite whether files may be opened for writing now
 */
export function dropFolder(context: Context, mayWrite: () => boolean): DropFolder {
  const { storage } = context
  const writers = openWriters()
  const sent = sentFiles()
  const lock = keyLock()
  const running = new Set<Promise<unknown>>()
  const withPathLock: KeyLock = (virtual, work) => {
    const result = lock(virtual, work)
    running.add(result)
    const end = () => running.delete(result)
    result.then(end, end)
    return result
  }
  const state: DropState = {
    context,
    jail: jailOf(storage.inbox.dropFolder),
    writers,
    sent,
    announced: announcedSizes(storage),
    withPathLock,
  }
  const { jail } = state
  return {
    facts: (virtual) => factsOf(state, virtual),
    list: (virtual) => listFolder(state, virtual),
    open: (virtual, wish) =>
      wish.write ? openForWriting(state, mayWrite, virtual, wish) : openForReading(state, virtual),
    async makeFolder(virtual) {
      await assertRoomForEntry(state)
      await mkdir(await jail.resolve(virtual), { mode: 0o750 })
    },
    async removeFolder(virtual) {
      if (virtual === '/') throw new FileRefusal('permission-denied', 'This folder stays.')
      assertNotBeingWritten(state, virtual)
      await rmdir(await jail.resolve(virtual))
    },
    remove: (virtual) => removeFile(state, virtual),
    rename: (from, to, { overwrite }) => renameFile(state, from, to, overwrite),
    change: (virtual, changes) => changeFile(state, virtual, changes),
    writers: writers.list,
    lastClosedAt: writers.lastClosedAt,
    importLeft: (virtual) =>
      withPathLock(virtual, async () =>
        writers.has(virtual) ? undefined : importFile(state, virtual, { isLeft: true }),
      ),
    forget: sent.clear,
    async settled() {
      // Files are closed a moment after their connections.
      const until = Date.now() + closingMs
      while (running.size > 0 || (writers.list().length > 0 && Date.now() < until))
        await (running.size > 0 ? Promise.allSettled(running) : delay(20))
    },
  }
}

const closingMs = 3_000

async function factsOf({ jail, sent }: DropState, virtual: string): Promise<FileFacts> {
  try {
    return await jail.facts(virtual)
  } catch (error) {
    const file = sent.get(virtual)
    if (file && isAbsent(error)) return file.facts
    throw error
  }
}

/** The files and folders on disk, and the imported files that clients expect to find. */
async function listFolder({ jail, sent }: DropState, virtual: string) {
  const entries = await readdir(await jail.resolve(virtual), { withFileTypes: true })
  const names = entries.filter((entry) => entry.isFile() || entry.isDirectory()).map(({ name }) => name)
  const found = await Promise.all(
    names.map(async (name) => {
      const facts = await jail.facts(path.posix.join(virtual, name)).catch(() => undefined)
      return facts ? [{ name, facts }] : []
    }),
  )
  const onDisk = new Set(names)
  return [...found.flat(), ...sent.in(virtual).filter(({ name }) => !onDisk.has(name))]
}

/** Removes a file. If it was imported, only its path for clients is removed, never the recording. */
async function removeFile(state: DropState, virtual: string): Promise<void> {
  const { jail, sent, announced, withPathLock } = state
  await withPathLock(virtual, async () => {
    assertNotBeingWritten(state, virtual)
    const wasSent = sent.remove(virtual)
    announced.delete(virtual)
    const file = await jail.resolve(virtual)
    if ((await lstat(file).catch(() => undefined))?.isDirectory()) {
      throw new FileRefusal('failure', 'This is a folder.')
    }
    await unlink(file).catch((error: unknown) => {
      if (!(wasSent && isAbsent(error))) throw error
    })
  })
}

/** Renames a file or folder. If a file gets a final name, it is imported. */
async function renameFile(state: DropState, from: string, to: string, overwrite: boolean): Promise<void> {
  const { jail, sent, announced } = state
  await withBothLocks(state, from, to, async () => {
    const [source, target] = await Promise.all([jail.resolve(from), jail.resolve(to)])
    const before = sent.get(from)
    const isOnDisk = !before || (await exists(source))
    const isTaken = !overwrite && (await exists(target))
    // Asserted last: a file in a folder is opened under its own lock, not under that of the folder.
    assertNotBeingWritten(state, from)
    assertNotBeingWritten(state, to)
    if (isTaken) throw new FileRefusal('failure', 'There is a file or folder of this name already.')
    if (!isOnDisk) await renameSent(state, from, to, before)
    else {
      await rename(source, target)
      sent.remove(to)
    }
    const size = announced.get(from)
    announced.delete(from)
    if (size !== undefined) announced.set(to, size)
    const facts = await jail.facts(to).catch(() => undefined)
    if (facts && !facts.isFolder && facts.size > 0 && hasFinalName(to)) {
      // A rename is the sender's word that the file is complete.
      await importFile(state, to, { isLeft: true })
    }
  })
}

/** Takes both locks in one order, so that two renames never wait for each other. */
function withBothLocks<T>(
  { withPathLock }: DropState,
  from: string,
  to: string,
  work: () => Promise<T>,
): Promise<T> {
  if (from === to) return withPathLock(from, work)
  const [first, second] = [from, to].sort() as [string, string]
  return withPathLock(first, () => withPathLock(second, work))
}

/** Changes the size or date of a file. */
function changeFile(state: DropState, virtual: string, changes: FileChanges): Promise<void> {
  const { context, jail, sent, withPathLock } = state
  return withPathLock(virtual, async () => {
    const file = await jail.resolve(virtual)
    const before = sent.get(virtual)
    if (before && !(await exists(file))) {
      const { size = before.facts.size, modifiedAt = before.facts.modifiedAt } = changes
      if (size === before.facts.size) {
        // An imported file has no date of its own: clients only read back the date that they set.
        sent.add(virtual, { ...before, facts: { ...before.facts, modifiedAt } })
        return
      }
      await reopenSent(context, before, file)
      sent.remove(virtual)
    }
    await changeOnDisk(file, changes)
  })
}

/** Moves a recording of the Inbox back to disk, so that its new name is parsed. Other files only change their path. */
async function renameSent(
  { context, jail, sent }: DropState,
  from: string,
  to: string,
  file: SentFile,
): Promise<void> {
  sent.remove(from)
  if (file.inboxId !== undefined) {
    const source = await jail.resolve(from)
    const isBack = await reopenSent(context, file, source).then(
      () => true,
      () => false,
    )
    if (isBack) return rename(source, await jail.resolve(to))
  }
  sent.add(to, file)
}

async function changeOnDisk(file: string, { size, modifiedAt }: FileChanges): Promise<void> {
  if (size !== undefined) {
    if (size > maxUploadBytes) throw new FileRefusal('failure', problems.too_large.sentence)
    await truncate(file, size)
  }
  if (modifiedAt !== undefined) await utimes(file, modifiedAt, modifiedAt)
}

const exists = (file: string) =>
  lstat(file).then(
    () => true,
    () => false,
  )
