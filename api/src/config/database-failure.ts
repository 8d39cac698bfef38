import type { Config } from './config.ts'
import { databaseTlsFailure } from './database-tls-failure.ts'
import type { SystemError } from './system-error.ts'

/** Why `DATABASE_URL` leads to no database, and the way out; undefined for another error. */
export function databaseFailure(
  error: SystemError,
  config: Pick<Config, 'databaseUrl' | 'database'>,
): string | undefined {
  const { code = '', message = '' } = error
  const { databaseUrl } = config
  if (databaseUrl === undefined || code === '') return undefined
  const url = new URL(databaseUrl)
  const place = `${url.hostname || 'localhost'}:${url.port || '5432'}`
  const name = decodeURIComponent(url.pathname.slice(1))
  const user = decodeURIComponent(url.username)
  const rules: [RegExp, string][] = [
    [
      /^(ENOTFOUND|EAI_AGAIN)$/,
      `names the host ${url.hostname}, which this machine does not know. Check the name.`,
    ],
    [
      /^ECONNREFUSED$/,
      `leads to ${place}, where nothing answers. Start PostgreSQL there, or correct the address.`,
    ],
    [
      /^(CONNECT_TIMEOUT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|CONNECTION_NO_ANSWER)$/,
      `leads to ${place}, which cannot be reached. Check the address and the firewall between.`,
    ],
    [
      /^28/,
      `is refused for the user ${user}: ${message}. Check the user and the password; in the address, # is written %23 and @ %40.`,
    ],
    [
      /^3D000$/,
      `names the database ${name}, which does not exist. Create it: createdb --owner=${user} ${name}`,
    ],
    [
      /^42501$/,
      `leads to a database where ${user} lacks rights: ${message}. Give it to that user: alter database ${name} owner to ${user}`,
    ],
    [
      /^53300$/,
      `leads to a server without a free connection. Raise its max_connections, or lower DATABASE_POOL.`,
    ],
    [
      /^08P01$/,
      `leads to ${place}, which refuses the connection: ${message}. Where that is PgBouncer, set pool_mode = session and ignore_startup_parameters = statement_timeout, lock_timeout, idle_in_transaction_session_timeout there; infra/deploy/README.md says what else.`,
    ],
    [/^53100$/, `leads to a server whose disk is full: ${message}. Make room there.`],
    [/^57P03$/, `leads to a server that is just starting or stopping: ${message}. Try again in a moment.`],
    [
      /^CONNECTION_/,
      `leads to ${place}, which closed the connection. Check that it is a PostgreSQL, and its sslmode.`,
    ],
  ]
  const sentence = databaseTlsFailure(error, config) ?? rules.find(([pattern]) => pattern.test(code))?.[1]
  return sentence && `DATABASE_URL ${sentence}`
}
