import type { Sql } from '../../db/connection.ts'

/** What failed sign-ins are counted for: an account, one of its known devices, or an unknown address. */
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

/** When the present lock ends; null where there is none. */
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

/** Deletes the counters of unknown addresses that nobody tried for a day. */
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

/** Unlocks an account and all its devices; false where there is no such account. */
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
