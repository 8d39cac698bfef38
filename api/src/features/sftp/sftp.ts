import { randomInt } from 'node:crypto'
import path from 'node:path'
import { Problem } from '@fellowship/schema/problem'
import { manualSessionMinutes, sftpAccount, uploadWindow } from '@fellowship/schema/sftp/sftp.limits'
import type { SftpCredentials, SftpStatus } from '@fellowship/schema/sftp/sftp.schema'
import { sftpTexts as texts } from '@fellowship/schema/sftp/sftp.texts'
import { nextWindow, windowOpen } from '@fellowship/schema/sftp/upload-window'
import type { Context } from '../../context.ts'
import { writeAudit, type Actor } from '../../db/audit-log.ts'
import type { Secrets } from '../../machine/secrets.ts'
import { loadHostKey } from '../../machine/ssh/ssh-host-key.ts'
import {
  deleteBan,
  findSettings,
  insertSettings,
  isServerLockHeld,
  replacePassword,
  setCurrentUpload,
  updateSettings,
  type SftpSettings,
} from './sftp.sql.ts'

/** Tells the process that serves it, whichever that is, that something was set. */
export const settingsChannel = 'sftp'

/** Why the server is to be open at a time, and until when. */
export interface SftpSession {
  type: 'manual' | 'scheduled'
  until: Date
}

/** The session that `now` lies in; a session by hand within the window ends with the later of the two. */
export function sessionAt(
  now: Date,
  { manualUntil, closedUntil }: Pick<SftpSettings, 'manualUntil' | 'closedUntil'>,
): SftpSession | undefined {
  // Twice: clocks are set back a little every now and then, and those of two processes differ.
  const longest = new Date(now.getTime() + 2 * manualSessionMinutes * 60_000)
  const manual = manualUntil && lasts(now, manualUntil, longest) ? manualUntil : undefined
  // The window of this moment, or the one that begins before the session by hand is over: it goes on through it.
  const { closes } = nextWindow(manual ?? now)
  const inWindow = windowOpen(manual ?? now) && !(closedUntil && lasts(now, closedUntil, closes))
  if (manual) return { type: 'manual', until: inWindow ? closes : manual }
  return inWindow ? { type: 'scheduled', until: closes } : undefined
}

/** An end beyond what can be set now was set while the machine's clock ran ahead, and holds nothing. */
const lasts = (now: Date, until: Date, latest: Date) => until > now && until <= latest

/** The settings; made with a password of its own at the first time. */
export async function sftpSettings({ sql, secrets }: Context): Promise<SftpSettings> {
  const found = await findSettings(sql)
  if (found) return found
  await insertSettings(sql, secrets.seal(passwordPurpose, generatedPassword()))
  return (await findSettings(sql))!
}

/**
 * The password of the upload account; a new one where it was sealed under another APP_SECRET, as after a restore:
 * nobody could sign in with the old one any more.
 */
export async function sftpPassword(context: Context): Promise<string> {
  const { sql, secrets, clock, log } = context
  const { passwordSealed } = await sftpSettings(context)
  const password = secrets.open(passwordPurpose, passwordSealed)
  if (password !== undefined) return password
  const made = generatedPassword()
  const isMade = (await sql.begin(async (tx) => {
    if (!(await replacePassword(tx, passwordSealed, secrets.seal(passwordPurpose, made)))) return false
    const entry = { actor: null, action: 'sftp.password_renewed', subject: sftpAccount.username }
    await writeAudit(tx, entry, clock.now())
    return true
  })) as boolean
  // Of two that find it so at once the first one's password stays.
  if (!isMade) return sftpPassword(context)
  log.warn('the SFTP password was sealed under another APP_SECRET: a new one was made')
  return made
}

/** @param host by which the asking browser reached this product */
export async function sftpStatus(context: Context, host = 'localhost'): Promise<SftpStatus> {
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
    schedule: scheduleWords,
    host,
    username: sftpAccount.username,
    fingerprint: (await loadHostKey(config.dataDir)).fingerprint,
    port: (running ? settings.port : null) ?? config.sftp.port,
    nextWindow: nextWindow(now).opens.toISOString(),
    closesAt: running && session ? session.until.toISOString() : null,
    sessionType: session?.type ?? null,
    manualTimeoutRemaining: isManual ? session.until.getTime() - now.getTime() : null,
    // What a killed process left says nothing once its session is over.
    currentUpload: running || session ? settings.currentUpload : null,
  }
}

/**
 * Opens the server for 60 minutes.
 *
 * @returns a sentence
 * @throws Problem `unavailable` where it could not be opened, with the reason
 */
export async function startByHand(context: Context, actor: Actor): Promise<string> {
  const { sql, clock } = context
  // One that is only waiting for a file to finish is opened again.
  if ((await sftpStatus(context)).closesAt !== null) return texts.alreadyRunning
  const manualUntil = new Date(clock.now().getTime() + manualSessionMinutes * 60_000)
  await set(context, actor, 'sftp.started', { manualUntil, closedUntil: null, failure: null })
  const stands = await settled(context, ({ running, available }) => running || !available)
  if (stands?.running) return texts.started
  if (stands) throw new Problem('unavailable', (await findSettings(sql))?.failure ?? undefined)
  return texts.starting
}

/** Closes the server; a window that is open stays closed to its end. Returns a sentence. */
export async function stopByHand(context: Context, actor: Actor): Promise<string> {
  const { sql, clock } = context
  const now = clock.now()
  const closedUntil = windowOpen(now) ? nextWindow(now).closes : null
  await setCurrentUpload(sql, null)
  await set(context, actor, 'sftp.stopped', { manualUntil: null, closedUntil, failure: null })
  await settled(context, ({ running }) => !running)
  return texts.stopped
}

/** Clears the record of an upload in progress; its file stays. */
export async function clearUpload({ sql, clock }: Context, actor: Actor): Promise<void> {
  await setCurrentUpload(sql, null)
  await writeAudit(sql, { actor, action: 'sftp.upload_cleared', subject: sftpAccount.username }, clock.now())
}

/** @param host by which the asking browser reached this product */
export async function showCredentials(
  context: Context,
  actor: Actor,
  host: string,
): Promise<SftpCredentials> {
  const { sql, clock } = context
  const password = await sftpPassword(context)
  const { username, fingerprint, port } = await sftpStatus(context, host)
  // Before it is shown, so that none is shown without.
  await writeAudit(sql, { actor, action: 'sftp.password_shown', subject: sftpAccount.username }, clock.now())
  return { success: true, username, password, host, port, fingerprint }
}

/** Connections that are open stay so; the next one needs the new password. */
export async function changePassword(context: Context, actor: Actor, newPassword: string): Promise<void> {
  await sftpSettings(context)
  const passwordSealed = context.secrets.seal(passwordPurpose, newPassword)
  await set(context, actor, 'sftp.password_changed', { passwordSealed })
}

/**
 * Lets an address connect again.
 *
 * @throws Problem `not_found`
 */
export async function unban({ sql, clock }: Context, actor: Actor, address: string): Promise<void> {
  await sql.begin(async (tx) => {
    if (!(await deleteBan(tx, address))) throw new Problem('not_found', 'This address is not shut out.')
    await writeAudit(tx, { actor, action: 'sftp.unbanned', subject: address }, clock.now())
  })
  await sql.notify(settingsChannel, '')
}

/** Whether the sealed password can still be read under this secret of the application. */
export const isPasswordReadable = (secrets: Secrets, passwordSealed: string): boolean =>
  secrets.open(passwordPurpose, passwordSealed) !== undefined

/** Where keys stand that may sign in instead of the password. */
export const authorizedKeysFile = (dataDir: string) => path.join(dataDir, 'authorized_keys')

const passwordPurpose = 'sftp password'

const scheduleWords = `${uploadWindow.weekday}s ${hour(uploadWindow.start)} to ${hour(uploadWindow.end)} (Auckland)`

/** '14:00' as SPEC writes it: '2:00 PM'. */
function hour(time: string): string {
  const hours = Number(time.slice(0, 2))
  return `${hours % 12 || 12}:${time.slice(3)} ${hours < 12 ? 'AM' : 'PM'}`
}

async function set(
  { sql, clock }: Context,
  actor: Actor,
  action: string,
  changes: Parameters<typeof updateSettings>[1],
): Promise<void> {
  await sql.begin(async (tx) => {
    await updateSettings(tx, changes)
    await writeAudit(tx, { actor, action, subject: sftpAccount.username }, clock.now())
  })
  await sql.notify(settingsChannel, '')
}

/** Waits a moment for the serving process to act. Undefined where it did not. */
async function settled(
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

/** Four groups of four that can be read out over a telephone: no 0 and O, no 1 and l. */
function generatedPassword(): string {
  const letters = 'abcdefghjkmnpqrstuvwxyz23456789'
  const group = () => Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join('')
  return [group(), group(), group(), group()].join('-')
}
