import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { failingStart } from '../testing/failing-start.ts'
import { bucket, mistakesOf, refused } from '../testing/wrong-settings.ts'
import { parseEnv } from './config.ts'
import { readEnv, variableNames, type Environment, type VariableName } from './env.ts'

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

/** A process prints what `mistakesOf` returns: all other cases are judged by it alone. */
const printed = grouped().slice(0, 2)

test.each(printed)('a start with %o prints one line per mistake', async ({ env, sentences }) => {
  const { code, lines } = await failingStart({ PORT: undefined, SFTP_PORT: undefined, ...env })
  const [head, ...mistakes] = lines
  expect(head).toBe('The configuration cannot be used:')
  expect(mistakes).toHaveLength(sentences.length)
  for (const sentence of sentences)
    expect(mistakes.some((line) => line.startsWith('- ') && sentence.test(line.slice(2)))).toBe(true)
  expect(lines.join('\n')).not.toContain('hunter2')
  expect(code).toBe(1)
})

/** Any text may be right: the disk or the database refuses it when the product starts. */
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

test('a bucket has a default region and addresses without trailing slash', () => {
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

test('a bucket for backups inherits the settings of the other', () => {
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
