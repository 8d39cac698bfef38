import path from 'node:path'
import type { Config } from './config.ts'

/**
 * One sentence for an error that stopped the start: the setting, its fault, and the way out. Undefined for an
 * error that is not of the system; its own message is all there is.
 */
export function startFailure(error: unknown, config: Config): string | undefined {
  const found = (error ?? {}) as SystemError
  return listening(found, config) ?? databaseFailure(found, config) ?? files(found, config)
}

function listening({ code, syscall, port, hostname, address }: SystemError, { http, sftp }: Config) {
  const isLookup = syscall === 'getaddrinfo' && (hostname === http.host || hostname === sftp.host)
  if (syscall !== 'listen' && syscall !== 'bind' && !isLookup) return undefined
  const isSftp = isLookup
    ? hostname !== http.host
    : (port === sftp.port && port !== http.port) || (address === sftp.host && address !== http.host)
  const [portName, hostName] = isSftp ? ['SFTP_PORT', 'SFTP_HOST'] : ['PORT', 'HOST']
  const host = isSftp ? sftp.host : http.host
  const wanted = isSftp ? sftp.port : http.port
  const sentences: Record<string, string> = {
    EADDRINUSE: `${portName} is ${wanted}, which another program on this machine has. Stop that one, or set another: ${portName}=${wanted + 1}`,
    EADDRNOTAVAIL: `${hostName} is ${host}, which is no address of this machine. Set ${hostName}=127.0.0.1 behind a proxy, or ${hostName}=0.0.0.0 for every address of this machine.`,
    EACCES: `${portName} is ${wanted}, for which this user has no rights. Set one above 1023, such as ${portName}=3000, with a proxy in front.`,
    ENOTFOUND: `${hostName} is ${host}, a name that this machine does not know. Set an address: ${hostName}=127.0.0.1`,
  }
  return sentences[code === 'EAI_AGAIN' ? 'ENOTFOUND' : (code ?? '')]
}

function files({ code, path: file }: SystemError, config: Config): string | undefined {
  const { dataDir, database } = config
  if (file !== undefined && file === database.caFile) {
    const wrong = code === 'EISDIR' ? 'a folder' : `which cannot be read (${code})`
    return `DATABASE_CA is ${file}, ${wrong}. Set the path of a certificate file.`
  }
  const why: Record<string, string> = {
    EACCES: 'this user has no rights there. Give the folder to that user (chown), or set another DATA_DIR',
    EPERM: 'this user has no rights there. Give the folder to that user (chown), or set another DATA_DIR',
    EROFS: 'it is on a read-only disk. Set another DATA_DIR',
    // PostgreSQL's own code for it.
    '53100': fullDisk,
    ENOSPC: fullDisk,
    EDQUOT: 'the quota of this user is used up. Make room there, or set another DATA_DIR',
    ENOTDIR: 'a part of the path is a file. Set another DATA_DIR',
    EEXIST: 'a part of the path is a file. Set another DATA_DIR',
    ENOENT: 'no folder can be made there. Set another DATA_DIR',
    EIO: 'the disk fails. Check it, and restore a backup onto another one',
  }
  const sentence = why[code ?? '']
  if (!sentence) return undefined
  if (file !== undefined && !isWithin(dataDir, file) && !isWithin(file, dataDir)) {
    return isWithin(productFolder, file)
      ? `${file}, a part of the product, cannot be read (${code}). A build may be replacing it just now: let it end, or install and build anew, and start again.`
      : `${file} cannot be used (${code}). Check that it is there and that this user has rights to it, and start again.`
  }
  return `DATA_DIR is ${dataDir}, and ${file ?? 'it'} cannot be used: ${sentence}.`
}

const fullDisk = 'the disk is full. Make room there, or set another DATA_DIR'

/** The folder of the repository or of the release, seen from the sources and from the bundle. */
const productFolder = path.resolve(
  import.meta.dirname,
  path.basename(import.meta.dirname) === 'dist' ? '../..' : '../../..',
)

/** Whether a path is a folder or in it. */
function isWithin(folder: string, file: string): boolean {
  const relative = path.relative(folder, path.resolve(file))
  return relative !== '..' && !relative.startsWith(`..${path.sep}`)
}

/** Why `DATABASE_URL` leads to no database, and the way out; undefined for another error. */
function databaseFailure(
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

/** The fault of the encryption of the way to DATABASE_URL, and the way out; undefined for another error. */
function databaseTlsFailure(
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

/** An error of the system, as Node and PostgreSQL report it. */
export interface SystemError {
  code?: string
  syscall?: string
  port?: number
  address?: string
  hostname?: string
  path?: string
  message?: string
}
