import { isIP } from 'node:net'
import path from 'node:path'
import { email } from '@fellowship/schema/auth/auth.schema'
import { weeklyBackupsKept } from '@fellowship/schema/backup/backup.limits'
import { backupS3Settings, s3Settings, type S3Settings } from './s3-settings.ts'
import { speechSettings, type SpeechSettings } from './speech-settings.ts'
import { build, type Environment, type VariableName } from './env.ts'

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** The validated environment. It contains secrets: never log it whole. */
export interface Config {
  /** NODE_ENV: 'production', 'development', 'test'. */
  readonly environment: string
  /** The commit this was built from, shortened; undefined if it runs from the sources. */
  readonly commit: string | undefined
  readonly http: { readonly port: number; readonly host: string }
  /** Absolute. Holds the embedded database, recordings, pictures, secrets. */
  readonly dataDir: string
  /** A PostgreSQL to use instead of the embedded one. Contains a password. */
  readonly databaseUrl: string | undefined
  /** For DATABASE_URL: a file with the certificate of its authority, and how many connections at most. */
  readonly database: { readonly caFile: string | undefined; readonly connections: number }
  /** The public origin, without a trailing slash, such as `https://teaching.example.org`. */
  readonly publicUrl: string | undefined
  /** Whether cookies are Secure. */
  readonly secureCookies: boolean
  readonly administrator: { readonly email: string | undefined; readonly password: string | undefined }
  readonly registration: 'open' | 'closed'
  readonly contactEmail: string | undefined
  readonly sftp: { readonly host: string; readonly port: number }
  readonly mail: { readonly smtpUrl: string | undefined; readonly from: string | undefined }
  /** APP_SECRET; if absent, `loadSecret` makes one in the data folder. */
  readonly secret: string | undefined
  readonly logLevel: LogLevel
  /** Whether X-Forwarded-For comes from a trusted proxy. */
  readonly trustProxy: boolean
  /** Bearer token for /metrics; without one it is off. */
  readonly metricsToken: string | undefined
  /** nginx sends recordings below this internal address (X-Accel-Redirect); undefined: the product sends them. */
  readonly audioAccel: string | undefined
  /** The object store that finished recordings and pictures are in; undefined: the disk. Contains a secret. */
  readonly s3: S3Settings | undefined
  /** The place of new files if there is a bucket; files at the other place are read from there. */
  readonly blobStore: 's3' | 'disk'
  /** Map tiles, with {z}, {x} and {y}. */
  readonly tileUrl: string
  /** The folder is absolute; without it there is no weekly backup. */
  readonly weeklyBackup: { readonly folder: string | undefined; readonly keep: number }
  /** A bucket for regular backups in place of a folder. Contains a secret. */
  readonly backupS3: S3Settings | undefined
  /** How long the bytes of recordings that were written anew are kept. */
  readonly keepOriginals: 'until-backup' | 'always' | 'never'
  /** Encrypts backups, with the server's secrets; without it those are left out. */
  readonly backupPassphrase: string | undefined
  /** Hosts of private networks that an import may fetch, in small letters, with or without a port. */
  readonly importPrivateHosts: readonly string[]
  /** The speech recogniser; off if undefined. Contains a secret. */
  readonly speech: SpeechSettings | undefined
}

/** All mistakes of the environment in one error, a sentence each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly mistakes: readonly string[]
  constructor(mistakes: readonly string[]) {
    super(['The configuration cannot be used:', ...mistakes.map((mistake) => `- ${mistake}`)].join('\n'))
    this.mistakes = mistakes
  }
}

/**
 * Validates the environment. Relative paths are resolved from `baseDir`.
 *
 * @throws ConfigError naming every mistake
 */
export function parseEnv(env: Environment, baseDir = process.cwd()): Config {
  const mistakes: string[] = []
  const read = <T>(name: VariableName, validate: Validator<T>, fallback: T): T => {
    const text = env[name]
    if (text === undefined) return fallback
    const verdict = validate(text)
    if ('value' in verdict) return verdict.value
    mistakes.push(`${name} ${verdict.wrong} Example: ${name}=${verdict.example}`)
    return fallback
  }

  const publicUrl = read('PUBLIC_URL', origin, undefined)
  const config: Config = {
    environment: build.environment,
    commit: build.commit,
    http: { port: read('PORT', port('3000'), 3000), host: read('HOST', host('127.0.0.1'), '127.0.0.1') },
    dataDir: path.resolve(baseDir, env.DATA_DIR ?? 'data'),
    databaseUrl: read('DATABASE_URL', databaseUrl, undefined),
    database: {
      caFile: env.DATABASE_CA === undefined ? undefined : path.resolve(baseDir, env.DATABASE_CA),
      connections: read('DATABASE_POOL', connections, 10),
    },
    publicUrl,
    secureCookies: publicUrl?.startsWith('https:') ?? false,
    administrator: {
      email: read('ADMIN_EMAIL', emailAddress('admin@example.org'), undefined),
      password: read('ADMIN_PASSWORD', password, undefined),
    },
    registration: read('REGISTRATION', oneOf(['open', 'closed']), 'closed'),
    contactEmail: read('CONTACT_EMAIL', emailAddress('elders@example.org'), undefined),
    sftp: {
      host: read('SFTP_HOST', host('0.0.0.0'), '0.0.0.0'),
      port: read('SFTP_PORT', port('2222'), 2222),
    },
    mail: {
      smtpUrl: read('SMTP_URL', smtpUrl, undefined),
      from: read('MAIL_FROM', mailFrom, undefined),
    },
    secret: read('APP_SECRET', secret, undefined),
    logLevel: read('LOG_LEVEL', oneOf(logLevels), 'info'),
    trustProxy: read('TRUST_PROXY', onOff, false),
    metricsToken: read('METRICS_TOKEN', token, undefined),
    audioAccel: read('AUDIO_ACCEL', internalPath, undefined),
    s3: s3Settings(env, mistakes),
    blobStore: read('SHELF', oneOf(['s3', 'disk']), 's3'),
    tileUrl: read('TILE_URL', tileUrl, 'https://tile.openstreetmap.org/{z}/{x}/{y}.png'),
    weeklyBackup: {
      folder: env.BACKUP_DIR === undefined ? undefined : path.resolve(baseDir, env.BACKUP_DIR),
      keep: read('BACKUP_KEEP', copies, weeklyBackupsKept),
    },
    backupS3: backupS3Settings(env, mistakes),
    keepOriginals: read('KEEP_ORIGINALS', oneOf(['until-backup', 'always', 'never']), 'until-backup'),
    backupPassphrase: read('BACKUP_PASSPHRASE', passphrase, undefined),
    importPrivateHosts: read('IMPORT_PRIVATE_HOSTS', hosts, []),
    speech: speechSettings(env, mistakes),
  }

  if (config.http.port === config.sftp.port && config.http.port !== 0) {
    mistakes.push(
      `SFTP_PORT and PORT are both ${config.http.port}; each server needs a port of its own. Example: SFTP_PORT=2222`,
    )
  }
  if (config.administrator.password && !env.ADMIN_EMAIL) {
    mistakes.push('ADMIN_PASSWORD is set without ADMIN_EMAIL. Example: ADMIN_EMAIL=admin@example.org')
  }
  if (config.audioAccel !== undefined && !config.trustProxy) {
    mistakes.push(
      'AUDIO_ACCEL is set without TRUST_PROXY; only nginx in front can send the files. Example: TRUST_PROXY=1',
    )
  }
  if (config.audioAccel !== undefined && config.s3 !== undefined) {
    mistakes.push(
      'AUDIO_ACCEL and S3_ENDPOINT are both set; nginx cannot send recordings that are in a bucket. Leave AUDIO_ACCEL away. Example: S3_PUBLIC_URL=https://cdn.example.org',
    )
  }
  read('TZ', zone, undefined)
  if (mistakes.length > 0) throw new ConfigError(mistakes)
  return config
}

type Validator<T> = (text: string) => { value: T } | { wrong: string; example: string }

const port =
  (example: string): Validator<number> =>
  (text) =>
    /^\d{1,5}$/.test(text) && Number(text) <= 65_535
      ? { value: Number(text) }
      : { wrong: `is "${text}", which is not a port number between 0 and 65535.`, example }

const copies: Validator<number> = (text) =>
  /^[1-9]\d{0,2}$/.test(text)
    ? { value: Number(text) }
    : { wrong: `is "${text}", which is not a number of backups between 1 and 999.`, example: '4' }

const token: Validator<string> = (text) =>
  /^[\w.~+/=-]{16,}$/.test(text)
    ? { value: text }
    : {
        wrong: 'has fewer than 16 characters, or others than letters, digits and -._~+/=.',
        example: '48 characters printed by: openssl rand -hex 24',
      }

const internalPath: Validator<string | undefined> = (text) =>
  /^(?:\/[\w-]+)+\/$/.test(text)
    ? { value: text }
    : { wrong: `is "${text}"; it must be the path of nginx's internal location.`, example: '/recordings/' }

const connections: Validator<number> = (text) =>
  /^\d{1,3}$/.test(text) && Number(text) >= 3
    ? { value: Number(text) }
    : { wrong: `is "${text}", which is not a number of connections between 3 and 999.`, example: '10' }

/** POSIX forms such as `NZST-12NZDT` are the system's business. */
const zone: Validator<undefined> = (text) => {
  if (!/^[A-Za-z_]+(\/[A-Za-z0-9_+-]+)*$/.test(text)) return { value: undefined }
  try {
    new Intl.DateTimeFormat('en', { timeZone: text })
    return { value: undefined }
  } catch {
    return { wrong: `is "${text}", a time zone that does not exist.`, example: 'Pacific/Auckland' }
  }
}

const host =
  (example: string): Validator<string> =>
  (text) =>
    isIP(text) !== 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text)
      ? { value: text }
      : { wrong: `is "${text}", which is neither an address nor a host name.`, example }

const hosts: Validator<readonly string[]> = (text) => {
  const names = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
  const wrong = names.find((name) => !/^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/.test(name))
  return wrong === undefined
    ? { value: names }
    : { wrong: `names "${wrong}", which is no host name.`, example: 'nas.example.lan,192.168.1.20:8080' }
}

const oneOf =
  <T extends string>(allowed: readonly T[]): Validator<T> =>
  (text) => {
    const value = allowed.find((candidate) => candidate === text)
    return value !== undefined
      ? { value }
      : { wrong: `is "${text}"; it may be ${allowed.join(', ')}.`, example: allowed[0]! }
  }

const onOff: Validator<boolean> = (text) =>
  /^(1|true|yes)$/i.test(text)
    ? { value: true }
    : /^(0|false|no)$/i.test(text)
      ? { value: false }
      : { wrong: `is "${text}"; it may be 1 (a proxy of yours is in front) or 0.`, example: '1' }

/** The form that the sign-in accepts: any other could not sign in. */
const emailAddress =
  (example: string): Validator<string> =>
  (text) =>
    email.safeParse(text).success
      ? { value: text }
      : { wrong: `is "${text}", which is not an email address.`, example }

const looksLikeEmail = (text: string) => text.length <= 255 && /^[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+$/.test(text)

const mailFrom: Validator<string> = (text) =>
  looksLikeEmail(/<([^<>]*)>$/.exec(text)?.[1] ?? text)
    ? { value: text }
    : { wrong: `is "${text}", which is not an email address.`, example: 'Fellowship <no-reply@example.org>' }

/** The sentence does not repeat the password: it may end up in a log. */
const password: Validator<string> = (text) =>
  text.length < 8
    ? { wrong: 'has fewer than 8 characters.', example: 'a-long-sentence-only-you-know' }
    : text.length > 255
      ? { wrong: 'has more than 255 characters.', example: 'a-long-sentence-only-you-know' }
      : { value: text }

const passphrase: Validator<string> = (text) =>
  text.length >= 12
    ? { value: text }
    : {
        wrong: 'has fewer than 12 characters, which can be guessed by whoever has a backup.',
        example: 'four-words-nobody-says-together',
      }

const secret: Validator<string> = (text) =>
  text.length >= 32
    ? { value: text }
    : {
        wrong: 'has fewer than 32 characters, which can be guessed. Leave it away to have one made.',
        example: '64 characters printed by: openssl rand -hex 32',
      }

const origin: Validator<string | undefined> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const fits =
    url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search && !url.hash && !url.username
  return fits
    ? { value: url.origin }
    : {
        wrong: `is "${text}"; it must be http:// or https:// and a host, without a path.`,
        example: 'https://teaching.example.org',
      }
}

const databaseUrl: Validator<string | undefined> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const example = 'postgres://user:password@localhost:5432/fellowship'
  if (!url || !/^postgres(ql)?:$/.test(url.protocol) || url.pathname.length <= 1 || url.hash !== '') {
    // The address is not repeated: it may contain a password.
    const hint = text.includes('#') ? ' In a password, # is written %23.' : ''
    return { wrong: `is not a PostgreSQL address with a database name.${hint}`, example }
  }
  if (!isEscaped(url)) return { wrong: barePercent, example }
  const mode = url.searchParams.get('sslmode')
  if (mode !== null && !sslModes.includes(mode)) {
    return { wrong: `has the sslmode "${mode}"; it may be ${sslModes.join(', ')}.`, example }
  }
  const file = ['sslrootcert', 'sslcert', 'sslkey'].find((name) => url.searchParams.has(name))
  if (file !== undefined && url.searchParams.get(file) !== 'system') {
    return { wrong: `names ${file}, which has no effect here. Set DATABASE_CA to that file.`, example }
  }
  return { value: text }
}

const sslModes = ['disable', 'prefer', 'require', 'verify-full']

const smtpUrl: Validator<string | undefined> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const example = 'smtps://user:password@mail.example.org:465'
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '')
    return { wrong: 'is not an smtp:// or smtps:// address.', example }
  return isEscaped(url) ? { value: text } : { wrong: barePercent, example }
}

const barePercent = 'has a % that begins no %XX. In a user or a password, % is written %25.'

/** Whether its clients can decode an address: `new URL` accepts a bare % (RFC 3986 2.1 does not). */
const isEscaped = ({ username, password, pathname, search }: URL) =>
  [username, password, pathname, search].every((part) => {
    try {
      return decodeURIComponent(part) !== undefined
    } catch {
      return false
    }
  })

const tileUrl: Validator<string> = (text) =>
  /^https?:\/\//.test(text) && ['{z}', '{x}', '{y}'].every((part) => text.includes(part))
    ? { value: text }
    : {
        wrong: `is "${text}"; it must be http(s):// with {z}, {x} and {y} in it.`,
        example: 'https://tile.openstreetmap.org/{z}/{x}/{y}.png',
      }
