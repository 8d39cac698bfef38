import { Problem } from '@fellowship/schema/problem'
import type { ManagedUser, NewUser, UserChanges } from '@fellowship/schema/users/users.contract'
import { userTexts } from '@fellowship/schema/users/users.texts'
import type { Context } from '../../context.ts'
import { writeAudit, type Actor } from '../../db/audit-log.ts'
import { inTransaction, type Transaction } from '../../db/connection.ts'
import type { Session } from '../../machine/sessions.ts'
import { insertUser, unlockUser } from '../auth/auth.ts'
import { allUsers, deleteUser, findUser, isEmailTaken, lockAdministrators, updateUser } from './users.sql.ts'

/** All accounts by name. */
export const listUsers = ({ sql, clock }: Context): Promise<ManagedUser[]> => allUsers(sql, clock.now())

/** @throws Problem `email_taken` */
export async function createUser(context: Context, fields: NewUser, actor: Actor): Promise<ManagedUser> {
  const password = await context.passwords.hash(fields.password, 'trusted')
  return inTransaction(context.sql, async (tx) => {
    const inserted = await insertUser(tx, { ...fields, password })
    if (!inserted) throw new Problem('email_taken')
    const created = await present(tx, context, inserted.id)
    await audit(tx, context, actor, 'user.created', created, { role: created.role })
    return created
  })
}

/**
 * Changes only the given fields. A new role, a new password or a deactivation ends all sessions of the account in the
 * same transaction.
 *
 * @param session the caller's, checked again under the lock: it may have been ended meanwhile
 * @throws Problem `not_found`, `email_taken`, `last_administrator`, `unauthorized`
 */
export async function changeUser(
  context: Context,
  id: number,
  { password, ...fields }: UserChanges,
  actor: Actor,
  session: Session,
): Promise<{ changed: ManagedUser; cookie?: string | undefined }> {
  const { sessions, passwords, clock } = context
  const hashed = password === undefined ? {} : { password: await passwords.hash(password, 'trusted') }
  return inTransaction(context.sql, async (tx) => {
    const others = await lockAdministrators(tx, id)
    if (!(await sessions.isValid(session.id, tx))) throw new Problem('unauthorized')
    const before = await present(tx, context, id)
    const after = { ...before, ...fields }
    if (others === 0 && isAdministrator(before) && !isAdministrator(after)) throw lastAdministrator()
    if (fields.email !== undefined && (await isEmailTaken(tx, fields.email, id))) {
      throw new Problem('email_taken')
    }
    const { email, ...rest } = fields
    // If the address changes, it is not verified yet.
    const newEmail = email === undefined || email === before.email ? {} : { email, isEmailVerified: false }
    await updateUser(tx, id, { ...rest, ...hashed, ...newEmail }, clock.now())
    const isEnded = password !== undefined || after.role !== before.role || !after.isActive
    if (isEnded) await sessions.endAll(id, tx)
    // If users change their own password, this session stays.
    const staysSignedIn = isEnded && id === actor.id && after.isActive
    const cookie = staysSignedIn ? (await sessions.start(id, tx)).cookie : undefined
    const changed = changedFields(before, after, password !== undefined)
    if (changed.length > 0) await audit(tx, context, actor, 'user.updated', after, { fields: changed })
    return { changed: await present(tx, context, id), cookie }
  })
}

/** @throws Problem `not_found`, `last_administrator` */
export async function removeUser(context: Context, id: number, actor: Actor): Promise<void> {
  await inTransaction(context.sql, async (tx) => {
    const others = await lockAdministrators(tx, id)
    const removed = await present(tx, context, id)
    if (others === 0 && isAdministrator(removed)) throw lastAdministrator()
    await context.sessions.endAll(id, tx)
    await audit(tx, context, actor, 'user.deleted', removed)
    await deleteUser(tx, id)
  })
}

/**
 * Ends the lockout of an account.
 *
 * @throws Problem `not_found`
 */
export async function unlockAccount(context: Context, id: number, actor: Actor): Promise<ManagedUser> {
  return inTransaction(context.sql, async (tx) => {
    const user = await present(tx, context, id)
    await unlockUser(tx, user.email)
    if (user.lockedUntil) await audit(tx, context, actor, 'user.unlocked', user)
    return present(tx, context, id)
  })
}

const isAdministrator = ({ role, isActive }: Pick<ManagedUser, 'role' | 'isActive'>) =>
  role === 'admin' && isActive

const lastAdministrator = () => new Problem('last_administrator', userTexts.lastAdministrator)

async function present(tx: Transaction, { clock }: Context, id: number): Promise<ManagedUser> {
  const user = await findUser(tx, id, clock.now())
  if (!user) throw new Problem('not_found', userTexts.gone)
  return user
}

function changedFields(before: ManagedUser, after: ManagedUser, password: boolean): string[] {
  const names = (['email', 'name', 'role', 'isActive'] as const).filter(
    (name) => before[name] !== after[name],
  )
  return password ? [...names, 'password'] : names
}

const audit = (
  tx: Transaction,
  { clock }: Context,
  actor: Actor,
  action: string,
  { id, name, email }: Pick<ManagedUser, 'id' | 'name' | 'email'>,
  details: Record<string, string | string[]> = {},
) =>
  writeAudit(tx, { actor, action, subject: `${name} <${email}>`, details: { id, ...details } }, clock.now())
