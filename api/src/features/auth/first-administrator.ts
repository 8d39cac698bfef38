import { randomBytes } from 'node:crypto'
import type { Context } from '../../context.ts'
import { countUsers, insertUser } from './auth.sql.ts'

/**
 * Creates the administrator of a new instance from ADMIN_EMAIL and ADMIN_PASSWORD, with defaults for what is not set.
 *
 * @returns undefined where there are accounts already; a generated password is returned to be shown once
 */
export async function ensureFirstAdministrator(
  context: Pick<Context, 'sql' | 'passwords' | 'config'>,
): Promise<{ email: string; generatedPassword: string | undefined } | undefined> {
  const { sql, passwords, config } = context
  if ((await countUsers(sql)) > 0) return undefined
  const email = (config.administrator.email ?? 'admin@fellowship.example').toLowerCase()
  const generatedPassword = config.administrator.password === undefined ? generatePassword() : undefined
  const password = await passwords.hash(config.administrator.password ?? generatedPassword!)
  const user = await insertUser(sql, { email, password, name: 'Administrator', role: 'admin' })
  // Undefined where another process of the same database was faster.
  return user && { email, generatedPassword }
}

/** Four groups of unambiguous letters and digits: 16 characters of 32, 80 bits. */
function generatePassword(): string {
  const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789'
  const characters = [...randomBytes(16)].map((byte) => alphabet[byte % 32]).join('')
  return characters.match(/.{4}/g)!.join('-')
}
