import { ConfigError, parseEnv } from '../config/config.ts'
import type { Environment } from '../config/env.ts'

/** The sentences that an environment is refused with. */
export const mistakesOf = (env: Environment): readonly string[] => {
  try {
    parseEnv(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes
    throw error
  }
  return []
}

/** A bucket that could be right. */
export const bucket = {
  S3_ENDPOINT: 'https://s3.example.org',
  S3_BUCKET: 'recordings',
  S3_ACCESS_KEY_ID: 'key',
  S3_SECRET_ACCESS_KEY: 'hunter2',
}

/** At another store than the recordings. */
const ownBackups = {
  BACKUP_S3_BUCKET: 'backups',
  BACKUP_S3_ENDPOINT: 'https://backups.example.org',
  BACKUP_S3_ACCESS_KEY_ID: 'key',
  BACKUP_S3_SECRET_ACCESS_KEY: 'hunter2',
}

/** Each environment has one mistake, which is reported in a sentence like this. */
export const refused: [Environment, RegExp][] = [
  [{ PORT: '70000' }, /^PORT is "70000", which is not a port number/],
  [{ PORT: '80a' }, /^PORT .* Example: PORT=3000$/],
  [{ HOST: 'not a host' }, /^HOST .* Example: HOST=127\.0\.0\.1$/],
  [{ DATABASE_URL: 'mysql://a:hunter2@b/c' }, /^DATABASE_URL is not a PostgreSQL address/],
  [{ DATABASE_URL: 'postgres://localhost' }, /^DATABASE_URL /],
  [{ DATABASE_URL: 'postgres://u:a#b@localhost/c' }, /^DATABASE_URL .* In a password, # is written %23\./],
  [{ DATABASE_URL: 'postgres://u:50%off@localhost/c' }, /^DATABASE_URL has a % .*% is written %25\./],
  [{ SMTP_URL: 'smtps://u:50%@mail.example.org' }, /^SMTP_URL has a % .*% is written %25\./],
  [{ DATABASE_URL: 'postgres://a@b/c?sslmode=banana' }, /^DATABASE_URL has the sslmode "banana"; it may be/],
  [{ DATABASE_URL: 'postgres://a@b/c?sslrootcert=x' }, /^DATABASE_URL names sslrootcert.*Set DATABASE_CA/],
  [{ AUDIO_ACCEL: 'recordings', TRUST_PROXY: '1' }, /^AUDIO_ACCEL is "recordings"; it must be the path/],
  [{ AUDIO_ACCEL: '/recordings/' }, /^AUDIO_ACCEL is set without TRUST_PROXY/],
  [{ ...bucket, S3_BUCKET: undefined }, /^S3_BUCKET is not set, and S3_ENDPOINT needs it\./],
  [{ ...bucket, S3_ACCESS_KEY_ID: undefined }, /^S3_ACCESS_KEY_ID is not set, and/],
  [{ ...bucket, S3_SECRET_ACCESS_KEY: undefined }, /^S3_SECRET_ACCESS_KEY is not set, and/],
  [{ ...bucket, S3_ENDPOINT: 's3.example.org' }, /^S3_ENDPOINT is "s3.example.org"; it must be http/],
  [{ ...bucket, S3_ENDPOINT: 'https://s3.example.org/b' }, /^S3_ENDPOINT .*without the bucket/],
  [{ ...bucket, S3_BUCKET: 'Our Bucket' }, /^S3_BUCKET is "Our Bucket"; a bucket has/],
  [{ ...bucket, S3_REGION: 'New Zealand' }, /^S3_REGION is "New Zealand"/],
  [{ ...bucket, S3_PUBLIC_URL: 'cdn.example.org' }, /^S3_PUBLIC_URL is "cdn.example.org"/],
  [{ ...bucket, AUDIO_ACCEL: '/recordings/', TRUST_PROXY: '1' }, /^AUDIO_ACCEL and S3_ENDPOINT are both set/],
  [{ SHELF: 'cellar' }, /^SHELF is "cellar"; it may be s3, disk\./],
  [{ BACKUP_S3_REGION: 'auto' }, /^BACKUP_S3_BUCKET is not set, and BACKUP_S3_REGION needs it/],
  [
    { BACKUP_S3_BUCKET: 'backups', BACKUP_DIR: '/mnt/b', ...bucket },
    /^BACKUP_S3_BUCKET and BACKUP_DIR are both/,
  ],
  [{ ...bucket, BACKUP_S3_BUCKET: 'recordings' }, /^BACKUP_S3_BUCKET is the bucket of the recordings/],
  [
    { ...bucket, BACKUP_S3_BUCKET: '!' },
    /^BACKUP_S3_BUCKET is "!"; a bucket has .*Example: BACKUP_S3_BUCKET=/,
  ],
  [
    { ...bucket, BACKUP_S3_BUCKET: 'backups', BACKUP_S3_ENDPOINT: 'backups.example.org' },
    /^BACKUP_S3_ENDPOINT is "backups\.example\.org"; it must be http/,
  ],
  [
    { ...bucket, BACKUP_S3_BUCKET: 'backups', BACKUP_S3_REGION: 'New Zealand' },
    /^BACKUP_S3_REGION is "New Zealand"/,
  ],
  [
    { ...ownBackups, BACKUP_S3_ACCESS_KEY_ID: undefined },
    /^BACKUP_S3_ACCESS_KEY_ID is not set, and BACKUP_S3_ENDPOINT needs it\./,
  ],
  [
    { ...ownBackups, BACKUP_S3_SECRET_ACCESS_KEY: undefined },
    /^BACKUP_S3_SECRET_ACCESS_KEY is not set, and BACKUP_S3_ENDPOINT needs it\./,
  ],
  [{ METRICS_TOKEN: 'short' }, /^METRICS_TOKEN has fewer than 16 characters/],
  [{ DATABASE_POOL: '0' }, /^DATABASE_POOL is "0"/],
  [{ TZ: 'Pacific/Bulls' }, /^TZ is "Pacific\/Bulls", a time zone that does not exist/],
  [{ PUBLIC_URL: 'teaching.example.org' }, /^PUBLIC_URL .*Example: PUBLIC_URL=https:/],
  [{ PUBLIC_URL: 'https://example.org/path' }, /^PUBLIC_URL .*without a path/],
  [{ ADMIN_EMAIL: 'nobody' }, /^ADMIN_EMAIL is "nobody", which is not an email address/],
  [{ ADMIN_EMAIL: 'josé@example.org' }, /^ADMIN_EMAIL is "josé@example.org", which is not an email address/],
  [{ ADMIN_EMAIL: 'a@b.nz', ADMIN_PASSWORD: 'short' }, /^ADMIN_PASSWORD has fewer than 8 characters/],
  [{ ADMIN_PASSWORD: 'long enough' }, /^ADMIN_PASSWORD is set without ADMIN_EMAIL/],
  [{ REGISTRATION: 'maybe' }, /^REGISTRATION is "maybe"; it may be open, closed\./],
  [{ CONTACT_EMAIL: 'x@' }, /^CONTACT_EMAIL /],
  [{ SFTP_PORT: '-1' }, /^SFTP_PORT /],
  [{ SFTP_HOST: 'over there' }, /^SFTP_HOST is "over there", which is neither an address nor a host name/],
  [
    { IMPORT_PRIVATE_HOSTS: 'nas.example.lan,http://nas' },
    /^IMPORT_PRIVATE_HOSTS names "http:\/\/nas", which is no host name\./,
  ],
  [
    { SPEECH_URL: 'whisper' },
    /^SPEECH_URL is "whisper"; it must be http:\/\/ or https:\/\/ and the whole address of the call\./,
  ],
  [{ SPEECH_KEY: 'a b' }, /^SPEECH_KEY has a blank/],
  [{ SPEECH_MODEL: 'large v3' }, /^SPEECH_MODEL is "large v3", which is no name of a model\./],
  [{ SPEECH_COMMAND: 'whisper -f audio' }, /^SPEECH_COMMAND is "whisper -f audio", which has no \{file\}\./],
  [
    { SPEECH_URL: 'http://127.0.0.1:8080/', SPEECH_COMMAND: 'whisper {file}' },
    /^SPEECH_URL and SPEECH_COMMAND are both set\./,
  ],
  [{ SPEECH_FOLDER: 'models/base' }, /^SPEECH_FOLDER is "models\/base", which does not begin at the root\./],
  [
    { SPEECH_FOLDER: '/models/base' },
    /^SPEECH_FOLDER needs SPEECH_SHA256, the hash of its files in 64 digits, as/,
  ],
  [{ SPEECH_SHA256: 'f'.repeat(64) }, /^SPEECH_SHA256 is set without SPEECH_FOLDER\./],
  [
    { KEEP_ORIGINALS: 'sometimes' },
    /^KEEP_ORIGINALS is "sometimes"; it may be until-backup, always, never\./,
  ],
  [{ BACKUP_KEEP: 'all' }, /^BACKUP_KEEP is "all", which is not a number of backups between 1 and 999/],
  [{ PORT: '2222' }, /^SFTP_PORT and PORT are both 2222/],
  [{ SMTP_URL: 'https://mail' }, /^SMTP_URL /],
  [{ MAIL_FROM: 'Fellowship' }, /^MAIL_FROM /],
  [{ APP_SECRET: 'guessable' }, /^APP_SECRET has fewer than 32 characters/],
  [{ BACKUP_PASSPHRASE: 'guessable' }, /^BACKUP_PASSPHRASE has fewer than 12 characters/],
  [{ LOG_LEVEL: 'loud' }, /^LOG_LEVEL is "loud"; it may be fatal, error/],
  [{ TRUST_PROXY: 'perhaps' }, /^TRUST_PROXY /],
  [{ TILE_URL: 'https://tiles.example.org/{z}/{x}.png' }, /^TILE_URL /],
]
