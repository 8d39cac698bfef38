import { randomInt } from 'node:crypto'
import path from 'node:path'
import { Problem } from '@fellowship/schema/problem'
import { manualSessionMinutes, sftpAccount } from '@fellowship/schema/sftp/sftp.limits'
import type { SftpCredentials, SftpStatus } from '@fellowship/schema/sftp/sftp.contract'
import { sftpTexts as texts } from '@fellowship/schema/sftp/sftp.texts'
import { nextWindow, uploadWindow, windowOpen } from '@fellowship/schema/sftp/upload-window'
import type { Context } from '../../context.ts'
import { inTransaction } from '../../db/connection.ts'
import { writeAudit, type Actor } from '../../db/audit-log.ts'
import type { Secrets } from '../../machine/secrets.ts'
import { hostKeyOf, loadHostKey, type HostKey } from '../../machine/ssh/ssh-keys.ts'
import {
  deleteBan,
  findSettings,
  insertSettings,
  isServerLockHeld,
  replaceHostKey,
  replacePassword,
  setCurrentUpload,
  updateSettings,
  type SftpSettings,
} from './sftp.sql.ts'

/** Why and until when the server is open. */
export interface SftpSession {
  type: 'manual' | 'scheduled'
  until: Date
}

/** The session at `now`. If one started by hand meets the upload window, it lasts to the later end of both. */
export function sessionAt(
  now: Date,
  { manualUntil, closedUntil }: Pick<SftpSettings, 'manualUntil' | 'closedUntil'>,
): SftpSession | undefined {
  // Twice the length tolerates clocks that are set back a little or differ between processes.
  const longest = new Date(now.getTime() + 2 * manualSessionMinutes * 60_000)
  const manual = manualUntil && lasts(now, manualUntil, longest) ? manualUntil : undefined
  // If a window begins before the session by hand is over, it extends the session.
  const { closes } = nextWindow(manual ?? now)
  const inWindow = windowOpen(manual ?? now) && !(closedUntil && lasts(now, closedUntil, closes))
  if (manual) return { type: 'manual', until: inWindow ? closes : manual }
  return inWindow ? { type: 'scheduled', until: closes } : undefined
}

/** If an end is later than any that could be set now, it was set while the clock ran ahead, and is ignored. */
const lasts = (now: Date, until: Date, latest: Date) => until > now && until <= latest

/** Reads the settings. If there are none, creates them with a random password. */
export async function sftpSettings({ sql, secrets }: Context): Promise<SftpSettings> {
  const found = await findSettings(sql)
  if (found) return found
  await insertSettings(sql, secrets.seal(passwordPurpose, generatedPassword()))
  return (await findSettings(sql))!
}

/** The password of the upload account. If it was sealed under another APP_SECRET, as after a restore, a new one is made. */
export async function sftpPassword(context: Context): Promise<string> {
  const { sql, secrets, clock, log } = context
  const { passwordSealed } = await sftpSettings(context)
  const password = secrets.open(passwordPurpose, passwordSealed)
  if (password !== undefined) return password
  const made = generatedPassword()
  const isMade = await inTransaction(sql, async (tx) => {
    if (!(await replacePassword(tx, passwordSealed, secrets.seal(passwordPurpose, made)))) return false
    const entry = { actor: null, action: 'sftp.password_renewed', subject: sftpAccount.username }
    await writeAudit(tx, entry, clock.now())
    return true
  })
  // Another process replaced it first.
  if (!isMade) return sftpPassword(context)
  log.warn('the SFTP password was sealed under another APP_SECRET: a new one was made')
  return made
}

/** The key of the data folder. If several processes share a bucket, each uses the key of the first. */
export async function sharedHostKey(context: Context): Promise<HostKey> {
  const { sql, config, secrets, storage } = context
  if (storage.isLocal) return loadHostKey(config.dataDir)
  const { hostKeySealed } = await sftpSettings(context)
  const shared = hostKeySealed === null ? undefined : secrets.open(hostKeyPurpose, hostKeySealed)
  const key = shared === undefined ? undefined : hostKeyOf(shared)
  if (key) return key
  const { privateKey } = await loadHostKey(config.dataDir)
  await replaceHostKey(sql, hostKeySealed, secrets.seal(hostKeyPurpose, privateKey))
  return sharedHostKey(context)
}

/** @param host the host name under which the browser reached this site */
export async function sftpStatus(context: Context, host = 'localhost'): Promise<SftpStatus> {
  const { fingerprint } = await sharedHostKey(context)
  return { ...(await sftpState(context, host)), fingerprint }
}

/** The same without the host key, which is made when it is first asked for and needs room on the disk. */
export async function sftpState(
  context: Context,
  host = 'localhost',
): Promise<Omit<SftpStatus, 'fingerprint'>> {
  const { sql, clock, config } = context
  const now = clock.now()
  const settings = await sftpSettings(context)
  const session = sessionAt(now, settings)
  const running = settings.port !== null && (await isServerLockHeld(sql))
  const isManual = session?.type === 'manual'
  return {
    success: true,
    available: settings.failure === null,
    message: settings.failure ?? (running ? texts.active : texts.scheduled),
    running,
    schedule: scheduleWords(),
    host,
    username: sftpAccount.username,
    port: (running ? settings.port : null) ?? config.sftp.port,
    nextWindow: nextWindow(now).opens.toISOString(),
    closesAt: running && session ? session.until.toISOString() : null,
    sessionType: session?.type ?? null,
    manualTimeoutRemaining: isManual ? session.until.getTime() - now.getTime() : null,
    // If a process was killed, its record is stale.
    currentUpload: running || session ? settings.currentUpload : null,
  }
}

/**
 * Opens the server for 60 minutes, or until the end of an upload window that is open then.
 *
 * @returns a sentence
 * @throws Problem `unavailable` with the reason if it could not be opened
 */
export async function startByHand(context: Context, actor: Actor): Promise<string> {
  const { sql, clock } = context
  // During the grace time closesAt is null, so that a new session can start.
  if ((await sftpStatus(context)).closesAt !== null) return texts.alreadyRunning
  const manualUntil = new Date(clock.now().getTime() + manualSessionMinutes * 60_000)
  await changeSettings(context, actor, 'sftp.started', { manualUntil, closedUntil: null, failure: null })
  const status = await statusOnce(context, ({ running, available }) => running || !available)
  if (status?.running) {
    const isExtended = status.closesAt !== null && new Date(status.closesAt) > manualUntil
    return isExtended ? texts.startedUntilWindowEnds : texts.started
  }
  if (status) throw new Problem('unavailable', (await findSettings(sql))?.failure ?? undefined)
  return texts.starting
}

/** Closes the server, also for the rest of an upload window. Returns a sentence. */
export async function stopByHand(context: Context, actor: Actor): Promise<string> {
  const { sql, clock } = context
  const now = clock.now()
  const closedUntil = windowOpen(now) ? nextWindow(now).closes : null
  await setCurrentUpload(sql, null)
  await changeSettings(context, actor, 'sftp.stopped', { manualUntil: null, closedUntil, failure: null })
  await statusOnce(context, ({ running }) => !running)
  return texts.stopped
}

/** Clears the record of the current upload; its file stays. */
export async function clearUpload({ sql, clock }: Context, actor: Actor): Promise<void> {
  await setCurrentUpload(sql, null)
  await writeAudit(sql, { actor, action: 'sftp.upload_cleared', subject: sftpAccount.username }, clock.now())
}

/** @param host the host name under which the browser reached this site */
export async function showCredentials(
  context: Context,
  actor: Actor,
  host: string,
): Promise<SftpCredentials> {
  const { sql, clock } = context
  const password = await sftpPassword(context)
  const { username, fingerprint, port } = await sftpStatus(context, host)
  // Logged first, so that no password is shown without an audit entry.
  await writeAudit(sql, { actor, action: 'sftp.password_shown', subject: sftpAccount.username }, clock.now())
  return { success: true, username, password, host, port, fingerprint }
}

/** Changes the password; open connections stay open. */
export async function changePassword(context: Context, actor: Actor, newPassword: string): Promise<void> {
  await sftpSettings(context)
  const passwordSealed = context.secrets.seal(passwordPurpose, newPassword)
  await changeSettings(context, actor, 'sftp.password_changed', { passwordSealed })
}

/**
 * Lifts the ban of an address.
 *
 * @throws Problem `not_found`
 */
export async function unban({ sql, clock, node }: Context, actor: Actor, address: string): Promise<void> {
  await sql.begin(async (tx) => {
    if (!(await deleteBan(tx, address))) throw new Problem('not_found', 'This address is not shut out.')
    await writeAudit(tx, { actor, action: 'sftp.unbanned', subject: address }, clock.now())
  })
  await node.tell('sftp')
}

/** Whether the sealed password can be read under this APP_SECRET. */
export const isPasswordReadable = (secrets: Secrets, passwordSealed: string): boolean =>
  secrets.open(passwordPurpose, passwordSealed) !== undefined

/** The file of public keys that may sign in instead of the password. */
export const authorizedKeysFile = (dataDir: string) => path.join(dataDir, 'authorized_keys')

const passwordPurpose = 'sftp password'
const hostKeyPurpose = 'sftp host key'

/** 'Sundays 11:00 AM to 2:00 PM (Auckland)' */
function scheduleWords(): string {
  const { weekday, start, end, timeZone } = uploadWindow()
  const city = timeZone.split('/').at(-1)!.replaceAll('_', ' ')
  return `${weekday}s ${hour(start)} to ${hour(end)} (${city})`
}

/** '14:00' as '2:00 PM'. */
function hour(time: string): string {
  const hours = Number(time.slice(0, 2))
  return `${hours % 12 || 12}:${time.slice(3)} ${hours < 12 ? 'AM' : 'PM'}`
}

async function changeSettings(
  { sql, clock, node }: Context,
  actor: Actor,
  action: string,
  changes: Parameters<typeof updateSettings>[1],
): Promise<void> {
  await sql.begin(async (tx) => {
    await updateSettings(tx, changes)
    await writeAudit(tx, { actor, action, subject: sftpAccount.username }, clock.now())
  })
  await node.tell('sftp')
}

/** Waits up to five seconds for the serving process; undefined if the condition is still false then. */
async function statusOnce(
  context: Context,
  isDone: (status: SftpStatus) => boolean,
): Promise<SftpStatus | undefined> {
  for (let tries = 0; tries < 50; tries++) {
    const status = await sftpStatus(context)
    if (isDone(status)) return status
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return undefined
}

/** Four groups of four that can be read out on the phone: without 0 and O, 1 and l. */
function generatedPassword(): string {
  const letters = 'abcdefghjkmnpqrstuvwxyz23456789'
  const group = () => Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join('')
  return [group(), group(), group(), group()].join('-')
}
