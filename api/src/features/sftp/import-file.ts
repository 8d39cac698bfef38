import path from 'node:path'
import { lstat, open, type FileHandle } from 'node:fs/promises'
import { inboxTexts } from '@fellowship/schema/inbox/inbox.texts'
import { receiveArrival, reopenArrival, type Arrival } from '../inbox/inbox.ts'
import type { Context } from '../../context.ts'
import { wholenessOf } from '../../machine/audio/audio-reader.ts'
import { FileRefusal, type FileFacts } from '../../machine/ssh/ssh-files.ts'

/**
 * Imports a file when its sender has closed it. If its header or its sender announced more bytes, it stays in place for the
 * rest.
 *
 * @param virtual its path as the client sees it
 * @param announced bytes that its sender announced
 * @returns undefined if it stays
 * @throws FileRefusal if it could not be moved into the Inbox; it stays in place
 */
export async function importDroppedFile(
  context: Context,
  virtual: string,
  file: string,
  announced: number | undefined,
): Promise<SentFile | undefined> {
  await flushToDisk(file)
  const { size, mtimeMs } = await lstat(file)
  const { wholeBytes, endsInside } = await wholenessOf(file)
  if (Math.max(announced ?? 0, wholeBytes ?? 0) > size) return undefined
  const cutOff = { code: 'cut_off', reason: inboxTexts.cutOff, fix: inboxTexts.fix.cutOff }
  let arrival: Arrival
  try {
    arrival = await receiveArrival(context, {
      filename: path.posix.basename(virtual),
      file,
      bytes: size,
      ...(endsInside && { doubt: cutOff }),
    })
  } catch (error) {
    context.log.error({ err: error }, 'a file that arrived by SFTP could not be imported')
    throw new FileRefusal(
      'failure',
      'The library cannot publish the file right now. It is stored; close it again in a moment.',
    )
  }
  const facts = { isFolder: false, size, modifiedAt: Math.floor(mtimeMs / 1000) }
  return sentAs(context, arrival, facts)
}

/**
 * Moves a recording from the Inbox back to `file`, so that its sender can resume it.
 *
 * @throws FileRefusal if it is in the library already
 */
export async function reopenSent(context: Context, { inboxId }: SentFile, file: string): Promise<void> {
  if (inboxId !== undefined && (await reopenArrival(context, inboxId, file))) return
  throw new FileRefusal(
    'permission-denied',
    'This recording is in the library already. Send another one under a new name.',
  )
}

function sentAs({ storage }: Context, arrival: Arrival, facts: SentFile['facts']): SentFile {
  if (arrival.outcome === 'inbox') {
    const { id } = arrival
    return { facts, inboxId: id, open: () => storage.inbox.open(id).catch(() => undefined) }
  }
  const name = (arrival.teaching.audioUrl ?? '').slice('/audio/'.length)
  return { facts, open: () => storage.openHandle('audio', name) }
}

/** The client receives OK for the file, which must then survive a power cut. */
async function flushToDisk(file: string): Promise<void> {
  const handle = await open(file, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** An imported file that clients still see under its original path. */
export interface SentFile {
  readonly facts: FileFacts
  /** Opens it for reading; undefined if the recording was removed. */
  open(): Promise<FileHandle | undefined>
  /** Its Inbox item, while it is not published. */
  readonly inboxId?: string
}

/**
 * Imported files by client path, while the server is open: most clients stat a file after they have closed it, and some
 * send it again if it is missing.
 */
export function sentFiles() {
  const files = new Map<string, SentFile>()
  return {
    get: (virtual: string) => files.get(virtual),
    add(virtual: string, file: SentFile) {
      files.delete(virtual)
      files.set(virtual, file)
      if (files.size > mostRemembered) files.delete(files.keys().next().value!)
    },
    remove: (virtual: string) => files.delete(virtual),
    in: (folder: string) =>
      [...files]
        .filter(([virtual]) => path.posix.dirname(virtual) === folder)
        .map(([virtual, { facts }]) => ({ name: path.posix.basename(virtual), facts })),
    clear: () => files.clear(),
  }
}

export type SentFiles = ReturnType<typeof sentFiles>

const mostRemembered = 500
