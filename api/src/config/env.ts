import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseEnv as parseFile } from 'node:util'

/** Every variable the product reads, as documented in `.env.example`. */
export const variableNames = [
  'PORT',
  'HOST',
  'DATA_DIR',
  'DATABASE_URL',
  'PUBLIC_URL',
  'ADMIN_EMAIL',
  'ADMIN_PASSWORD',
  'REGISTRATION',
  'CONTACT_EMAIL',
  'SFTP_HOST',
  'SFTP_PORT',
  'SMTP_URL',
  'MAIL_FROM',
  'APP_SECRET',
  'LOG_LEVEL',
  'TRUST_PROXY',
  'TILE_URL',
  'BACKUP_DIR',
  'BACKUP_KEEP',
  'KEEP_ORIGINALS',
  'BACKUP_PASSPHRASE',
  'DATABASE_CA',
  'AUDIO_ACCEL',
  'METRICS_TOKEN',
  'S3_ENDPOINT',
  'S3_REGION',
  'S3_BUCKET',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'S3_PUBLIC_URL',
  'SHELF',
  'BACKUP_S3_ENDPOINT',
  'BACKUP_S3_REGION',
  'BACKUP_S3_BUCKET',
  'BACKUP_S3_ACCESS_KEY_ID',
  'BACKUP_S3_SECRET_ACCESS_KEY',
  'DATABASE_POOL',
  'TZ',
] as const

export type VariableName = (typeof variableNames)[number]
export type Environment = Readonly<Partial<Record<VariableName, string>>>

/** Reads the variables, trimmed; an empty one counts as absent. The only reader of `process.env`. */
export function readEnv(): Environment {
  const present = variableNames.flatMap((name) => {
    const value = process.env[name]?.trim()
    return value ? [[name, value] as const] : []
  })
  return Object.fromEntries(present)
}

/** How this process was built and started. The build replaces BUILD_COMMIT with its commit. */
export const build = {
  environment: process.env['NODE_ENV'] ?? 'development',
  commit: process.env.BUILD_COMMIT?.slice(0, 9) || undefined,
}

interface EnvFile {
  /** Absolute; undefined if there is none. */
  readonly file: string | undefined
  /** A sentence for each name that is not known and may be a slip, in the file or among the real variables. */
  readonly warnings: readonly string[]
}

/**
 * Reads `.env` of the working folder into the environment, never over a variable that is set, even if empty.
 *
 * @throws Error with a sentence if the file cannot be read
 */
export function applyEnvFile(folder = process.cwd(), env: NodeJS.ProcessEnv = process.env): EnvFile {
  const warnings = Object.keys(env).flatMap((name) => {
    const meant = nearName(name)
    return meant ? [`${name} is no setting of this product and has no effect. Did you mean ${meant}?`] : []
  })
  const file = path.join(folder, '.env')
  if (!existsSync(file)) return { file: undefined, warnings }
  for (const [name, value] of Object.entries(parseFile(read(file)))) {
    if (!known.has(name)) {
      const meant = nearName(name)
      const hint = meant ? `Did you mean ${meant}?` : '.env.example lists them all.'
      warnings.push(`${name} in ${file} is no setting of this product and has no effect. ${hint}`)
    } else env[name] ??= value
  }
  return { file, warnings }
}

/** Settings of other programs that belong into the file all the same. */
const known = new Set<string>([...variableNames, 'TZ', 'NODE_ENV', 'NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS'])

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(
      `${file} cannot be read (${code}). Make it readable for the user that starts this, or remove it.`,
    )
  }
}

/** The setting that was probably meant; short names are near to too many others. */
function nearName(name: string): string | undefined {
  if (known.has(name) || name.length < 6) return undefined
  return variableNames.find((wanted) => wanted.length >= 6 && distance(name.toUpperCase(), wanted) <= 2)
}

/** Letters to insert, remove or replace (Levenshtein). */
function distance(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let row = 1; row <= one.length; row++) {
    const here = [row]
    for (let at = 1; at <= other.length; at++) {
      const replaced = above[at - 1]! + (one[row - 1] === other[at - 1] ? 0 : 1)
      here.push(Math.min(replaced, above[at]! + 1, here[at - 1]! + 1))
    }
    above = here
  }
  return above[other.length]!
}
