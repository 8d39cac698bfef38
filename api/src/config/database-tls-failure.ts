import type { Config } from './config.ts'
import type { SystemError } from './system-error.ts'

/** What is wrong with the encryption of the way to DATABASE_URL, and the way out; undefined for another error. */
export function databaseTlsFailure(
  { code = '', message = '' }: SystemError,
  { databaseUrl, database: { caFile } }: Pick<Config, 'databaseUrl' | 'database'>,
): string | undefined {
  const { hostname, searchParams } = new URL(databaseUrl!)
  const mode = searchParams.get('sslmode')
  // As `connect` has it: an authority asks for TLS, unless the address asks for none.
  const isAsked = mode === null ? caFile !== undefined : ['require', 'verify-full'].includes(mode)
  const asking = mode === null ? 'DATABASE_CA' : `sslmode=${mode}`
  const setAuthority =
    caFile === undefined
      ? 'Set DATABASE_CA to the file of its authority.'
      : `DATABASE_CA is ${caFile}: set it to the file of its authority.`
  const rules: [RegExp, string][] = [
    [
      /^ERR_TLS_CERT_ALTNAME_INVALID$/,
      `leads to a server whose certificate is not for ${hostname} (${message}). Write a name that is in it in the address, or have one made for ${hostname}.`,
    ],
    [
      /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/,
      `leads to a server whose certificate is not valid today (${message}). Renew it there, and check the clock of this machine.`,
    ],
    [
      /^(SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|CERT_|ERR_TLS|ERR_SSL_CERT)/,
      `leads to a server whose certificate is not trusted (${message}). ${setAuthority}`,
    ],
  ]
  if (isAsked && /^(ECONNRESET|EPROTO|ERR_SSL_)/.test(code)) {
    return `leads to a server that has no TLS, for which ${asking} asks. Set ssl = on there, or leave ${asking} away where the way to it is safe.`
  }
  if (code.startsWith('28') && message.endsWith(', no encryption')) {
    return `leads to a server that wants TLS: ${message}. Add ?sslmode=verify-full to the address, and set DATABASE_CA where its authority is your own.`
  }
  return rules.find(([pattern]) => pattern.test(code))?.[1]
}
