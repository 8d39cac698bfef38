import type { Database, Transaction } from '../../db/connection.ts'

/** Stores the hash of a password reset token in place of an earlier one. */
export async function storeResetToken(sql: Database, id: number, hash: string, expires: Date): Promise<void> {
  await sql`update users set password_reset_token = ${hash}, password_reset_expires = ${expires} where id = ${id}`
}

/** Whether a reset token is valid, without consuming it. */
export async function hasResetToken(sql: Database, hash: string, now: Date): Promise<boolean> {
  const rows = await sql`
    select 1 from users
    where password_reset_token = ${hash} and password_reset_expires > ${now} and is_active`
  return rows.length > 0
}

/** Consumes a reset token, so that it works once, and returns its user. */
export async function consumeResetToken(
  tx: Transaction,
  hash: string,
  now: Date,
): Promise<{ id: number; name: string; email: string } | undefined> {
  const [row] = await tx<{ id: number; name: string; email: string }[]>`
    update users set password_reset_token = null, password_reset_expires = null
    where password_reset_token = ${hash} and password_reset_expires > ${now} and is_active
    returning id, name, email`
  return row
}

/** Sets a password; the mailed link proved the address, so the account is verified and unlocked too. */
export async function resetAccount(tx: Transaction, id: number, password: string, now: Date): Promise<void> {
  await tx`update users set password = ${password}, is_email_verified = true, login_attempts = 0,
    lock_until = null, updated_at = ${now} where id = ${id}`
}

/** Stores '<hash of the token>.<expiry in epoch milliseconds>'. */
export async function storeVerificationToken(
  sql: Database,
  id: number,
  hash: string,
  expires: Date,
): Promise<void> {
  await sql`update users set email_verification_token = ${`${hash}.${expires.getTime()}`} where id = ${id}`
}

/** Consumes a verification token; false where there is none or it has expired. */
export async function consumeVerificationToken(sql: Database, hash: string, now: Date): Promise<boolean> {
  const rows = await sql`
    update users set email_verification_token = null, is_email_verified = true
    where split_part(email_verification_token, '.', 1) = ${hash}
      and split_part(email_verification_token, '.', 2)::bigint > ${now.getTime()}
    returning id`
  return rows.length > 0
}
