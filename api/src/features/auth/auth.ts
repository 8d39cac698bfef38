import { createHash } from 'node:crypto'
import { authTexts } from '@fellowship/schema/auth/auth.texts'
import { lockout } from '@fellowship/schema/auth/auth.limits'
import type { CurrentUser, Login, Registration } from '@fellowship/schema/auth/auth.schema'
import { Problem } from '@fellowship/schema/problem'
import type { Context } from '../../context.ts'
import { nobodysHash } from '../../machine/password-hash.ts'
import { findUserByEmail, insertUser, lockPassword, type UserRow } from './auth.sql.ts'
import {
  clearAttempts,
  countAttempt,
  giveBackAttempt,
  isKnownDevice,
  lockedUntil,
  rememberDevice,
  type Counter,
} from './sign-in-attempts.sql.ts'

export { insertUser } from './auth.sql.ts'
export { forgetUnknownSignIns, unlockUser } from './sign-in-attempts.sql.ts'

/**
 * Starts a session for these credentials; `cookie` is its Set-Cookie value. A wrong password and an unknown account get
 * the same answer, time and lockout, so that accounts cannot be enumerated. A device that signed in before is counted
 * apart, so that nobody else can lock its owner out.
 *
 * @param device the caller's device id, if it has one
 * @throws Problem `invalid_credentials`, `account_locked` (with `retryAfter` seconds) or `account_inactive`
 */
export async function signIn(context: Context, { email, password }: Login, device: string | undefined) {
  const { sql, clock } = context
  const user = await findUserByEmail(sql, email)
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

/** Verifies the password; gives the attempt back where that did not happen, so that no overload locks anybody out. */
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
  const { cookie } = (await sql.begin(async (tx) => {
    if (!(await lockPassword(tx, id, password))) throw new Problem('invalid_credentials')
    return sessions.start(id, tx)
  })) as { cookie: string }
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
  const user = await insertUser(context.sql, { ...input, password, role: 'user' })
  if (!user) throw new Problem('email_taken')
  return asCurrentUser(user)
}

const asCurrentUser = ({ id, email, name, role }: UserRow): CurrentUser => ({ id, email, name, role })

function counterOf(email: string, user: UserRow | undefined, knownDevice: string | undefined): Counter {
  if (!user) return { unknownEmail: hash(email) }
  return knownDevice === undefined ? { userId: user.id } : { userId: user.id, device: hash(knownDevice) }
}

/** The id of no user: an unknown account takes the same statements as a known one. */
const nobody = 0

function locked(until: Date, now: Date): Problem {
  const seconds = Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1000))
  return new Problem('account_locked', authTexts.locked(Math.ceil(seconds / 60)), { retryAfter: seconds })
}

const hash = (text: string) => createHash('sha256').update(text).digest('hex')
