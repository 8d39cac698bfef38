import { mkdir, readdir, rmdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import { keyLock, type KeyLock } from '../../machine/key-lock.ts'
import { FileRefusal, type FileFacts, type ServedFiles } from '../../machine/ssh/ssh-files.ts'
import { announcedSizes } from './announced-sizes.ts'
import { changeFile, removeFile, renameFile } from './drop-changes.ts'
import { openForReading, openForWriting } from './drop-open.ts'
import {
  assertNotBeingWritten,
  assertRoomForEntry,
  importFile,
  isAbsent,
  type DropState,
} from './drop-state.ts'
import { jailOf } from './jail.ts'
import { openWriters, type Writer } from './open-writers.ts'
import { sentFiles } from './sent-files.ts'

export interface DropFolder extends ServedFiles {
  /** Files that are open for writing, oldest first. */
  writers(): Writer[]
  /** Epoch milliseconds at which one was closed last; 0 before. */
  lastClosedAt(): number
  /** Imports a file that is whole though its connection was lost before it was closed. */
  importUnclosed(virtual: string): Promise<void>
  /** Forgets which files were imported: clients no longer see them. */
  forget(): void
  /** Resolves when what the clients began has ended, such as an import; call it when they have gone. */
  settled(): Promise<void>
}

/**
 * The folder that the upload account sees. A file that is closed under its final name, or renamed to one, is imported
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
    importUnclosed: (virtual) =>
      withPathLock(virtual, async () => (writers.has(virtual) ? undefined : importFile(state, virtual))),
    forget: sent.clear,
    async settled() {
      // Files are closed a moment after the connections that had them open.
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
