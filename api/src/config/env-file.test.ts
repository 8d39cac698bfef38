import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readEnv } from './env.ts'
import { applyEnvFile } from './env-file.ts'

let folder: string
beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'env-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))
const write = (text: string) => writeFileSync(path.join(folder, '.env'), text)

test.each([
  ['PUBLIC_URI=https://a.nz', /^PUBLIC_URI in .*\.env is no setting.*Did you mean PUBLIC_URL\?$/],
  ['BACKUPDIR=/mnt', /Did you mean BACKUP_DIR\?$/],
  ['COLOUR=red', /^COLOUR in .* has no effect\. \.env\.example lists them all\.$/],
])('warns about %s', (line, sentence) => {
  write(line)
  const env = {}
  const { warnings } = applyEnvFile(folder, env)
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toMatch(sentence)
  expect(env).toEqual({})
})

test('warns only about real variables with a misspelled name', () => {
  const env = {
    PUBLIC_URI: 'x',
    PATH: 'x',
    HOME: 'x',
    HOSTNAME: 'x',
    XDG_DATA_DIRS: 'x',
    npm_config_cache: 'x',
  }
  expect(applyEnvFile(folder, env).warnings).toEqual([
    'PUBLIC_URI is no setting of this product and has no effect. Did you mean PUBLIC_URL?',
  ])
})

test('never replaces a real variable, not even an empty one', () => {
  write('\ufeffPORT=1\nHOST=1.1.1.1\nLOG_LEVEL="warn" # quiet\n\n# a comment\nADMIN_PASSWORD=\'a # b\'\n')
  const env: NodeJS.ProcessEnv = { PORT: '2', HOST: '' }
  expect(applyEnvFile(folder, env)).toEqual({ file: path.join(folder, '.env'), warnings: [] })
  expect(env).toEqual({ PORT: '2', HOST: '', LOG_LEVEL: 'warn', ADMIN_PASSWORD: 'a # b' })
})

test('a missing file changes nothing', () => {
  const env = {}
  expect(applyEnvFile(folder, env)).toEqual({ file: undefined, warnings: [] })
  expect(env).toEqual({})
})

test.each([
  ['UTF-16', Buffer.from('\ufeffPORT=3000', 'utf16le')],
  ['Latin-1', Buffer.from('ADMIN_PASSWORD=Māori-tūī-é', 'latin1')],
])('refuses a file in %s', (_, bytes) => {
  writeFileSync(path.join(folder, '.env'), bytes)
  expect(() => applyEnvFile(folder, {})).toThrow('is not in UTF-8')
})

test('warns about quotes that reached a real variable', () => {
  const { warnings } = applyEnvFile(folder, { SMTP_URL: '"smtp://a.nz"', PATH: '"x"' })
  expect(warnings).toEqual([
    'SMTP_URL in the environment is in quotes, which count as part of it. Remove them if they are not meant.',
  ])
})

test('only secrets retain blanks at their ends', () => {
  expect(readEnv({ ADMIN_PASSWORD: ' a \r\n', MAIL_FROM: ' b ', APP_SECRET: ' ' })).toEqual({
    ADMIN_PASSWORD: ' a ',
    MAIL_FROM: 'b',
  })
})
