import type { Database, Transaction } from '../../db/connection.ts'

/** Keeps the hash of a token for a new password; an earlier one is void. */
export async function keepResetToken(sql: Database, id: number, hash: string, expires: Date): Promise<void> {
  await sql`update users set password_reset_token = ${hash}, password_reset_expires = ${expires} where id = ${id}`
}

/** Takes the token, so that it works once; whose it was. */
export async function takeResetToken(
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

/** Whoever reads the account's mail proved the address with it, and need not wait for a lock to end. */
export async function writePassword(tx: Transaction, id: number, password: string, now: Date): Promise<void> {
  await tx`update users set password = ${password}, is_email_verified = true, login_attempts = 0,
    lock_until = null, updated_at = ${now} where id = ${id}`
}

/** The column holds the hash of the token and, after a dot, when it expires in epoch milliseconds. */
export async function keepVerificationToken(
  sql: Database,
  id: number,
  hash: string,
  expires: Date,
): Promise<void> {
  await sql`update users set email_verification_token = ${`${hash}.${expires.getTime()}`} where id = ${id}`
}

/** False where there is no such token, or it is too old. */
export async function takeVerificationToken(sql: Database, hash: string, now: Date): Promise<boolean> {
  const rows = await sql`
    update users set email_verification_token = null, is_email_verified = true
    where split_part(email_verification_token, '.', 1) = ${hash}
      and split_part(email_verification_token, '.', 2)::bigint > ${now.getTime()}
    returning id`
  return rows.length > 0
}
