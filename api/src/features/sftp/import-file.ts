import path from 'node:path'
import { lstat, open, unlink, type FileHandle } from 'node:fs/promises'
import { inboxTexts } from '@fellowship/schema/inbox/inbox.texts'
import { Problem } from '@fellowship/schema/problem'
import { isCaptionName } from '@fellowship/schema/transcripts/caption-names'
import { transcriptTexts } from '@fellowship/schema/transcripts/transcripts.texts'
import type { Wholeness } from '@fellowship/sound/read/probe'
import { receiveArrival, reopenArrival, type Arrival, type Doubt } from '../inbox/inbox.ts'
import type { Context } from '../../context.ts'
import { wholenessOf } from '../../machine/audio/audio-reader.ts'
import { FileRefusal, type FileFacts } from '../../machine/ssh/ssh-files.ts'
import { takeCaption } from '../transcripts/transcripts.ts'
import { withoutTemporaryEnd } from './drop-paths.ts'

/** A file in the drop folder that is to be imported. */
interface DroppedRecording {
  /** Its path as the client sees it. */
  readonly virtual: string
  readonly file: string
  /** Bytes that its sender announced. */
  readonly announced: number | undefined
  /** Set when its sender has renamed it or sent no byte for two minutes. It is then imported even if it is incomplete. */
  readonly isLeft: boolean
}

/**
 * Imports a file that its sender has closed or left. If its rest may still come, a closed one stays in place: a client that
 * aborts closes its file as if it were complete.
 *
 * @returns undefined if it stays
 * @throws FileRefusal if it could not be moved into the Inbox; it stays in place
 */
export async function importDroppedFile(
  context: Context,
  { virtual, file, announced = 0, isLeft }: DroppedRecording,
): Promise<SentFile | undefined> {
  await flushToDisk(file)
  const { size, mtimeMs } = await lstat(file)
  if (isCaptionName(withoutTemporaryEnd(virtual))) {
    if (!isLeft && announced > size) return undefined
    return importCaption(context, { virtual, file, bytes: size, modifiedAt: mtimeMs })
  }
  const { state, percent } = await wholenessOf(file)
  if (!isLeft && (announced > size || state !== 'whole')) return undefined
  let arrival: Arrival
  try {
    arrival = await receiveArrival(context, {
      filename: withoutTemporaryEnd(path.posix.basename(virtual)),
      file,
      bytes: size,
      doubt: doubtOf(announced > size ? Math.floor((size / announced) * 100) : undefined, { state, percent }),
    })
  } catch (error) {
    throw notNow(context, error)
  }
  const facts = { isFolder: false, size, modifiedAt: Math.floor(mtimeMs / 1000) }
  return sentAs(context, arrival, facts)
}

/**
 * The text of a recording. One that cannot be read waits in the Inbox with the reason, where its sender's mistake is seen.
 *
 * @throws FileRefusal if the library cannot take it now; it stays in place
 */
async function importCaption(
  context: Context,
  { virtual, file, bytes, modifiedAt }: { virtual: string; file: string; bytes: number; modifiedAt: number },
): Promise<SentFile> {
  const filename = withoutTemporaryEnd(path.posix.basename(virtual))
  const facts = { isFolder: false, size: bytes, modifiedAt: Math.floor(modifiedAt / 1000) }
  try {
    await takeCaption(context, filename, file)
    await unlink(file)
    return { facts, open: async () => undefined }
  } catch (error) {
    if (!(error instanceof Problem)) throw notNow(context, error)
    const doubt = { code: 'unsupported_audio', reason: error.message, fix: transcriptTexts.fix }
    const held = receiveArrival(context, { filename, file, bytes, doubt })
    return sentAs(
      context,
      await held.catch((reason: unknown) => {
        throw notNow(context, reason)
      }),
      facts,
    )
  }
}

function notNow({ log }: Context, error: unknown): FileRefusal {
  log.error({ err: error }, 'a file that arrived by SFTP could not be imported')
  return new FileRefusal(
    'failure',
    'The library cannot publish the file right now. It is stored; close it again in a moment.',
  )
}

/** A reason not to publish a recording that was left. If its structure gives its length, receiving it gives the reason. */
function doubtOf(announcedPercent: number | undefined, { state, percent }: Wholeness): Doubt | undefined {
  if (announcedPercent === undefined && (state !== 'cut off' || percent !== undefined)) return undefined
  const reason =
    announcedPercent === undefined ? inboxTexts.cutOff : inboxTexts.neverFinished(announcedPercent)
  return { code: 'cut_off', reason, fix: inboxTexts.fix.cutOff }
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
