import { createHash, randomBytes } from 'node:crypto'
import { lockout, tokenMinutes } from '@fellowship/schema/auth/auth.limits'
import type { CurrentUser, Login, Registration } from '@fellowship/schema/auth/auth.schema'
import { authTexts } from '@fellowship/schema/auth/auth.texts'
import { church } from '@fellowship/schema/church'
import { Problem } from '@fellowship/schema/problem'
import type { Context } from '../../context.ts'
import { countAudit, writeAudit, type AuditActor } from '../../db/audit-log.ts'
import { type Database, inTransaction } from '../../db/connection.ts'
import type { Mail } from '../../machine/mail.ts'
import { nobodysHash } from '../../machine/password-hash.ts'
import {
  clearAttempts,
  consumeResetToken,
  consumeVerificationToken,
  countAttempt,
  type Counter,
  countUsers,
  deleteAllSessions,
  findUserByEmail,
  giveBackAttempt,
  hasResetToken,
  insertUser,
  isKnownDevice,
  lockedUntil,
  lockPassword,
  rememberDevice,
  resetAccount,
  storeResetToken,
  storeVerificationToken,
  type UserRow,
} from './auth.sql.ts'

export { insertUser } from './auth.sql.ts'
export { forgetUnknownSignIns, unlockUser } from './auth.sql.ts'

/**
 * Starts a session for these credentials; `cookie` is its Set-Cookie value. A wrong password and an unknown account get
 * the same answer, time and lockout, so that accounts cannot be enumerated. A device that signed in before is counted
 * apart, so that other devices cannot lock its owner out.
 *
 * @param device the caller's device id, if it has one
 * @throws Problem `invalid_credentials`, `account_locked` (with `retryAfter` seconds) or `account_inactive`
 */
export async function signIn(context: Context, login: Login, device: string | undefined) {
  const { sql, clock } = context
  const user = await findUserByEmail(sql, login.email)
  const subject = user ? nameOf(user) : 'an address without an account'
  const note = (action: string, actor: AuditActor) => countAudit(sql, { actor, action, subject }, clock.now())
  try {
    const signedIn = await openAccount(context, user, login, device)
    await note('sessions.started', signedIn.user)
    return signedIn
  } catch (error) {
    if (error instanceof Problem && failures.has(error.code))
      await note('sessions.refused', { id: null, name: 'somebody' })
    throw error
  }
}

const failures: ReadonlySet<string> = new Set(['invalid_credentials', 'account_locked', 'account_inactive'])

const nameOf = ({ name, email }: Pick<UserRow, 'name' | 'email'>) => `${name} <${email}>`

async function openAccount(
  context: Context,
  user: UserRow | undefined,
  { email, password }: Login,
  device: string | undefined,
) {
  const { sql, clock } = context
  const isKnown = await isKnownDevice(sql, user?.id ?? nobody, hash(device ?? ''))
  const counter = counterOf(email, user, isKnown ? device : undefined)
  const now = clock.now()
  const lockUntil = new Date(now.getTime() + lockout.minutes * 60_000)
  const present = await countAttempt(sql, counter, { attempts: lockout.attempts, now, lockUntil })
  if (present.lockedUntil) throw locked(present.lockedUntil, now)
  const isRight = await verify(context, counter, lockUntil, user, password)
  if (!user || !isRight) {
    const until = await lockedUntil(sql, counter, now)
    throw until ? locked(until, now) : new Problem('invalid_credentials')
  }
  await clearAttempts(sql, counter)
  if (!user.isActive) throw new Problem('account_inactive')
  return { user: asCurrentUser(user), cookie: await startSession(context, user) }
}

/** Verifies the password; returns the attempt if verification did not run, so that overload locks no account. */
async function verify(
  { sql, passwords }: Context,
  counter: Counter,
  lockUntil: Date,
  user: UserRow | undefined,
  password: string,
): Promise<boolean> {
  try {
    const waiting = 'device' in counter ? 'trusted' : 'sign-in'
    return await passwords.verify(user?.password ?? nobodysHash, password, waiting)
  } catch (error) {
    await giveBackAttempt(sql, counter, lockUntil)
    throw error
  }
}

/** Starts a session unless the password was changed since it was verified: that change ended all sessions. */
async function startSession({ sql, sessions }: Context, { id, password }: UserRow): Promise<string> {
  const { cookie } = await inTransaction(sql, async (tx) => {
    if (!(await lockPassword(tx, id, password))) throw new Problem('invalid_credentials')
    return sessions.start(id, tx)
  })
  return cookie
}

/** Records that this device signed in to the account. */
export async function trustDevice({ sql, clock }: Context, user: CurrentUser, device: string): Promise<void> {
  await rememberDevice(sql, user.id, hash(device), clock.now())
}

/** @throws Problem `registration_closed` or `email_taken` */
export async function register(context: Context, input: Registration): Promise<CurrentUser> {
  if (context.config.registration !== 'open') throw new Problem('registration_closed')
  const password = await context.passwords.hash(input.password)
  return inTransaction(context.sql, async (tx) => {
    const user = await insertUser(tx, { ...input, password, role: 'user' })
    if (!user) throw new Problem('email_taken')
    const entry = { actor: user, action: 'user.registered', subject: nameOf(user), details: { id: user.id } }
    await writeAudit(tx, entry, context.clock.now())
    return asCurrentUser(user)
  })
}

const asCurrentUser = ({ id, email, name, role }: UserRow): CurrentUser => ({ id, email, name, role })

function counterOf(email: string, user: UserRow | undefined, knownDevice: string | undefined): Counter {
  if (!user) return { unknownEmail: hash(email) }
  return knownDevice === undefined ? { userId: user.id } : { userId: user.id, device: hash(knownDevice) }
}

/** The id of no user: if an account is unknown, the same statements run as for an existing one. */
const nobody = 0

function locked(until: Date, now: Date): Problem {
  const seconds = Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1000))
  return new Problem('account_locked', authTexts.locked(Math.ceil(seconds / 60)), { retryAfter: seconds })
}

const hash = (text: string) => createHash('sha256').update(text).digest('hex')

/** Mails a password reset link; does nothing for an unknown address or a deactivated account. */
export async function sendReset(context: Context, mail: Mail, email: string): Promise<void> {
  const user = await findUserByEmail(context.sql, email)
  if (!user?.isActive) return
  const { token, hashed, expires } = newToken(context)
  await storeResetToken(context.sql, user.id, hashed, expires)
  await mail.send({
    to: user.email,
    subject: `A new password for ${church().name}`,
    text: letter([
      'somebody, most likely you, asked for a new password. This link lets you choose one; it works once, for an hour:',
      linkTo(context, '/reset-password', token),
      'If it was not you, do nothing: your password stays as it is.',
    ]),
  })
}

/** Mails a link that verifies the address of a new account. */
export async function sendVerification(context: Context, mail: Mail, user: CurrentUser): Promise<void> {
  const { token, hashed, expires } = newToken(context)
  await storeVerificationToken(context.sql, user.id, hashed, expires)
  await mail.send({
    to: user.email,
    subject: `Please confirm your email address for ${church().name}`,
    text: letter([
      'welcome. This link confirms that this address is yours; it works once, for an hour:',
      linkTo(context, '/verify-email', token),
      'You can use your account without it, too.',
    ]),
  })
}

/**
 * Sets a new password with a mailed token and ends all sessions of the account.
 *
 * @throws Problem `link_spent`
 */
export async function resetPassword(
  { sql, clock, passwords, sessions }: Context,
  { token, password }: { token: string; password: string },
): Promise<void> {
  const now = clock.now()
  // Before the hashing, which costs a thousand times as much; the transaction decides.
  if (!(await hasResetToken(sql, hash(token), now))) throw new Problem('link_spent', authTexts.linkSpent)
  const hashed = await passwords.hash(password, 'trusted')
  await sql.begin(async (tx) => {
    const user = await consumeResetToken(tx, hash(token), now)
    if (!user) throw new Problem('link_spent', authTexts.linkSpent)
    await resetAccount(tx, user.id, hashed, now)
    await sessions.endAll(user.id, tx)
    const subject = nameOf(user)
    await writeAudit(
      tx,
      { actor: user, action: 'user.password_reset', subject, details: { id: user.id } },
      now,
    )
  })
}

/**
 * Verifies an address with a mailed token.
 *
 * @throws Problem `link_spent`
 */
export async function verifyEmail({ sql, clock }: Context, token: string): Promise<void> {
  if (!(await consumeVerificationToken(sql, hash(token), clock.now()))) {
    throw new Problem('link_spent', authTexts.linkSpent)
  }
}

/** Only the hash is stored, so that a copy of the table opens no account. */
function newToken({ clock }: Context) {
  const token = randomBytes(32).toString('base64url')
  const expires = new Date(clock.now().getTime() + tokenMinutes * 60_000)
  return { token, hashed: hash(token), expires }
}

/**
 * The token is in the fragment, which browsers do not send to servers. The origin is the configured one, never the Host
 * header: with a forged one a stranger could have a link mailed that leads to them.
 */
const linkTo = ({ config }: Context, page: string, token: string): string =>
  `${config.publicUrl ?? `http://localhost:${config.http.port}`}${page}#${token}`

/** Without the name: anyone can register a stranger's address, and would write a sentence into the church's mail. */
const letter = (paragraphs: readonly string[]) => ['Hello,', ...paragraphs, church().name].join('\n\n') + '\n'

/**
 * Creates the administrator of a new instance from ADMIN_EMAIL and ADMIN_PASSWORD, with defaults for missing values.
 *
 * @returns undefined if there are accounts already; a generated password is returned to be shown once
 */
export async function ensureFirstAdministrator(
  context: Pick<Context, 'sql' | 'passwords' | 'config'>,
): Promise<{ email: string; generatedPassword: string | undefined } | undefined> {
  const { sql, passwords, config } = context
  if ((await countUsers(sql)) > 0) return undefined
  const email = (config.administrator.email ?? 'admin@fellowship.example').toLowerCase()
  const generatedPassword = config.administrator.password === undefined ? generatePassword() : undefined
  const password = await passwords.hash(config.administrator.password ?? generatedPassword!)
  const user = await insertUser(sql, { email, password, name: 'Administrator', role: 'admin' })
  // Undefined if another process of the same database was faster.
  return user && { email, generatedPassword }
}

/** Four groups of unambiguous letters and digits: 16 characters of 32, 80 bits. */
function generatePassword(): string {
  const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789'
  const characters = [...randomBytes(16)].map((byte) => alphabet[byte % 32]).join('')
  return characters.match(/.{4}/g)!.join('-')
}

/** Ends all sessions, with a line in the activity log; returns their number. */
export async function signOutEveryone(sql: Database, now: Date): Promise<number> {
  return sql.begin(async (tx) => {
    const ended = await deleteAllSessions(tx)
    const actor = { id: null, name: 'the server’s keeper' }
    await writeAudit(tx, { actor, action: 'sessions.ended', subject: 'everybody', details: { ended } }, now)
    return ended
  })
}
