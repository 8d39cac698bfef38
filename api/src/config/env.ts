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
  'IMPORT_PRIVATE_HOSTS',
  'SPEECH_URL',
  'SPEECH_KEY',
  'SPEECH_MODEL',
  'SPEECH_COMMAND',
  'SPEECH_FOLDER',
  'SPEECH_SHA256',
  'TZ',
] as const

export type VariableName = (typeof variableNames)[number]
export type Environment = Readonly<Partial<Record<VariableName, string>>>

/** Values that are taken to the letter: a blank at an end or a quote belongs to them. */
export const secretNames: ReadonlySet<string> = new Set<VariableName>([
  'ADMIN_PASSWORD',
  'APP_SECRET',
  'BACKUP_PASSPHRASE',
  'METRICS_TOKEN',
  'S3_SECRET_ACCESS_KEY',
  'SPEECH_KEY',
  'BACKUP_S3_SECRET_ACCESS_KEY',
])

/**
 * Reads the variables; a blank one counts as absent. Secrets lose only a line end, all others every blank at their ends. The
 * only reader of `process.env`.
 */
export function readEnv(env: NodeJS.ProcessEnv = process.env): Environment {
  const present = variableNames.flatMap((name) => {
    const value = env[name]
    if (!value?.trim()) return []
    return [[name, secretNames.has(name) ? value.replace(/[\r\n]+$/, '') : value.trim()] as const]
  })
  return Object.fromEntries(present)
}

/** How this process was built and started. The build replaces BUILD_COMMIT with its commit. */
export const build = {
  environment: process.env['NODE_ENV'] ?? 'development',
  commit: process.env.BUILD_COMMIT?.slice(0, 9) || undefined,
}
