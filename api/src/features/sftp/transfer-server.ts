import { sftpAccount, sftpGuards } from '@fellowship/schema/sftp/sftp.limits'
import { sftpTexts } from '@fellowship/schema/sftp/sftp.texts'
import type { Context } from '../../context.ts'
import { reserveConnection, type HeldConnection } from '../../db/connection.ts'
import { isAuthorized } from '../../machine/ssh/ssh-keys.ts'
import { startSshServer, type SshServer } from '../../machine/ssh/ssh.ts'
import { dropFolder } from './drop-folder.ts'
import {
  setCurrentUpload,
  tryServerLock,
  updateSettings,
  bansAfter,
  deleteBansBefore,
  putBan,
} from './sftp.sql.ts'
import { authorizedKeysFile, sftpPassword, sharedHostKey, type SftpSession } from './sftp.ts'

interface Open {
  ssh: SshServer
  /** The connection that holds the lock. */
  lock: HeldConnection
  /** The reason for being open; unchanged when its time is over. */
  session: SftpSession
}

/** The SSH server of this process. It opens only while it holds the lock that all processes share. */
export function transferServer(context: Context, logFailure: (error: unknown) => void) {
  const { sql, config, log } = context
  const bans = banList(context)
  let opened: Open | undefined
  let isAccepting = false
  const folder = dropFolder(context, () => isAccepting)

  async function open(session: SftpSession): Promise<void> {
    const lock = await reserveConnection(sql)
    try {
      if (!(await tryServerLock(lock.sql))) return await lock.release()
      const ssh = await listen()
      opened = { ssh, lock, session }
      // If the last process was killed, its record of an upload is still there.
      await setCurrentUpload(sql, null)
      await updateSettings(sql, { port: ssh.port, failure: null })
      log.info({ port: ssh.port, until: session.until }, 'the SFTP server is open')
    } catch (error) {
      isAccepting = false
      await lock.release().catch(logFailure)
      log.error({ err: error }, 'the SFTP server could not be opened')
      const failure = listenFailure(error, config.sftp.port)
      await updateSettings(sql, { port: null, failure: failure.slice(0, 500) })
    }
  }

  const listen = async () =>
    startSshServer({
      ...config.sftp,
      hostKey: (await sharedHostKey(context)).privateKey,
      username: sftpAccount.username,
      password: () => sftpPassword(context),
      isAuthorized: (key) => isAuthorized(authorizedKeysFile(config.dataDir), key),
      isBanned: bans.isBanned,
      onWrongTry: (address) => void bans.noteWrongTry(address).catch(logFailure),
      mayEnter: () => isAccepting,
      onFault: logFailure,
      files: folder,
      limits: sftpGuards,
    })

  async function close(): Promise<void> {
    if (!opened) return
    const { ssh, lock } = opened
    opened = undefined
    isAccepting = false
    await ssh.close()
    // If a file was closed just now, its import is still running and needs the database.
    await folder.settled()
    folder.forget()
    await updateSettings(sql, { port: null }).catch(logFailure)
    await setCurrentUpload(sql, null).catch(logFailure)
    await lock.release().catch(logFailure)
    log.info('the SFTP server is closed')
  }

  return {
    folder,
    bans,
    /** The session for which it is open, or was until its last files finish; undefined if it is closed. */
    session: () => opened?.session,
    extend(session: SftpSession) {
      if (opened) opened.session = session
    },
    /** False after the connection that holds the lock was lost: another process may then open the server. */
    holdsLock: async () => opened !== undefined && (await opened.lock.isAlive()),
    isAccepting: () => isAccepting,
    /** Whether clients may sign in and begin files. Running transfers continue either way. */
    setAccepting(accepting: boolean) {
      isAccepting = accepting
    },
    open,
    close,
  }
}

export type TransferServer = ReturnType<typeof transferServer>

function listenFailure(error: unknown, port: number): string {
  const { code, message } = error as NodeJS.ErrnoException
  return code === 'EADDRINUSE' ? sftpTexts.portTaken(port) : sftpTexts.cannotListen(code ?? message)
}

/** Addresses banned after too many wrong passwords; in memory, because every connection is checked. */
function banList({ sql, clock, log }: Context) {
  let until = new Map<string, number>()
  const wrong = new Map<string, number[]>()
  const banMs = sftpGuards.banMinutes * 60_000
  return {
    isBanned: (address: string) => (until.get(address) ?? 0) > clock.now().getTime(),
    /** Reloads the bans, as an administrator may have lifted one. */
    async refresh(): Promise<void> {
      await deleteBansBefore(sql, clock.now())
      const before = until
      until = new Map((await bansAfter(sql, clock.now())).map((ban) => [ban.address, ban.until.getTime()]))
      for (const address of before.keys()) if (!until.has(address)) wrong.delete(address)
    },
    async noteWrongTry(address: string): Promise<void> {
      const now = clock.now().getTime()
      const tries = [...(wrong.get(address) ?? []).filter((at) => now - at < banMs), now]
      wrong.delete(address)
      wrong.set(address, tries)
      if (wrong.size > mostAddresses) wrong.delete(wrong.keys().next().value!)
      if (tries.length < sftpGuards.triesBeforeBan || this.isBanned(address)) return
      until.set(address, now + banMs)
      log.warn({ address }, 'an address is banned from SFTP after too many wrong passwords')
      await putBan(sql, { address, tries: tries.length, until: new Date(now + banMs) })
    },
  }
}

const mostAddresses = 10_000
