import type { Database } from '../../db/connection.ts'
import { RestoreRefusal } from './manifest.ts'
import { presentAccounts, type Account } from './restore.sql.ts'

/** An account of the backup that is another one today. */
export interface ChangedAccount {
  readonly email: string
  /** 'deleted since', 'deactivated since', 'another password today' or 'another role today' */
  readonly change: string
  /** Whether it comes back inactive. */
  readonly isInactive: boolean
}

/**
 * Compares the accounts of the backup with those of today: one that was deleted or deactivated since must not come back with
 * its old password. On a server that has nothing yet, all come back as they were.
 *
 * @param withAccounts brings all back as they were
 * @returns the numbers of those that come back inactive, and all that differ
 * @throws RestoreRefusal if no active administrator would remain
 */
export async function planAccounts(
  sql: Database,
  accounts: readonly Account[],
  { isEmpty, withAccounts }: { isEmpty: boolean; withAccounts: boolean },
): Promise<{ inactive: number[]; changed: ChangedAccount[] }> {
  const today = isEmpty ? undefined : byEmail(await presentAccounts(sql))
  const differing = accounts.flatMap((account) => {
    const change =
      today && account.isActive ? changeOf(account, today.get(account.email.toLowerCase())) : undefined
    return change === undefined ? [] : [{ account, change }]
  })
  const inactive = withAccounts ? [] : differing.map(({ account }) => account.id)
  assertAdministrator(accounts, inactive)
  const changed = differing.map(({ account, change }) => ({
    email: account.email,
    change,
    isInactive: !withAccounts,
  }))
  return { inactive, changed }
}

const byEmail = (accounts: readonly Account[]) =>
  new Map(accounts.map((account) => [account.email.toLowerCase(), account]))

function changeOf({ password, role }: Account, today: Account | undefined): string | undefined {
  if (!today) return 'deleted since'
  if (!today.isActive) return 'deactivated since'
  if (today.password !== password) return 'another password today'
  return today.role === role ? undefined : 'another role today'
}

function assertAdministrator(accounts: readonly Account[], inactive: readonly number[]): void {
  const administrators = accounts.filter(({ role, isActive }) => role === 'admin' && isActive)
  if (administrators.length === 0)
    throw new RestoreRefusal('No account in this backup is an active administrator. Take another backup.')
  if (administrators.some(({ id }) => !inactive.includes(id))) return
  const emails = administrators.map(({ email }) => email).join(', ')
  throw new RestoreRefusal(
    `No administrator would remain active: ${emails} of the backup differ from today's accounts. ` +
      'Say --with-accounts to bring accounts back as they were in the backup, with the passwords of then.',
  )
}
