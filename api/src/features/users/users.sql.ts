import type { ManagedUser, UserChanges } from '@fellowship/schema/users/users.contract'
import type { Transaction, Sql } from '../../db/connection.ts'

/** All accounts by name, in the shape of the API. */
export async function allUsers(sql: Sql, now: Date): Promise<ManagedUser[]> {
  const rows = await sql<Row[]>`select ${columns(sql)} from users order by lower(name), id`
  return rows.map((row) => managedUser(row, now))
}

export async function findUser(sql: Sql, id: number, now: Date): Promise<ManagedUser | undefined> {
  const [row] = await sql<Row[]>`select ${columns(sql)} from users where id = ${id}`
  return row && managedUser(row, now)
}

/**
 * Locks this account and all active administrators, in id order against deadlocks, so that of two concurrent changes
 * the second sees the result of the first.
 *
 * @returns how many active administrators there are besides this account
 */
export async function lockAdministrators(tx: Transaction, id: number): Promise<number> {
  const rows = await tx<{ id: number; role: string; isActive: boolean }[]>`
    select id, role, is_active from users where id = ${id} or (role = 'admin' and is_active)
    order by id for update`
  return rows.filter((row) => row.id !== id && row.role === 'admin' && row.isActive).length
}

/** Whether the address belongs to another account. */
export async function isEmailTaken(sql: Sql, email: string, id: number): Promise<boolean> {
  const rows = await sql`select 1 from users where lower(email) = ${email} and id <> ${id}`
  return rows.length > 0
}

/** Updates an account; `password` is a hash. If address or password changes, links mailed for the old one become void. */
export async function updateUser(
  tx: Transaction,
  id: number,
  changes: UserChanges,
  now: Date,
): Promise<void> {
  const columns = { ...changes, updatedAt: now }
  const voided =
    changes.password === undefined && changes.email === undefined
      ? {}
      : { passwordResetToken: null, passwordResetExpires: null }
  const unverified = changes.email === undefined ? {} : { emailVerificationToken: null }
  await tx`update users set ${tx({ ...columns, ...voided, ...unverified })} where id = ${id}`
}

export async function deleteUser(tx: Transaction, id: number): Promise<void> {
  await tx`delete from users where id = ${id}`
}

type Row = Omit<ManagedUser, 'lockedUntil' | 'createdAt'> & { lockedUntil: Date | null; createdAt: Date }

const columns = (sql: Sql) => sql`id, email, name, role, is_active, is_email_verified,
  greatest(lock_until, (select max(lock_until) from known_devices where user_id = users.id)) as locked_until,
  created_at`

const managedUser = ({ lockedUntil, createdAt, ...row }: Row, now: Date): ManagedUser => ({
  ...row,
  lockedUntil: lockedUntil && lockedUntil > now ? lockedUntil.toISOString() : null,
  createdAt: createdAt.toISOString(),
})
