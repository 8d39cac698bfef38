import type { Role } from '@fellowship/schema/auth/auth.schema'
import type { Transaction, Sql } from '../../db/connection.ts'

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

/** Inserts a user; undefined where the address is taken. */
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

/** Ends the session of everybody; how many there were. */
export const deleteAllSessions = async (sql: Sql): Promise<number> => (await sql`delete from sessions`).count
