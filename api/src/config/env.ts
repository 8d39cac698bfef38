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
