import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { applyEnvFile } from './env.ts'

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
  write('PORT=1\nHOST=1.1.1.1\nLOG_LEVEL="warn" # quiet\n\n# a comment\nADMIN_PASSWORD=\'a # b\'\n')
  const env: NodeJS.ProcessEnv = { PORT: '2', HOST: '' }
  expect(applyEnvFile(folder, env)).toEqual({ file: path.join(folder, '.env'), warnings: [] })
  expect(env).toEqual({ PORT: '2', HOST: '', LOG_LEVEL: 'warn', ADMIN_PASSWORD: 'a # b' })
})

test('a missing file changes nothing', () => {
  const env = {}
  expect(applyEnvFile(folder, env)).toEqual({ file: undefined, warnings: [] })
  expect(env).toEqual({})
})
