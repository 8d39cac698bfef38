import { constants } from 'node:fs'
import { lstat, mkdir, readdir, rename, rmdir, truncate, unlink, utimes } from 'node:fs/promises'
import path from 'node:path'
import { problems } from '@fellowship/schema/problem'
import { sftpGuards } from '@fellowship/schema/sftp/sftp.limits'
import { maxUploadBytes } from '@fellowship/schema/uploads/uploads.limits'
import type { Context } from '../../context.ts'
import { keyLock } from '../../machine/key-lock.ts'
import {
  FileRefusal,
  type FileChanges,
  type OpenWish,
  type ServedFiles,
} from '../../machine/ssh/ssh-files.ts'
import { announcedSizes } from './announced-sizes.ts'
import { openDropped, type DroppedFile } from './dropped-file.ts'
import { isFinalName } from './file-names.ts'
import { jailOf } from './jail.ts'
import { reopenSent, takeFile } from './take-file.ts'
import { sentFiles } from './sent-files.ts'

/** A file that is being written. */
export interface Writer {
  /** As the client sees it. */
  readonly path: string
  readonly startedAt: number
  size(): number
}

export interface DropFolder extends ServedFiles {
  /** Files that are open for writing, oldest first. */
  writers(): Writer[]
  /** Epoch milliseconds at which one was closed last; 0 before. */
  lastClosedAt(): number
  /** Takes a file that turned out to be whole after its connection was lost. */
  takeLeft(virtual: string): Promise<void>
  /** Forgets what was sent. */
  forget(): void
}

/**
 * The folder that the upload account sees: a plain one to its clients. A file that was closed under its final name, or
 * renamed to one, is taken from it and becomes a teaching; clients find it there still.
 *
 * @param mayBegin asked before a file is opened for writing
 */
export function dropFolder(context: Context, mayBegin: () => boolean): DropFolder {
  const { storage, clock } = context
  const jail = jailOf(storage.inbox.dropFolder)
  const sent = sentFiles()
  const writers = new Map<string, Set<DroppedFile>>()
  const announced = announcedSizes(storage)
  const alone = keyLock()
  let lastClosedAt = 0

  const isBeingWritten = (virtual: string) => (writers.get(virtual)?.size ?? 0) > 0
  const assertFree = (virtual: string) => {
    if (isBeingWritten(virtual)) throw new FileRefusal('failure', 'This file is still being written.')
  }
  const take = async (virtual: string): Promise<void> => {
    const file = await jail.resolve(virtual)
    const taken = await takeFile(context, virtual, file, announced.get(virtual))
    if (taken) {
      announced.delete(virtual)
      sent.add(virtual, taken)
    }
  }

  async function assertMayWrite(wish: OpenWish): Promise<void> {
    if (!mayBegin())
      throw new FileRefusal(
        'permission-denied',
        'The upload window has closed. Send the file again when it is open.',
      )
    if ((wish.announcedSize ?? 0) > maxUploadBytes)
      throw new FileRefusal('failure', problems.too_large.sentence)
    if ((await storage.freeBytes()) < maxUploadBytes + sftpGuards.reservedBytes) {
      throw new FileRefusal('failure', problems.disk_full.sentence)
    }
  }

  async function openForWriting(virtual: string, wish: OpenWish) {
    await assertMayWrite(wish)
    const before = sent.get(virtual)
    if (before && wish.exclusive) throw new FileRefusal('failure', 'There is a file of this name already.')
    if (before && !wish.truncate) await reopenSent(context, before, await jail.resolve(virtual))
    const handle = await jail.open(virtual, writeFlags(wish))
    sent.remove(virtual)
    if (wish.truncate) announced.delete(virtual)
    if (wish.announcedSize) announced.set(virtual, wish.announcedSize)
    const opened: DroppedFile = await openDropped(handle, {
      now: () => clock.now().getTime(),
      onClose: (clean) =>
        alone(virtual, async () => {
          const those = writers.get(virtual)
          those?.delete(opened)
          if (those?.size) return
          writers.delete(virtual)
          lastClosedAt = clock.now().getTime()
          if (opened.isTooLarge()) return unlink(await jail.resolve(virtual))
          if (clean && opened.size() > 0 && isFinalName(path.posix.basename(virtual))) await take(virtual)
        }),
    })
    writers.set(virtual, (writers.get(virtual) ?? new Set()).add(opened))
    return opened
  }

  const served: ServedFiles = {
    facts: async (virtual) => {
      try {
        return await jail.facts(virtual)
      } catch (error) {
        const file = sent.get(virtual)
        if (file && isAbsent(error)) return file.facts
        throw error
      }
    },
    async list(virtual) {
      const folder = await jail.resolve(virtual)
      const entries = await readdir(folder, { withFileTypes: true })
      const plain = entries.filter((entry) => entry.isFile() || entry.isDirectory()).map(({ name }) => name)
      const found = await Promise.all(
        plain.map(async (name) => {
          const facts = await jail.facts(path.posix.join(virtual, name)).catch(() => undefined)
          return facts ? [{ name, facts }] : []
        }),
      )
      const here = new Set(plain)
      return [...found.flat(), ...sent.in(virtual).filter(({ name }) => !here.has(name))]
    },
    async open(virtual, wish) {
      if (wish.write) return alone(virtual, () => openForWriting(virtual, wish))
      const file = sent.get(virtual)
      const handle = await jail.open(virtual, constants.O_RDONLY).catch(async (error: unknown) => {
        const kept = file && isAbsent(error) ? await file.open() : undefined
        if (kept) return kept
        throw error
      })
      return openDropped(handle, { now: () => clock.now().getTime(), onClose: async () => undefined })
    },
    async makeFolder(virtual) {
      await mkdir(await jail.resolve(virtual), { mode: 0o750 })
    },
    async removeFolder(virtual) {
      if (virtual === '/') throw new FileRefusal('permission-denied', 'This folder stays.')
      await rmdir(await jail.resolve(virtual))
    },
    async remove(virtual) {
      assertFree(virtual)
      await alone(virtual, async () => {
        const wasSent = sent.remove(virtual)
        announced.delete(virtual)
        const file = await jail.resolve(virtual)
        if ((await lstat(file).catch(() => undefined))?.isDirectory()) {
          throw new FileRefusal('failure', 'This is a folder.')
        }
        await unlink(file).catch((error: unknown) => {
          // What was sent is the library's, or the Inbox's: only its name here goes.
          if (!(wasSent && isAbsent(error))) throw error
        })
      })
    },
    async rename(from, to, { overwrite }) {
      assertFree(from)
      assertFree(to)
      await alone(from, async () => {
        const [source, target] = await Promise.all([jail.resolve(from), jail.resolve(to)])
        const before = sent.get(from)
        if (before && !(await exists(source))) await renameSent(from, to, before, source)
        else {
          if (!overwrite && (await exists(target))) {
            throw new FileRefusal('failure', 'There is a file or folder of this name already.')
          }
          await rename(source, target)
          sent.remove(to)
        }
        const size = announced.get(from)
        announced.delete(from)
        if (size !== undefined) announced.set(to, size)
        const facts = await jail.facts(to).catch(() => undefined)
        if (facts && !facts.isFolder && facts.size > 0 && isFinalName(path.posix.basename(to))) await take(to)
      })
    },
    change: (virtual, changes) =>
      alone(virtual, async () => {
        const file = await jail.resolve(virtual)
        const before = sent.get(virtual)
        if (before && !(await exists(file))) {
          const { size = before.facts.size, modifiedAt = before.facts.modifiedAt } = changes
          if (size === before.facts.size) {
            // Its bytes are the library's now; of its date clients only want to see what they set.
            sent.add(virtual, { ...before, facts: { ...before.facts, modifiedAt } })
            return
          }
          await reopenSent(context, before, file)
          sent.remove(virtual)
        }
        await changeFile(file, changes)
      }),
  }

  /** One that waits in the Inbox can still be given the right name by its sender. */
  async function renameSent(
    from: string,
    to: string,
    file: NonNullable<ReturnType<typeof sent.get>>,
    source: string,
  ) {
    sent.remove(from)
    if (file.inboxId !== undefined) {
      const isBack = await reopenSent(context, file, source).then(
        () => true,
        () => false,
      )
      if (isBack) return rename(source, await jail.resolve(to))
    }
    sent.add(to, file)
  }

  return {
    ...served,
    writers: () =>
      [...writers]
        .flatMap(([virtual, files]) =>
          [...files].map((file) => ({ path: virtual, startedAt: file.openedAt, size: () => file.size() })),
        )
        .sort((a, b) => a.startedAt - b.startedAt),
    lastClosedAt: () => lastClosedAt,
    takeLeft: (virtual) => alone(virtual, async () => (isBeingWritten(virtual) ? undefined : take(virtual))),
    forget: () => sent.clear(),
  }
}

/** APPEND is no part of it: clients say where each piece goes. */
function writeFlags({ read, create, truncate: cut, exclusive }: OpenWish): number {
  return (
    (read ? constants.O_RDWR : constants.O_WRONLY) |
    (create ? constants.O_CREAT : 0) |
    (cut ? constants.O_TRUNC : 0) |
    (exclusive ? constants.O_EXCL : 0)
  )
}

async function changeFile(file: string, { size, modifiedAt }: FileChanges): Promise<void> {
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

const isAbsent = (error: unknown) => (error as NodeJS.ErrnoException | null)?.code === 'ENOENT'
