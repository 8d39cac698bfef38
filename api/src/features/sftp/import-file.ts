import { lstat, open } from 'node:fs/promises'
import path from 'node:path'
import { inboxTexts } from '@fellowship/schema/inbox/inbox.texts'
import type { Context } from '../../context.ts'
import { wholenessOf } from '../../machine/audio/audio-reader.ts'
import { FileRefusal } from '../../machine/ssh/ssh-files.ts'
import { receiveArrival, reopenArrival, type Arrival } from '../inbox/inbox.ts'
import type { SentFile } from './sent-files.ts'

/**
 * Imports a file that its sender closed. Where its header or its sender announce more bytes, it stays in place for the
 * rest to come.
 *
 * @param virtual its path as the client sees it
 * @param announced bytes that its sender announced
 * @returns undefined where it stays
 * @throws FileRefusal where it could not be moved into the Inbox; it stays in place
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
 * @throws FileRefusal where it is in the library already
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

/** The client is told that the file arrived, so it must survive a power cut. */
async function flushToDisk(file: string): Promise<void> {
  const handle = await open(file, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
