import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { failingStart } from '../testing/failing-start.ts'
import { ConfigError, parseEnv } from './config.ts'
import { readEnv, variableNames, type Environment, type VariableName } from './env.ts'

const mistakesOf = (env: Environment): readonly string[] => {
  try {
    parseEnv(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes
    throw error
  }
  return []
}

const bucket = {
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

const refused: [Environment, RegExp][] = [
  [{ PORT: '70000' }, /^PORT is "70000", which is not a port number/],
  [{ PORT: '80a' }, /^PORT .* Example: PORT=3000$/],
  [{ HOST: 'not a host' }, /^HOST .* Example: HOST=127\.0\.0\.1$/],
  [{ DATABASE_URL: 'mysql://a:hunter2@b/c' }, /^DATABASE_URL is not a PostgreSQL address/],
  [{ DATABASE_URL: 'postgres://localhost' }, /^DATABASE_URL /],
  [{ DATABASE_URL: 'postgres://u:a#b@localhost/c' }, /^DATABASE_URL .* In a password, # is written %23\./],
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
  [{ ADMIN_EMAIL: 'a@b.nz', ADMIN_PASSWORD: 'short' }, /^ADMIN_PASSWORD has fewer than 8 characters/],
  [{ ADMIN_PASSWORD: 'long enough' }, /^ADMIN_PASSWORD is set without ADMIN_EMAIL/],
  [{ REGISTRATION: 'maybe' }, /^REGISTRATION is "maybe"; it may be open, closed\./],
  [{ CONTACT_EMAIL: 'x@' }, /^CONTACT_EMAIL /],
  [{ SFTP_PORT: '-1' }, /^SFTP_PORT /],
  [{ SFTP_HOST: 'over there' }, /^SFTP_HOST is "over there", which is neither an address nor a host name/],
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

test.each(refused)('refuses %o with one sentence and an example', (env, sentence) => {
  const mistakes = mistakesOf(env)
  expect(mistakes).toHaveLength(1)
  expect(mistakes[0]).toMatch(sentence)
  expect(mistakes[0]).toMatch(/Example: /)
})

interface Group {
  env: Environment
  sentences: RegExp[]
}

/** As few environments as can hold all the cases, each with exactly the mistakes of its cases. */
function grouped(): Group[] {
  const groups: Group[] = []
  for (const [env, sentence] of refused) {
    const names = Object.keys(env) as VariableName[]
    const fits = ({ env: others, sentences }: Group) =>
      names.every((name) => !(name in others) || others[name] === env[name]) &&
      mistakesOf({ ...others, ...env }).length === sentences.length + 1 &&
      [...sentences, sentence].every((each) => mistakesOf({ ...others, ...env }).some((it) => each.test(it)))
    const group = groups.find(fits)
    if (group) {
      group.env = { ...group.env, ...env }
      group.sentences.push(sentence)
    } else groups.push({ env, sentences: [sentence] })
  }
  return groups
}

test.each(grouped())('a start with %o says a line for each and ends', async ({ env, sentences }) => {
  const { code, lines } = await failingStart({ PORT: undefined, SFTP_PORT: undefined, ...env })
  const [head, ...mistakes] = lines
  expect(head).toBe('The configuration cannot be used:')
  expect(mistakes).toHaveLength(sentences.length)
  for (const sentence of sentences)
    expect(mistakes.some((line) => line.startsWith('- ') && sentence.test(line.slice(2)))).toBe(true)
  expect(lines.join('\n')).not.toContain('hunter2')
  expect(code).toBe(1)
})

/** Any text may be right: the disk or the database says more when the product starts. */
const checkedWhenUsed: readonly VariableName[] = ['DATA_DIR', 'BACKUP_DIR', 'DATABASE_CA']

test('each setting has a wrong value in the list above', () => {
  const named = new Set(refused.map(([env]) => /^\w+/.exec(mistakesOf(env)[0]!)![0]))
  const missing = variableNames.filter((name) => !named.has(name))
  expect(missing).toEqual(variableNames.filter((name) => checkedWhenUsed.includes(name)))
})

test('reports all mistakes together without repeating secrets', () => {
  const mistakes = mistakesOf({
    PORT: 'x',
    LOG_LEVEL: 'y',
    DATABASE_URL: 'mysql://a:hunter2@b/c',
    SMTP_URL: 'http://u:hunter2@c',
    ...bucket,
    S3_BUCKET: '!',
  })
  expect(mistakes).toHaveLength(5)
  expect(mistakes.join('\n')).not.toContain('hunter2')
})

test('an empty environment gives the documented defaults', () => {
  const config = parseEnv({}, '/srv/fellowship')
  expect(config).toMatchObject({
    http: { port: 3000, host: '127.0.0.1' },
    dataDir: '/srv/fellowship/data',
    registration: 'closed',
    secureCookies: false,
    sftp: { host: '0.0.0.0', port: 2222 },
    logLevel: 'info',
    trustProxy: false,
  })
})

test('a bucket has a usual region, and addresses without a slash at their end', () => {
  expect(parseEnv({ ...bucket, S3_PUBLIC_URL: 'https://cdn.example.org/sound/' }).s3).toEqual({
    endpoint: 'https://s3.example.org',
    region: 'us-east-1',
    bucket: 'recordings',
    accessKeyId: 'key',
    secretAccessKey: 'hunter2',
    publicUrl: 'https://cdn.example.org/sound',
  })
  expect(parseEnv({}).s3).toBeUndefined()
})

test('a bucket for backups is as the other one where nothing else is set', () => {
  const { backupS3 } = parseEnv({
    ...bucket,
    BACKUP_S3_BUCKET: 'backups',
    BACKUP_S3_SECRET_ACCESS_KEY: 'own',
  })
  expect(backupS3).toEqual({ ...parseEnv(bucket).s3, bucket: 'backups', secretAccessKey: 'own' })
})

test('cookies are Secure once the public address is https', () => {
  expect(parseEnv({ PUBLIC_URL: 'https://teaching.example.org/' })).toMatchObject({
    publicUrl: 'https://teaching.example.org',
    secureCookies: true,
  })
  expect(parseEnv({ PUBLIC_URL: 'http://localhost:3000' }).secureCookies).toBe(false)
})

test('a name in MAIL_FROM is allowed', () => {
  expect(parseEnv({ MAIL_FROM: 'Bulls Fellowship <a@b.nz>' }).mail.from).toBe('Bulls Fellowship <a@b.nz>')
})

test('.env.example documents every variable, and its values are the defaults', () => {
  const text = readFileSync(new URL('../../../.env.example', import.meta.url), 'utf8')
  const documented = [...text.matchAll(/^(#?)([A-Z0-9_]+)=(.*)$/gm)].map(([, off, name, value]) => ({
    off,
    name,
    value,
  }))
  expect(new Set(documented.map(({ name }) => name))).toEqual(new Set(variableNames))
  const set: Record<string, string> = {}
  for (const { off, name, value } of documented) if (off === '') set[name!] = value!
  expect(parseEnv(set, '/x')).toEqual(parseEnv({}, '/x'))
})

test('an empty variable counts as absent', () => {
  const before = process.env['TILE_URL']
  process.env['TILE_URL'] = '  '
  try {
    expect(readEnv()).not.toHaveProperty('TILE_URL')
  } finally {
    if (before === undefined) delete process.env['TILE_URL']
    else process.env['TILE_URL'] = before
  }
})
