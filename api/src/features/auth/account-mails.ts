import { createHash, randomBytes } from 'node:crypto'
import { tokenMinutes } from '@fellowship/schema/auth/auth.limits'
import type { CurrentUser } from '@fellowship/schema/auth/auth.schema'
import { authTexts } from '@fellowship/schema/auth/auth.texts'
import { church } from '@fellowship/schema/church'
import { Problem } from '@fellowship/schema/problem'
import type { Context } from '../../context.ts'
import { writeAudit } from '../../db/audit-log.ts'
import type { Mail } from '../../machine/mail.ts'
import {
  consumeResetToken,
  consumeVerificationToken,
  hasResetToken,
  resetAccount,
  storeResetToken,
  storeVerificationToken,
} from './account-mails.sql.ts'
import { findUserByEmail } from './auth.sql.ts'

/** Mails a password reset link; does nothing for an unknown address or a deactivated account. */
export async function sendReset(context: Context, mail: Mail, email: string): Promise<void> {
  const user = await findUserByEmail(context.sql, email)
  if (!user?.isActive) return
  const { token, hash, expires } = newToken(context)
  await storeResetToken(context.sql, user.id, hash, expires)
  await mail.send({
    to: user.email,
    subject: `A new password for ${church.name}`,
    text: letter([
      'somebody, most likely you, asked for a new password. This link lets you choose one; it works once, for an hour:',
      linkTo(context, '/reset-password', token),
      'If it was not you, do nothing: your password stays as it is.',
    ]),
  })
}

/** Mails a link that verifies the address of a new account. */
export async function sendVerification(context: Context, mail: Mail, user: CurrentUser): Promise<void> {
  const { token, hash, expires } = newToken(context)
  await storeVerificationToken(context.sql, user.id, hash, expires)
  await mail.send({
    to: user.email,
    subject: `Please confirm your email address for ${church.name}`,
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
  if (!(await hasResetToken(sql, hashOf(token), now))) throw new Problem('link_spent', authTexts.linkSpent)
  const hashed = await passwords.hash(password, 'trusted')
  await sql.begin(async (tx) => {
    const user = await consumeResetToken(tx, hashOf(token), now)
    if (!user) throw new Problem('link_spent', authTexts.linkSpent)
    await resetAccount(tx, user.id, hashed, now)
    await sessions.endAll(user.id, tx)
    const subject = `${user.name} <${user.email}>`
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
  if (!(await consumeVerificationToken(sql, hashOf(token), clock.now()))) {
    throw new Problem('link_spent', authTexts.linkSpent)
  }
}

/** Only the hash is stored, so that a copy of the table opens no account. */
function newToken({ clock }: Context) {
  const token = randomBytes(32).toString('base64url')
  const expires = new Date(clock.now().getTime() + tokenMinutes * 60_000)
  return { token, hash: hashOf(token), expires }
}

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')

/**
 * The token is in the fragment, which browsers do not send to servers. The origin is the configured one, never the Host
 * header: with a forged one a stranger could have a link mailed that leads to them.
 */
const linkTo = ({ config }: Context, page: string, token: string): string =>
  `${config.publicUrl ?? `http://localhost:${config.http.port}`}${page}#${token}`

/** Without the name: anyone can register a stranger's address, and would write a sentence into the church's mail. */
const letter = (paragraphs: readonly string[]) => ['Hello,', ...paragraphs, church.name].join('\n\n') + '\n'
