import { onChurch } from '@fellowship/schema/church'
import { graceMinutes } from '@fellowship/schema/sftp/sftp.limits'
import { uploadWindow } from '@fellowship/schema/sftp/upload-window'
import { publishLeftArrivals } from '../inbox/inbox.ts'
import type { Context } from '../../context.ts'
import { reserveConnection } from '../../db/connection.ts'
import { logLoss } from '../../db/log-loss.ts'
import { atMost, keyLock } from '../../machine/concurrency.ts'
import { everyMinutes, everyWeek } from '../../machine/schedule.ts'
import type { DropFolder } from './drop-folder.ts'
import { partsOf, sweepParts } from './parts.ts'
import { sessionAt, sftpSettings, type SftpSession } from './sftp.ts'
import { tryServerLock, advanceCurrentUpload, setCurrentUpload } from './sftp.sql.ts'
import { transferServer, type TransferServer } from './transfer-server.ts'

/** Opens and closes the transfer server of this process. */
export interface SftpServing {
  /** Opens or closes the server according to the settings and the time of day. */
  reconcile(): Promise<void>
  close(): Promise<void>
}

/**
 * Opens the transfer server during the upload window and during sessions started by hand, in one process of the database.
 * It reconciles at the start, every minute, at both ends of the window and after each change of the settings: after a
 * restart, or when a machine wakes up, no recovery is needed.
 */
export async function startSftp(context: Context): Promise<SftpServing> {
  const { node } = context
  const logFailure = (error: unknown) => logLoss(context, error, 'SFTP failed', 'error')
  const server = transferServer(context, logFailure)
  const recordUpload = uploadRecorder(context, server.folder)
  const serialize = keyLock()
  let isOver = false
  /** Another process serves and may be killed without a notice; or the last attempt failed. */
  let looksAgain = false

  const reconcile = () =>
    serialize('server', async () => {
      if (isOver) return
      looksAgain = true
      looksAgain = await reconcileServer(context, server, recordUpload)
    })
  const wake = () => void reconcile().catch(logFailure)
  const stopListening = await node.listen('sftp', wake)
  const minutes = everyMinutes(1, wake)
  const atEnds = () => {
    const window = uploadWindow()
    return [window.start, window.end].map((time) => everyWeek({ ...window, time }, wake))
  }
  let ends = atEnds()
  const stopFollowing = onChurch(() => {
    for (const wakeup of ends) wakeup.cancel()
    ends = atEnds()
    wake()
  })
  const ticks = setInterval(() => {
    if (!server.session()) return
    // When the last file has finished, the server closes at once, not at the next full minute.
    if (!server.isAccepting()) wake()
    else void recordUpload().catch(logFailure)
  }, 2_000)
  const looks = setInterval(() => looksAgain && wake(), 15_000)
  await reconcile().catch(logFailure)
  return {
    reconcile,
    async close() {
      isOver = true
      clearInterval(ticks)
      clearInterval(looks)
      stopFollowing()
      for (const wakeup of [minutes, ...ends]) wakeup.cancel()
      await atMost(unlistenMs, stopListening()).catch(logFailure)
      await serialize('server', server.close)
    },
  }
}

/** @returns whether it should be open but is not open here */
async function reconcileServer(
  context: Context,
  server: TransferServer,
  recordUpload: () => Promise<void>,
): Promise<boolean> {
  const { clock, log } = context
  const now = clock.now()
  await server.bans.refresh()
  const wanted = sessionAt(now, await sftpSettings(context))
  if (server.session() && !(await server.holdsLock())) {
    log.warn('the SFTP server closes: its database connection was lost')
    await server.close()
  }
  server.setAccepting(wanted !== undefined)
  const current = server.session()
  if (wanted && current) server.extend(wanted)
  else if (wanted) await server.open(wanted)
  else if (current && !mayFinish(now, current, server.folder)) await server.close()
  if (server.session()) {
    await recordUpload()
    await publishLeftArrivals(context)
    await sweepParts(context, server.folder)
    return false
  }
  if (!wanted) await sweepWhileClosed(context, server.folder)
  return wanted !== undefined
}

/** Whether the server may stay open after its session: a file may still be arriving, or be renamed after it was closed. */
function mayFinish(now: Date, { until }: SftpSession, folder: DropFolder): boolean {
  // An administrator closed the server before its time.
  if (until > now) return false
  const isBusy =
    folder.writers().length > 0 || now.getTime() - folder.lastClosedAt() < timeToRenameSeconds * 1000
  return isBusy && now.getTime() < until.getTime() + graceMinutes * 60_000
}

/** Imports a file that arrived whole at the last moment without being closed: it must not wait for the next session. */
async function sweepWhileClosed(context: Context, folder: DropFolder): Promise<void> {
  if ((await partsOf(context)).parts.length === 0) return
  const lock = await reserveConnection(context.sql)
  try {
    // If another process holds the lock, the server is open there and sweeps by itself.
    if (await tryServerLock(lock.sql)) await sweepParts(context, folder)
  } finally {
    folder.forget()
    await lock.release()
  }
}

const timeToRenameSeconds = 10
const unlistenMs = 2_000

/** Records the arriving file. If an administrator clears the record, it stays cleared until the next file. */
function uploadRecorder({ sql }: Context, folder: DropFolder): () => Promise<void> {
  let recorded: number | undefined
  return async () => {
    const [writer] = folder.writers()
    if (!writer) {
      if (recorded !== undefined) await setCurrentUpload(sql, null)
      recorded = undefined
      return
    }
    const upload = {
      filename: writer.path.split('/').at(-1)!,
      size: writer.size(),
      startTime: writer.startedAt,
    }
    if (recorded === writer.startedAt) await advanceCurrentUpload(sql, upload)
    else await setCurrentUpload(sql, upload)
    recorded = writer.startedAt
  }
}
