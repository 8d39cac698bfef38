import { createHash } from 'node:crypto'
import { authTexts } from '@fellowship/schema/auth/auth.texts'
import { lockout } from '@fellowship/schema/auth/auth.limits'
import type { CurrentUser, Login, Registration } from '@fellowship/schema/auth/auth.schema'
import { Problem } from '@fellowship/schema/problem'
import type { Context } from '../../context.ts'
import {
  clearTries,
  findUserByEmail,
  holdPassword,
  insertUser,
  knowsDevice,
  lockOf,
  rememberDevice,
  rememberUnknown,
  takeTry,
  type Counter,
  type UserRow,
} from './auth.sql.ts'

export { insertUser, unlockUser } from './auth.sql.ts'

/**
 * Starts a session for the person these credentials belong to; `cookie` is its Set-Cookie value. Wrong password and
 * unknown account get the same words, the same time and the same lock (DESIGN 8); a device that signed in to the
 * account before has tries of its own, so that nobody else can lock its owner out.
 *
 * @param device the caller's device id, if it has one
 * @throws Problem `invalid_credentials`, `account_locked` (with `retryAfter` seconds) or `account_inactive`
 */
export async function signIn(context: Context, { email, password }: Login, device: string | undefined) {
  const { sql, passwords, clock } = context
  const user = await findUserByEmail(sql, email)
  const counter = await counterOf(context, email, user, device)
  const now = clock.now()
  const lockUntil = new Date(now.getTime() + lockout.minutes * 60_000)
  const { lockedUntil } = await takeTry(sql, counter, { attempts: lockout.attempts, now, lockUntil })
  if (lockedUntil) throw locked(lockedUntil, now)
  const right = await passwords.verify(user?.password ?? (await decoy(context)), password)
  if (!user || !right) {
    const until = await lockOf(sql, counter, now)
    throw until ? locked(until, now) : new Problem('invalid_credentials')
  }
  await clearTries(sql, counter)
  if (!user.isActive) throw new Problem('account_inactive')
  return { user: asCurrentUser(user), cookie: await startSession(context, user) }
}

/** A session for who proved to know this password, unless it was changed since: with that all sessions ended. */
async function startSession({ sql, sessions }: Context, { id, password }: UserRow): Promise<string> {
  const { cookie } = (await sql.begin(async (tx) => {
    if (!(await holdPassword(tx, id, password))) throw new Problem('invalid_credentials')
    return sessions.start(id, tx)
  })) as { cookie: string }
  return cookie
}

/** Notes that this device signed in to the account. */
export async function trustDevice({ sql, clock }: Context, user: CurrentUser, device: string): Promise<void> {
  await rememberDevice(sql, user.id, hash(device), clock.now())
}

/** @throws Problem `registration_closed` or `email_taken` */
export async function register(context: Context, input: Registration): Promise<CurrentUser> {
  if (context.config.registration !== 'open') throw new Problem('registration_closed')
  const password = await context.passwords.hash(input.password)
  const user = await insertUser(context.sql, { ...input, password, role: 'user' })
  if (!user) throw new Problem('email_taken')
  return asCurrentUser(user)
}

const asCurrentUser = ({ id, email, name, role }: UserRow): CurrentUser => ({ id, email, name, role })

async function counterOf(
  { sql, clock }: Context,
  email: string,
  user: UserRow | undefined,
  device: string | undefined,
): Promise<Counter> {
  if (!user) {
    const unknownEmail = hash(email)
    await rememberUnknown(sql, unknownEmail, clock.now())
    return { unknownEmail }
  }
  const known = device !== undefined && (await knowsDevice(sql, user.id, hash(device)))
  return known ? { userId: user.id, device: hash(device) } : { userId: user.id }
}

function locked(until: Date, now: Date): Problem {
  const seconds = Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1000))
  return new Problem('account_locked', authTexts.locked(Math.ceil(seconds / 60)), { retryAfter: seconds })
}

/** A hash that no password matches, so that an unknown account costs as much time as a known one. */
let decoyHash: Promise<string> | undefined
const decoy = ({ passwords }: Context) => (decoyHash ??= passwords.hash('no account has this password'))

const hash = (text: string) => createHash('sha256').update(text).digest('hex')
