import { bucketFailure, publicFailures } from '@fellowship/api/config/check-machine'
import { parseEnv } from '@fellowship/api/config/config'
import { startFailure, type SystemError } from '@fellowship/api/config/start-failure'
import type { Environment } from '@fellowship/api/config/env'
import { S3Refusal } from '@fellowship/api/machine/storage/s3-client'
import { bucket } from '@fellowship/api/testing/wrong-settings'

/** A fault that only the machine reveals, its error, and the settings that cause it. */
interface Fault {
  what: string
  error: SystemError
  env?: Environment
}

const database = { DATABASE_URL: 'postgres://church:secret@db.example.org/fellowship' }
const asking = { DATABASE_URL: `${database.DATABASE_URL}?sslmode=verify-full` }
const privately = { ...database, DATABASE_CA: '/etc/ssl/our-ca.pem' }
const listen = { syscall: 'listen' }

const faults: readonly Fault[] = [
  { what: 'the port is taken', error: { code: 'EADDRINUSE', ...listen, port: 3000 } },
  { what: 'no rights to the port', env: { PORT: '80' }, error: { code: 'EACCES', ...listen, port: 80 } },
  {
    what: 'an address of another machine',
    env: { HOST: '192.0.2.1' },
    error: { code: 'EADDRNOTAVAIL', ...listen, address: '192.0.2.1' },
  },
  {
    what: 'an unknown name',
    env: { HOST: 'nobody.invalid' },
    error: { code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname: 'nobody.invalid' },
  },
  {
    what: 'an address of another machine',
    env: { SFTP_HOST: '192.0.2.1' },
    error: { code: 'EADDRNOTAVAIL', ...listen, address: '192.0.2.1', port: 2222 },
  },
  { what: 'no rights', error: { code: 'EACCES', path: '/srv/data/audio' } },
  { what: 'a read-only disk', error: { code: 'EROFS', path: '/srv/data' } },
  { what: 'a full disk', error: { code: 'ENOSPC', path: '/srv/data/postgres' } },
  { what: 'a full disk, told by the database', error: { code: '53100' } },
  { what: 'the quota is used up', error: { code: 'EDQUOT', path: '/srv/data/audio' } },
  { what: 'a file in place of a folder', error: { code: 'ENOTDIR', path: '/srv/data' } },
  { what: 'no folder can be made', env: { DATA_DIR: '/proc/x' }, error: { code: 'ENOENT', path: '/proc/x' } },
  { what: 'a disk that fails', error: { code: 'EIO', path: '/srv/data/postgres' } },
  { what: 'no file', env: privately, error: { code: 'ENOENT', path: '/etc/ssl/our-ca.pem' } },
  { what: 'a folder', env: privately, error: { code: 'EISDIR', path: '/etc/ssl/our-ca.pem' } },
  ...(
    [
      ['an unknown host', 'ENOTFOUND'],
      ['nothing answers', 'ECONNREFUSED'],
      ['no way there, or no answer', 'CONNECT_TIMEOUT'],
      ['another program', 'CONNECTION_CLOSED'],
      ['user or password refused', '28P01', 'password authentication failed for user "church"'],
      ['no such database', '3D000'],
      ['no rights in it', '42501', 'permission denied for database fellowship'],
      ['no free connection', '53300'],
      ['its disk is full', '53100', 'could not extend file "base/1/2": No space left on device'],
      ['PgBouncer refuses a parameter', '08P01', 'unsupported startup parameter: statement_timeout'],
      ['it is starting or stopping', '57P03', 'the database system is starting up'],
      ['TLS is required', '28000', 'no pg_hba.conf entry for host "10.0.0.2", user "church", no encryption'],
    ] as const
  ).map(([what, code, message]) => ({ what, env: database, error: { code, ...(message && { message }) } })),
  { what: 'no TLS there', env: asking, error: { code: 'ECONNRESET' } },
  { what: 'no TLS there', env: privately, error: { code: 'ECONNRESET' } },
  {
    what: 'a private authority',
    env: asking,
    error: { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', message: 'unable to verify the first certificate' },
  },
  {
    what: 'another authority',
    env: privately,
    error: { code: 'SELF_SIGNED_CERT_IN_CHAIN', message: 'self-signed certificate in certificate chain' },
  },
  {
    what: 'a certificate for another name',
    env: privately,
    error: { code: 'ERR_TLS_CERT_ALTNAME_INVALID', message: 'it is for IP:10.0.0.3' },
  },
  {
    what: 'an old certificate',
    env: asking,
    error: { code: 'CERT_HAS_EXPIRED', message: 'certificate has expired' },
  },
]

const refusals: readonly [what: string, status: number, code: string][] = [
  ['no such bucket', 404, 'NoSuchBucket'],
  ['an unknown key', 403, 'InvalidAccessKeyId'],
  ['a wrong secret', 403, 'SignatureDoesNotMatch'],
  ['another region', 301, 'PermanentRedirect'],
  ['no rights', 403, 'AccessDenied'],
  ['a wrong clock', 403, 'RequestTimeTooSkewed'],
  ['another refusal', 501, 'NotImplemented'],
]

/** Settings that the machine, the database or the store refuses, and the sentence with which the start ends. */
export function machineFaults(): { what: string; sentence: string | undefined }[] {
  const store = parseEnv(bucket).s3!
  return [
    ...faults.map(({ what, error, env }) => ({
      what,
      sentence: startFailure(error, parseEnv({ DATA_DIR: '/srv/data', ...env })),
    })),
    ...refusals.map(([what, status, code]) => ({
      what,
      sentence: bucketFailure(new S3Refusal(status, code, 'a request'), 'write', store),
    })),
    { what: 'not for everyone', sentence: publicFailures.closed(403) },
    { what: 'another place', sentence: publicFailures.other },
    { what: 'no CORS rules', sentence: publicFailures.ownSiteAlone },
  ]
}
