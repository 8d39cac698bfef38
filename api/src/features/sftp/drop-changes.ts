import { lstat, rename, truncate, unlink, utimes } from 'node:fs/promises'
import { problems } from '@fellowship/schema/problem'
import { maxUploadBytes } from '@fellowship/schema/uploads/uploads.limits'
import { FileRefusal, type FileChanges } from '../../machine/ssh/ssh-files.ts'
import { assertNotBeingWritten, hasFinalName, importFile, isAbsent, type DropState } from './drop-state.ts'
import { reopenSent } from './import-file.ts'
import type { SentFile } from './sent-files.ts'

/** Removes a file; of an imported one only the path that clients see goes, never the recording. */
export async function removeFile(state: DropState, virtual: string): Promise<void> {
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

/** Renames a file or folder; a file that gets a final name is imported. */
export async function renameFile(
  state: DropState,
  from: string,
  to: string,
  overwrite: boolean,
): Promise<void> {
  const { jail, sent, announced } = state
  await withBothLocks(state, from, to, async () => {
    const [source, target] = await Promise.all([jail.resolve(from), jail.resolve(to)])
    const before = sent.get(from)
    const isOnDisk = !before || (await exists(source))
    const isTaken = !overwrite && (await exists(target))
    // Asked last: a file in a folder is opened under its own lock, not under the lock of the folder.
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
    if (facts && !facts.isFolder && facts.size > 0 && hasFinalName(to)) await importFile(state, to)
  })
}

/** Both locks in one order, so that two renames never wait for each other. */
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
export function changeFile(state: DropState, virtual: string, changes: FileChanges): Promise<void> {
  const { context, jail, sent, withPathLock } = state
  return withPathLock(virtual, async () => {
    const file = await jail.resolve(virtual)
    const before = sent.get(virtual)
    if (before && !(await exists(file))) {
      const { size = before.facts.size, modifiedAt = before.facts.modifiedAt } = changes
      if (size === before.facts.size) {
        // An imported file has no date of its own; clients only want to read back the one they set.
        sent.add(virtual, { ...before, facts: { ...before.facts, modifiedAt } })
        return
      }
      await reopenSent(context, before, file)
      sent.remove(virtual)
    }
    await changeOnDisk(file, changes)
  })
}

/** A recording that waits in the Inbox goes back to disk, so that the new name is parsed; others only change their path. */
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
