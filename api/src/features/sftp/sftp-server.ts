import { sftpAccount, sftpGuards, uploadWindow } from '@fellowship/schema/sftp/sftp.limits'
import { sftpTexts } from '@fellowship/schema/sftp/sftp.texts'
import type { Context } from '../../context.ts'
import { keepConnection, type KeptConnection } from '../../db/connection.ts'
import { keyLock } from '../../machine/key-lock.ts'
import { everyMinutes, everyWeek } from '../../machine/schedule.ts'
import { isAuthorized } from '../../machine/ssh/ssh-authorized-keys.ts'
import { loadHostKey } from '../../machine/ssh/ssh-host-key.ts'
import { startSshServer, type SshServer } from '../../machine/ssh/ssh.ts'
import { banList } from './bans.ts'
import { dropFolder, type DropFolder } from './drop-folder.ts'
import { partsOf, sweepParts } from './parts.ts'
import {
  authorizedKeysFile,
  sessionAt,
  settingsChannel,
  sftpPassword,
  sftpSettings,
  type SftpSession,
} from './sftp.ts'
import { advanceCurrentUpload, setCurrentUpload, tryServerLock, updateSettings } from './sftp.sql.ts'
import { publishLeftArrivals } from '../inbox/inbox.ts'

/** The part of this process that opens and closes the transfer server. */
export interface SftpServing {
  /** Makes what is so what should be so at this time. */
  reconcile(): Promise<void>
  close(): Promise<void>
}

interface Open {
  ssh: SshServer
  /** The connection that holds the lock. */
  lock: KeptConnection
  /** Why it is open; kept when its time is over. */
  session: SftpSession
}

/**
 * Watches over the transfer server: open while the window or a session by hand lasts, in one process of all that share the
 * database. What is so is compared with what should be so at the start, every minute, at the edges of the window and when
 * something was set, so a restart or a sleeping machine changes nothing.
 */
export async function startSftp(context: Context): Promise<SftpServing> {
  const { sql, clock, config, log } = context
  const bans = banList(context)
  const alone = keyLock()
  let open: Open | undefined
  let letsIn = false
  let isOver = false
  const folder = dropFolder(context, () => letsIn)
  const recordUpload = uploadRecorder(context, folder)

  const reconcile = () =>
    alone('server', async () => {
      if (isOver) return
      const now = clock.now()
      await bans.refresh()
      const session = sessionAt(now, await sftpSettings(context))
      if (open && !(await open.lock.isThere())) {
        log.warn('the SFTP server closes: its database connection was lost')
        await closeServer()
      }
      letsIn = session !== undefined
      if (session && open) open.session = session
      else if (session) await openServer(session)
      else if (open && !mayFinish(now, open.session)) await closeServer()
      if (!open) return session ? undefined : sweepClosed()
      await recordUpload()
      await publishLeftArrivals(context)
      await sweepParts(context, folder)
    })

  /** A file that is on its way when the time is over may arrive; one that was closed may still be renamed. */
  function mayFinish(now: Date, { until }: SftpSession): boolean {
    // Closed by hand before its time: at once.
    if (until > now) return false
    const isBusy =
      folder.writers().length > 0 || now.getTime() - folder.lastClosedAt() < timeToRenameSeconds * 1000
    return isBusy && now.getTime() < until.getTime() + uploadWindow.graceMinutes * 60_000
  }

  async function openServer(session: SftpSession): Promise<void> {
    const lock = await keepConnection(sql)
    try {
      if (!(await tryServerLock(lock.sql))) return await lock.giveBack()
      const ssh = await startSshServer({
        ...config.sftp,
        hostKey: (await loadHostKey(config.dataDir)).privateKey,
        username: sftpAccount.username,
        password: () => sftpPassword(context),
        isAuthorized: (key) => isAuthorized(authorizedKeysFile(config.dataDir), key),
        isBanned: bans.isBanned,
        onWrongTry: (address) => void bans.noteWrongTry(address).catch(fault),
        mayEnter: () => letsIn,
        onFault: fault,
        files: folder,
        limits: sftpGuards,
      })
      open = { ssh, lock, session }
      // What a process that was killed had noted is not on its way any more.
      await setCurrentUpload(sql, null)
      await updateSettings(sql, { port: ssh.port, failure: null })
      log.info({ port: ssh.port, until: session.until }, 'the SFTP server is open')
    } catch (error) {
      letsIn = false
      await lock.giveBack().catch(fault)
      const { code, message } = error as NodeJS.ErrnoException
      const failure =
        code === 'EADDRINUSE'
          ? sftpTexts.portTaken(config.sftp.port)
          : sftpTexts.cannotListen(code ?? message)
      log.error({ err: error }, 'the SFTP server could not be opened')
      await updateSettings(sql, { port: null, failure: failure.slice(0, 500) })
    }
  }

  /** What came whole at the last moment, but was not closed, must not wait until the server opens again. */
  async function sweepClosed(): Promise<void> {
    if ((await partsOf(context)).parts.length === 0) return
    const lock = await keepConnection(sql)
    try {
      // Held by another process, the server is open there, and its files are that one's.
      if (await tryServerLock(lock.sql)) await sweepParts(context, folder)
    } finally {
      folder.forget()
      await lock.giveBack()
    }
  }

  async function closeServer(): Promise<void> {
    if (!open) return
    const { ssh, lock } = open
    open = undefined
    letsIn = false
    await ssh.close()
    folder.forget()
    await updateSettings(sql, { port: null }).catch(fault)
    await setCurrentUpload(sql, null).catch(fault)
    await lock.giveBack().catch(fault)
    log.info('the SFTP server is closed')
  }

  const fault = (error: unknown) => log.error({ err: error }, 'SFTP failed')
  const wake = () => void reconcile().catch(fault)
  const listening = await sql.listen(settingsChannel, wake)
  const wakeups = [
    everyMinutes(1, wake),
    everyWeek({ ...uploadWindow, time: uploadWindow.start }, wake),
    everyWeek({ ...uploadWindow, time: uploadWindow.end }, wake),
  ]
  const often = setInterval(() => {
    if (!open) return
    // While a file may still finish, a minute is too long to look again.
    if (!letsIn) wake()
    else void recordUpload().catch(fault)
  }, 2_000)
  await reconcile().catch(fault)
  return {
    reconcile,
    async close() {
      isOver = true
      clearInterval(often)
      for (const wakeup of wakeups) wakeup.cancel()
      await listening.unlisten()
      await alone('server', closeServer)
    },
  }
}

/** Keeps the record of the file that is arriving; one that was cleared stays so until the next file. */
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

const timeToRenameSeconds = 10
