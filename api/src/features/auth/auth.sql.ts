import type { Role } from '@fellowship/schema/auth/auth.schema'
import type { Database, Sql, Transaction } from '../../db/connection.ts'

export interface UserRow {
  id: number
  email: string
  password: string
  name: string
  role: Role
  isActive: boolean
  isEmailVerified: boolean
  loginAttempts: number
  lockUntil: Date | null
}

export async function findUserByEmail(sql: Sql, email: string): Promise<UserRow | undefined> {
  const [row] = await sql<UserRow[]>`
    select id, email, password, name, role, is_active, is_email_verified, login_attempts, lock_until
    from users where lower(email) = ${email}`
  return row
}

/** Whether this is still the account's password hash, locked for share until the transaction ends. */
export async function lockPassword(tx: Transaction, id: number, password: string): Promise<boolean> {
  const rows = await tx`select 1 from users where id = ${id} and password = ${password} for share`
  return rows.length > 0
}

/** Inserts a user; undefined if the address is taken. */
export async function insertUser(
  sql: Sql,
  user: { email: string; password: string; name: string; role: Role },
): Promise<UserRow | undefined> {
  const [row] = await sql<UserRow[]>`
    insert into users (email, password, name, role)
    values (${user.email}, ${user.password}, ${user.name}, ${user.role})
    on conflict do nothing
    returning id, email, password, name, role, is_active, is_email_verified, login_attempts, lock_until`
  return row
}

export async function countUsers(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*)::int as count from users`
  return row?.count ?? 0
}

/** Ends all sessions; returns their number. */
export const deleteAllSessions = async (sql: Sql): Promise<number> => (await sql`delete from sessions`).count

/** The subject of a counter of failed sign-ins: an account, one of its known devices, or an unknown address. */
export type Counter = { userId: number } | { userId: number; device: string } | { unknownEmail: string }

/**
 * Counts an attempt before the password is verified, so that parallel attempts cannot outrun the count. The attempt
 * that reaches the limit locks at once; a right password clears the count. Returns when a present lock ends.
 */
export async function countAttempt(
  sql: Sql,
  counter: Counter,
  rule: { attempts: number; now: Date; lockUntil: Date },
): Promise<{ lockedUntil: Date | null }> {
  const { attempts, now, lockUntil } = rule
  const table = tableOf(sql, counter)
  const counted = sql`
    login_attempts = case when ${table.name}.lock_until <= ${now} then 1 else ${table.name}.login_attempts + 1 end,
    lock_until = case when (case when ${table.name}.lock_until <= ${now} then 1
        else ${table.name}.login_attempts + 1 end) >= ${attempts} then ${lockUntil}::timestamp end`
  const isOpen = sql`(${table.name}.lock_until is null or ${table.name}.lock_until <= ${now})`
  const taken =
    'unknownEmail' in counter
      ? await sql`insert into unknown_sign_ins (email_hash, seen_at, login_attempts)
          values (${counter.unknownEmail}, ${now}, 1)
          on conflict (email_hash) do update set seen_at = excluded.seen_at, ${counted} where ${isOpen}`
      : await sql`update ${table.name} set ${counted} where ${table.where} and ${isOpen}`
  if (taken.count > 0) return { lockedUntil: null }
  const [row] = await sql<
    { lockUntil: Date | null }[]
  >`select lock_until from ${table.name} where ${table.where}`
  return { lockedUntil: row?.lockUntil ?? null }
}

/** Undoes `countAttempt`, and the lock that it set. */
export async function giveBackAttempt(sql: Sql, counter: Counter, lockUntil: Date): Promise<void> {
  const table = tableOf(sql, counter)
  await sql`
    update ${table.name} set login_attempts = greatest(0, login_attempts - 1),
      lock_until = case when lock_until <> ${lockUntil} then lock_until end
    where ${table.where}`
}

/** End of the present lock; null if the account is not locked. */
export async function lockedUntil(sql: Sql, counter: Counter, now: Date): Promise<Date | null> {
  const table = tableOf(sql, counter)
  const [row] = await sql<{ lockUntil: Date }[]>`
    select lock_until from ${table.name} where ${table.where} and lock_until > ${now}`
  return row?.lockUntil ?? null
}

export async function clearAttempts(sql: Sql, counter: Counter): Promise<void> {
  const table = tableOf(sql, counter)
  await sql`update ${table.name} set login_attempts = 0, lock_until = null where ${table.where}`
}

/** Deletes the counters of unknown addresses without an attempt for a day. */
export async function forgetUnknownSignIns(sql: Sql, now: Date): Promise<void> {
  await sql`delete from unknown_sign_ins where seen_at < ${now}::timestamp - interval '1 day'`
}

export async function isKnownDevice(sql: Sql, userId: number, device: string): Promise<boolean> {
  const rows = await sql`select 1 from known_devices where user_id = ${userId} and device_hash = ${device}`
  return rows.length > 0
}

export async function rememberDevice(sql: Sql, userId: number, device: string, now: Date): Promise<void> {
  await sql`insert into known_devices (user_id, device_hash, last_seen_at) values (${userId}, ${device}, ${now})
    on conflict (user_id, device_hash) do update set last_seen_at = excluded.last_seen_at`
}

/** Unlocks an account and all its devices; false if the account does not exist. */
export async function unlockUser(sql: Sql, email: string): Promise<boolean> {
  const rows = await sql<{ id: number }[]>`
    update users set login_attempts = 0, lock_until = null where lower(email) = ${email.toLowerCase()} returning id`
  const id = rows[0]?.id
  if (id === undefined) return false
  await sql`update known_devices set login_attempts = 0, lock_until = null where user_id = ${id}`
  return true
}

function tableOf(sql: Sql, counter: Counter) {
  if ('unknownEmail' in counter) {
    return {
      name: sql`unknown_sign_ins`,
      where: sql`email_hash = ${counter.unknownEmail}`,
    }
  }
  return 'device' in counter
    ? {
        name: sql`known_devices`,
        where: sql`user_id = ${counter.userId} and device_hash = ${counter.device}`,
      }
    : { name: sql`users`, where: sql`id = ${counter.userId}` }
}

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

/** Consumes a verification token; false if it is unknown or has expired. */
export async function consumeVerificationToken(sql: Database, hash: string, now: Date): Promise<boolean> {
  const rows = await sql`
    update users set email_verification_token = null, is_email_verified = true
    where split_part(email_verification_token, '.', 1) = ${hash}
      and split_part(email_verification_token, '.', 2)::bigint > ${now.getTime()}
    returning id`
  return rows.length > 0
}
