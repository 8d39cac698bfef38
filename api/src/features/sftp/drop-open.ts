import { constants } from 'node:fs'
import { unlink, type FileHandle } from 'node:fs/promises'
import { problems } from '@fellowship/schema/problem'
import { sftpGuards } from '@fellowship/schema/sftp/sftp.limits'
import { maxUploadBytes } from '@fellowship/schema/uploads/uploads.limits'
import { FileRefusal, type OpenWish } from '../../machine/ssh/ssh-files.ts'
import { assertRoomForEntry, hasFinalName, importFile, isAbsent, type DropState } from './drop-state.ts'
import { openDropped, type DroppedFile } from './dropped-file.ts'
import { reopenSent } from './import-file.ts'

/** Opens a file of the drop folder, or an imported file that clients still see there. */
export async function openForReading(
  { context, jail, sent }: DropState,
  virtual: string,
): Promise<DroppedFile> {
  const file = sent.get(virtual)
  const handle = await jail.open(virtual, constants.O_RDONLY).catch(async (error: unknown) => {
    const imported = file && isAbsent(error) ? await file.open() : undefined
    if (imported) return imported
    throw error
  })
  return openDropped(handle, { now: () => context.clock.now().getTime(), onClose: async () => undefined })
}

/**
 * Opens a file for writing. When its last writer closes it under a final name, it is imported. Earlier transfers of it by
 * other sessions are superseded.
 *
 * @throws FileRefusal if the window has closed, the disk is nearly full, or the file cannot be resumed
 */
export function openForWriting(
  state: DropState,
  mayWrite: () => boolean,
  virtual: string,
  wish: OpenWish,
): Promise<DroppedFile> {
  const { context, jail, sent, announced, writers, withPathLock } = state
  const now = () => context.clock.now().getTime()
  return withPathLock(virtual, async () => {
    await assertMayWrite(state, mayWrite, wish)
    if (wish.create) await assertRoomForEntry(state)
    const before = sent.get(virtual)
    if (before && wish.exclusive) throw new FileRefusal('failure', 'There is a file of this name already.')
    if (before && !wish.truncate) await reopenSent(context, before, await jail.resolve(virtual))
    const handle = await openOwned(state, virtual, wish)
    sent.remove(virtual)
    if (wish.truncate) announced.delete(virtual)
    if (wish.announcedSize) announced.set(virtual, wish.announcedSize)
    const opened: DroppedFile = await openDropped(handle, {
      now,
      onClose: (clean) =>
        withPathLock(virtual, async () => {
          if (writers.remove(virtual, opened, now())) await finishWriting(state, virtual, opened, clean)
        }),
    })
    writers.add(virtual, opened, wish.session)
    return opened
  })
}

/**
 * Truncates after opening, when the earlier transfers have stopped: if the open is refused, they must continue unchanged.
 */
async function openOwned({ jail, writers }: DropState, virtual: string, wish: OpenWish): Promise<FileHandle> {
  const handle = await jail.open(virtual, writeFlags(wish))
  try {
    await writers.supersede(virtual, wish)
    if (wish.truncate) await handle.truncate()
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function finishWriting(
  state: DropState,
  virtual: string,
  file: DroppedFile,
  clean: boolean,
): Promise<void> {
  if (file.isTooLarge()) return unlink(await state.jail.resolve(virtual))
  if (clean && file.size() > 0 && hasFinalName(virtual)) await importFile(state, virtual)
}

async function assertMayWrite(
  { context }: DropState,
  mayWrite: () => boolean,
  { announcedSize = 0 }: OpenWish,
): Promise<void> {
  if (!mayWrite())
    throw new FileRefusal(
      'permission-denied',
      'The upload window has closed. Send the file again when it is open.',
    )
  if (announcedSize > maxUploadBytes) throw new FileRefusal('failure', problems.too_large.sentence)
  if ((await context.storage.freeBytes()) < maxUploadBytes + sftpGuards.reservedBytes) {
    throw new FileRefusal('failure', problems.disk_full.sentence)
  }
}

/** APPEND is left out: SFTP clients send the offset of each write. */
function writeFlags({ read, create, exclusive }: OpenWish): number {
  return (
    (read ? constants.O_RDWR : constants.O_WRONLY) |
    (create ? constants.O_CREAT : 0) |
    (exclusive ? constants.O_EXCL : 0)
  )
}
